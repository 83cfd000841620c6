//===- Memory.h - buffers that remember who touched them --------*- C++ -*-===//

#ifndef RGNN_LIB_REFERENCE_GPU_MACHINE_MEMORY_H
#define RGNN_LIB_REFERENCE_GPU_MACHINE_MEMORY_H

#include "mlir/IR/Operation.h"

#include <array>
#include <memory>
#include <string>
#include <vector>

namespace mlir::rgnn::simulator {

using Dims = std::array<int64_t, 3>;

/// "(3, 0, 0)".
std::string format(const Dims &dims);
/// "memref.alloc at line 7".
std::string describe(Operation *op);

/// What is wrong with an access; nothing where the text is empty.
struct Fault {
  std::string text;
  /// What it races with, if it does.
  Operation *other = nullptr;

  explicit operator bool() const { return !text.empty(); }
};

/// One launch of a kernel.
struct Launch {
  std::string kernel;
  uint32_t number; // 1 for the first of a run
  Dims grid, block;

  /// The place of what numbers that count x first stand for.
  Dims getBlock(int64_t number) const;
  Dims getThread(int64_t number) const;
  /// "thread (3, 0, 0) of block (1, 0, 0)".
  std::string describe(uint32_t blockNumber, uint32_t threadNumber) const;
};

/// Who touches memory, by which op, and after how many barriers.
struct Actor {
  Operation *op = nullptr;
  const Launch *launch = nullptr; // null: the host
  uint32_t block = 0, thread = 0, interval = 0;
};

enum class Access { Read, Write, Atomic };

/// Global memory is that of all blocks, workgroup memory that of one, private
/// memory that of one thread, and kernels do not reach the stack of the host.
enum class Space { Global, Workgroup, Private, Host };

/// Bytes with a shadow: for each element of the buffer whether it was written,
/// and who touched it in the current launch.
///
/// Two accesses to an element of which one is no read, and not both are atomic,
/// race unless one thread makes both, or a barrier of the block that makes both
/// lies between. Equal numbers race too.
class Buffer {
public:
  Buffer(std::string name, Space space, int64_t numBytes,
         unsigned elementBytes);

  /// Accesses `size` bytes from `begin`, after checks.
  Fault access(Access kind, int64_t begin, int64_t size, const Actor &actor);
  /// A write whose bytes arrive between the two calls: meanwhile nobody may
  /// touch them.
  Fault beginWrite(int64_t begin, int64_t size, const Actor &actor);
  Fault endWrite(int64_t begin, int64_t size, const Actor &actor);

  /// What was written is forgotten.
  void clear();
  /// All elements count as written.
  void markWritten();
  /// The first element that was never written, or -1.
  int64_t findUnwritten() const;

  std::string name;
  Space space;
  std::vector<char> bytes;
  bool isFreed = false, isConstant = false;

private:
  enum State : uint8_t { Unwritten, Written, InFlight };

  /// The accesses of one kind in one launch. Blocks run one after another, so
  /// that the last interval of the last block is all that can conflict, besides
  /// other blocks.
  struct History {
    uint32_t launch = 0, block = 0, interval = 0, thread = 0;
    Operation *op = nullptr;
    bool hasManyThreads = false, hasManyBlocks = false;

    bool conflicts(const Actor &actor) const;
    void add(const Actor &actor);
  };
  struct Shadow {
    History reads, writes, atomics;
  };
  static constexpr int64_t kPage = 256;

  Shadow &getShadow(int64_t element);
  Fault checkRange(int64_t begin, int64_t size) const;
  Fault checkRace(const History &history, StringRef what,
                  const Actor &actor) const;
  Fault touch(Access kind, int64_t element, const Actor &actor);

  unsigned elementBytes;
  std::vector<State> states;
  /// Pages of elements, made when first touched.
  std::vector<std::unique_ptr<std::array<Shadow, kPage>>> pages;
};

} // namespace mlir::rgnn::simulator

#endif // RGNN_LIB_REFERENCE_GPU_MACHINE_MEMORY_H
