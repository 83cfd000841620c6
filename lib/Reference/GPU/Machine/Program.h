//===- Program.h - a function or kernel as a list of instructions -*- C++
//-*-===//
//
// Structured IR becomes a flat list with jumps, so that a thread is a program
// counter and a register file: it can stop at a barrier, in whatever loop, and
// go on later.
//
//===----------------------------------------------------------------------===//

#ifndef RGNN_LIB_REFERENCE_GPU_MACHINE_PROGRAM_H
#define RGNN_LIB_REFERENCE_GPU_MACHINE_PROGRAM_H

#include "Memory.h"
#include "Numbers.h"

#include "mlir/IR/BuiltinTypes.h"

#include <deque>
#include <functional>
#include <map>

namespace mlir::rgnn::simulator {

struct Thread;

/// Executes an instruction; jumps by setting the program counter. On failure an
/// error was reported.
using Step = std::function<LogicalResult(Thread &)>;

/// An instruction that threads execute together: all of a block, or the first
/// lanes of a warp.
struct Collective {
  bool isOfBlock;
  /// How many lanes of a warp take part; null: as many as it has.
  std::function<FailureOr<int64_t>(Thread &)> getNumLanes;
  std::function<LogicalResult(ArrayRef<Thread *>)> run;
};

struct Instruction {
  Operation *op;
  Step step;
  std::unique_ptr<Collective> collective; // instead of a step
};

/// Memory that each block or each thread gets, as a memref in its registers.
struct Local {
  unsigned slot;
  MemRefType type; // of one dynamic size: as many bytes as the launch says
  Space space;
  std::string name;
};

struct Program {
  std::string name;
  std::vector<Instruction> code;
  /// What registers hold at the start: constants.
  std::vector<Word> registers;
  std::vector<size_t> labels;
  std::vector<Local> locals;
  /// The registers of what a function returns.
  SmallVector<unsigned> results;
};

/// What one run of a host function owns.
struct Session {
  Buffer *allocate(std::string name, Space space, int64_t numBytes,
                   unsigned elementBytes);

  /// Those of a block go when it ends.
  std::deque<Buffer> buffers;
  /// By their ops, wherever these were first named.
  std::map<Operation *, Buffer> globals;
  uint32_t numLaunches = 0;
};

/// A block of a launch that runs.
struct ThreadBlock {
  const Launch &launch;
  Dims id;
  uint32_t number;
  /// Barriers passed.
  uint32_t interval = 0;
};

/// A copy that a thread has issued.
struct AsyncCopy {
  Operation *op;
  Buffer *source, *target;
  int64_t sourceBegin, sourceSize, targetBegin;
  /// What arrives: zeros behind what was read.
  std::vector<char> bytes;
};

/// A thread of a kernel, or the host, which is in no block.
struct Thread {
  Thread(Session &session, const Program &program, Word *registers,
         ThreadBlock *block = nullptr, Dims id = {0, 0, 0}, uint32_t number = 0)
      : session(session), program(program), registers(registers), block(block),
        id(id), number(number) {}

  Session &session;
  const Program &program;
  Word *registers;
  ThreadBlock *block;
  Dims id;
  /// In its block, counted x first.
  uint32_t number;
  size_t pc = 0;
  bool hasEnded = false;
  /// Asynchronous copies that are in no group yet, and groups, the oldest
  /// first.
  std::vector<AsyncCopy> copies;
  std::deque<std::vector<AsyncCopy>> groups;

  Word &at(unsigned slot) const { return registers[slot]; }
  int64_t getInt(unsigned slot) const {
    return static_cast<int64_t>(registers[slot]);
  }
  int64_t getLane() const { return number % kWarp; }
  Actor getActor(Operation *op) const;

  /// Runs to the next collective or the end.
  LogicalResult run();
  /// The collective that it waits at.
  const Instruction &getWaiting() const { return program.code[pc]; }

  static constexpr int64_t kWarp = 32;
};

/// Reports what is wrong at `op`, and in which thread of which kernel.
InFlightDiagnostic fail(const Thread &thread, Operation *op,
                        const Twine &message);
LogicalResult fail(const Thread &thread, Operation *op, const Fault &fault);

/// Runs a kernel: blocks one after another, the threads of a block in lockstep
/// from one collective to the next. `registers` are the words that all threads
/// start with, by register; `op` is what launches it.
LogicalResult runKernel(Session &session, Operation *op, const Program &kernel,
                        const Launch &launch, ArrayRef<Word> registers,
                        int64_t dynamicSharedBytes);

} // namespace mlir::rgnn::simulator

#endif // RGNN_LIB_REFERENCE_GPU_MACHINE_PROGRAM_H
