//===- Machine.h - Kernels, blocks and warps --------------------*- C++ -*-===//
//
// A warp runs an instruction for many lanes at once: those that are at it. Each
// lane has a place in the code of its own, as on GPUs since Volta.
//
//===----------------------------------------------------------------------===//

#ifndef RGNN_TOOLS_CUDAEMULATOR_MACHINE_H
#define RGNN_TOOLS_CUDAEMULATOR_MACHINE_H

#include "Clock.h"
#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace emulator {

constexpr unsigned numLanes = 32;
/// Registers begin at multiples of so many bytes.
constexpr unsigned registerAlignment = 32;
/// A set of the lanes of a warp: a bit for each.
using Lanes = uint32_t;
constexpr Lanes allLanes = ~Lanes(0);

/// What a GPU would trap at, or do something undefined.
struct Fault : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Warp;
struct Instruction;
using Handler = void (*)(Warp &, const Instruction &, Lanes);

struct Instruction {
  enum Kind : uint8_t {
    /// Whatever its handler does.
    Plain,
    /// Where lanes that are elsewhere may come.
    Join,
    Branch,
    /// All lanes of `members` make it together.
    Together,
    /// All threads of the block wait for one another.
    Barrier,
    Exit,
  };
  Kind kind = Plain;
  bool isGuarded = false, guardIsNegated = false;
  /// Whether it is none of a chip's: parameters are operands there, and
  /// addresses the same in every space. Counts leave it out.
  bool isFolded = false;
  uint32_t guard = 0;
  Handler handler = nullptr;
  /// Offsets in a warp's registers.
  std::array<uint32_t, 16> operands = {};
  /// What is added to an address, or where a branch goes to.
  int64_t number = 0;
  Lanes members = allLanes;
  /// In PTX.
  unsigned line = 0;
  /// What it reads or writes, for the counts: the address is operand
  /// `address` and `number`.
  struct Access {
    enum Space : uint8_t { None, Global, Shared } space = None;
    bool writes = false;
    uint8_t bytes = 0, address = 0;
  } access;
};

/// What a launch takes of a GPU.
struct Counts {
  /// Instructions of warps, but for folded ones, and lanes that took part.
  uint64_t instructions = 0, lanes = 0;
  /// Parts of 32 bytes of the GPU's memory that accesses of warps touch.
  uint64_t sectorsRead = 0, sectorsWritten = 0;
  /// Times that shared memory is busy: more than one for an access whose lanes
  /// want different words of one bank.
  uint64_t sharedCycles = 0;
  /// By the clocks of warps: the block that takes longest, and all together.
  uint64_t longestBlock = 0, blockCycles = 0;

  void operator+=(const Counts &other);
};

struct Kernel {
  std::string name;
  std::vector<Instruction> code;
  /// Of each instruction: what a clock knows, and its place in an order in
  /// which lanes that are behind catch up with others.
  std::vector<Timing> timings;
  std::vector<uint32_t> order;
  /// Registers as a warp begins, with all constants in them. What nothing was
  /// written to is a NaN, and no index.
  std::vector<char> registers;
  std::vector<unsigned> parameterBytes;
  /// Where a thread's place is: each of these has an x, a y and a z, and the
  /// lane is the last.
  enum { Thread = 0, NumThreads = 3, BlockOf = 6, NumBlocks = 9, Lane = 12 };
  std::array<uint32_t, 13> special;
  /// Of its variables. What a launch asks for lies behind.
  uint64_t sharedBytes = 0;
  /// Of the variables of each thread.
  uint64_t localBytes = 0;
  unsigned maxThreads = 1024;

  /// Sets `order`.
  void orderPlaces();
};

/// x, y and z.
using Size = std::array<unsigned, 3>;
inline uint64_t getCount(const Size &size) {
  return uint64_t(size[0]) * size[1] * size[2];
}

struct Launch {
  const Kernel &kernel;
  Size blocks, threads;
  /// Shared memory that it asks for.
  unsigned dynamicBytes;
  std::vector<char> parameters;
};

struct Block {
  const Launch &launch;
  unsigned number;
  std::vector<char> shared;
};

/// A copy that goes on beside its thread.
struct AsyncCopy {
  unsigned lane, bytes, zeros;
  uint64_t target;
  const char *source;
  unsigned group;
};

class Warp {
public:
  Warp(Block &block, unsigned number);

  template <typename T>
  T *get(uint32_t offset) {
    return reinterpret_cast<T *>(registers.data() + offset);
  }
  Lanes &predicate(uint32_t offset) { return *get<Lanes>(offset); }

  /// Runs until no lane can go on, or about `steps` branches were taken.
  void run(unsigned steps, std::minstd_rand *random);

  bool isDone() const { return live == 0; }
  /// Whether all lanes that are left wait at a barrier.
  bool isWaiting() const { return live != 0 && waiting == live; }
  /// Whether a lane has ended.
  bool hasEnded() const { return live != begun; }
  void passBarrier();
  /// Of the instruction that runs.
  unsigned getLine() const;

  Block &block;
  /// Null where nobody asks.
  Counts *counts = nullptr;
  std::optional<Clock> clock;
  std::deque<AsyncCopy> copies;
  std::array<unsigned, numLanes> groups = {};
  /// Which lanes' last sum of 32 bits had one more.
  Lanes carry = 0;
  /// The memory of its threads, one behind the other.
  std::vector<char> local;

private:
  /// Chooses the lanes that go on, all at one place.
  bool choose(std::minstd_rand *random);
  void settle();
  void countAccess(const Instruction &now, Lanes lanes);
  void count(const Instruction &now, Lanes lanes);

  std::vector<char> registers;
  const std::vector<Instruction> &code;
  const std::vector<uint32_t> &order;
  Lanes begun, live, waiting = 0, held = 0;
  /// Where lanes are that do not run.
  std::array<uint32_t, numLanes> places = {};
  uint32_t place = 0;
  Lanes running = 0;
};

/// Throws a Fault if not all of `bytes` at `offset` are within the `size` bytes
/// of `memory`.
inline void checkOffset(uint64_t offset, unsigned bytes, uint64_t size,
                        const char *memory) {
  if (offset + bytes > size || offset + bytes < offset)
    throw Fault("expected an address in the " + std::to_string(size) +
                " bytes of " + memory + ", got " + std::to_string(offset));
  if (offset % bytes != 0)
    throw Fault("expected an address that is a multiple of " +
                std::to_string(bytes) + ", got " + std::to_string(offset));
}

/// Where `offset` of a block's shared memory is.
inline char *getShared(Warp &warp, uint64_t offset, unsigned bytes) {
  checkOffset(offset, bytes, warp.block.shared.size(),
              "the block's shared memory");
  return warp.block.shared.data() + offset;
}

/// Where `offset` of the memory of a lane's thread is.
inline char *getLocal(Warp &warp, unsigned lane, uint64_t offset,
                      unsigned bytes) {
  uint64_t size = warp.block.launch.kernel.localBytes;
  checkOffset(offset, bytes, size, "the thread's memory");
  return warp.local.data() + lane * size + offset;
}

/// Where `address` of the GPU's memory is.
inline char *getGlobal(uint64_t address, unsigned bytes) {
  if (address < 4096 || address % bytes != 0)
    throw Fault(
        "expected an address of the GPU's memory that is a multiple of " +
        std::to_string(bytes) + ", got " + std::to_string(address));
  return reinterpret_cast<char *>(address);
}

template <typename Function>
void forEach(Lanes lanes, Function function) {
  if (lanes == allLanes) {
#pragma clang loop vectorize(assume_safety) interleave(enable)
    for (unsigned lane = 0; lane < numLanes; ++lane)
      function(lane);
    return;
  }
  for (; lanes; lanes &= lanes - 1)
    function(static_cast<unsigned>(__builtin_ctz(lanes)));
}

/// Runs all blocks. Where `seed` is not 0, blocks and warps, and lanes that are
/// at different places, go on in an order drawn from it. Adds to `counts` if
/// there are any. Throws Fault.
void run(const Launch &launch, unsigned seed, unsigned numHostThreads,
         Counts *counts);

} // namespace emulator

#endif // RGNN_TOOLS_CUDAEMULATOR_MACHINE_H
