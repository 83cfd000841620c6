//===- RunKernel.cpp - blocks, warps and what they wait for ---------------===//

#include "MemRefRegisters.h"

using namespace mlir;
using namespace mlir::rgnn;
using namespace mlir::rgnn::simulator;

namespace {

/// The threads of one block, in lockstep from one collective to the next.
class BlockRun {
public:
  explicit BlockRun(std::vector<Thread> &threads) : threads(threads) {
    for (Thread &thread : threads) {
      if (thread.number % Thread::kWarp == 0)
        warps.emplace_back();
      warps.back().push_back(&thread);
      all.push_back(&thread);
    }
  }

  LogicalResult run();

private:
  using Threads = SmallVector<Thread *, 32>;

  /// Whether all of `group` wait at the instruction of the first.
  static bool areTogether(ArrayRef<Thread *> group);
  /// The threads of a warp that take part in what its first lane waits for;
  /// none if some are not there yet.
  FailureOr<ArrayRef<Thread *>> findTogether(ArrayRef<Thread *> warp);
  static LogicalResult execute(ArrayRef<Thread *> group);
  LogicalResult reportStuck();

  std::vector<Thread> &threads;
  Threads all;
  std::vector<Threads> warps;
};

} // namespace

bool BlockRun::areTogether(ArrayRef<Thread *> group) {
  return llvm::all_of(group, [&](Thread *thread) {
    return !thread->hasEnded && thread->pc == group.front()->pc;
  });
}

FailureOr<ArrayRef<Thread *>> BlockRun::findTogether(ArrayRef<Thread *> warp) {
  Thread *first = warp.front();
  if (first->hasEnded || first->getWaiting().collective->isOfBlock)
    return ArrayRef<Thread *>();
  const Instruction &instruction = first->getWaiting();
  if (instruction.collective->getNumLanes) {
    FailureOr<int64_t> lanes = instruction.collective->getNumLanes(*first);
    if (failed(lanes))
      return failure();
    if (*lanes < 1 || *lanes > static_cast<int64_t>(warp.size()))
      return fail(*first, instruction.op,
                  "expected 1 to " + Twine(warp.size()) +
                      " lanes, as the warp has, got " + Twine(*lanes));
    warp = warp.take_front(*lanes);
  }
  return areTogether(warp) ? warp : ArrayRef<Thread *>();
}

LogicalResult BlockRun::execute(ArrayRef<Thread *> group) {
  if (failed(group.front()->getWaiting().collective->run(group)))
    return failure();
  for (Thread *thread : group) {
    ++thread->pc;
    if (failed(thread->run()))
      return failure();
  }
  return success();
}

LogicalResult BlockRun::run() {
  for (Thread &thread : threads)
    if (failed(thread.run()))
      return failure();
  while (llvm::any_of(threads, [](Thread &t) { return !t.hasEnded; })) {
    bool goesOn = false;
    for (ArrayRef<Thread *> warp : warps) {
      FailureOr<ArrayRef<Thread *>> group = findTogether(warp);
      if (failed(group))
        return failure();
      if (group->empty())
        continue;
      if (failed(execute(*group)))
        return failure();
      goesOn = true;
    }
    if (goesOn)
      continue;
    if (!areTogether(all) || !all.front()->getWaiting().collective->isOfBlock)
      return reportStuck();
    if (failed(execute(all)))
      return failure();
  }
  return success();
}

/// Names a thread that waits, and one that does not come.
LogicalResult BlockRun::reportStuck() {
  Thread &waiting =
      *llvm::find_if(threads, [](Thread &thread) { return !thread.hasEnded; });
  const Instruction &instruction = waiting.getWaiting();
  ArrayRef<Thread *> group = all;
  if (!instruction.collective->isOfBlock)
    group = warps[waiting.number / Thread::kWarp];
  StringRef what = instruction.collective->isOfBlock ? "block" : "warp";
  for (Thread *other : group) {
    if (!other->hasEnded && other->pc == waiting.pc)
      continue;
    Operation *op = other->hasEnded ? nullptr : other->getWaiting().op;
    const ThreadBlock &block = *other->block;
    return fail(waiting, instruction.op,
                Fault{"expected all threads of the " + what.str() + ", but " +
                          block.launch.describe(block.number, other->number) +
                          (op ? " waits at another op" : " has ended"),
                      op});
  }
  return fail(waiting, instruction.op,
              "expected only the lanes that take part, got lane " +
                  Twine(waiting.getLane()));
}

//===----------------------------------------------------------------------===//
// Grids
//===----------------------------------------------------------------------===//

/// Limits of GPUs from compute capability 9.0 on: 8.0 has 163 KiB of them.
static LogicalResult checkSharedBytes(Operation *op, const Program &kernel,
                                      int64_t dynamicSharedBytes) {
  int64_t bytes = 0;
  for (const Local &local : kernel.locals)
    if (local.space == Space::Workgroup && local.type.hasStaticShape())
      bytes +=
          local.type.getNumElements() * getBytes(local.type.getElementType());
  constexpr int64_t kMaxStatic = 48 << 10, kMax = 227 << 10;
  if (bytes > kMaxStatic)
    return op->emitOpError("expected at most ")
           << kMaxStatic << " bytes of workgroup attributions in kernel "
           << kernel.name << ", got " << bytes;
  if (dynamicSharedBytes < 0 || bytes + dynamicSharedBytes > kMax)
    return op->emitOpError("expected at most ")
           << kMax << " bytes of shared memory in kernel " << kernel.name
           << ", got " << bytes << " and " << dynamicSharedBytes
           << " dynamic ones";
  return success();
}

static void allocateLocal(Session &session, const Local &local,
                          int64_t dynamicSharedBytes,
                          MutableArrayRef<Thread> threads) {
  int64_t elements = local.type.hasStaticShape() ? local.type.getNumElements()
                                                 : dynamicSharedBytes;
  SmallVector<int64_t> sizes(local.type.getShape());
  if (!local.type.hasStaticShape())
    sizes = {dynamicSharedBytes};
  unsigned size = getBytes(local.type.getElementType());
  Buffer *buffer = nullptr;
  for (Thread &thread : threads) {
    if (!buffer || local.space == Space::Private)
      buffer = session.allocate(local.name, local.space, elements * size, size);
    MemRefRegisters(local.slot, local.type).set(thread, buffer, sizes);
  }
}

LogicalResult simulator::runKernel(Session &session, Operation *op,
                                   const Program &kernel, const Launch &launch,
                                   ArrayRef<Word> registers,
                                   int64_t dynamicSharedBytes) {
  if (failed(checkSharedBytes(op, kernel, dynamicSharedBytes)))
    return failure();
  const Dims &grid = launch.grid, &size = launch.block;
  const int64_t numThreads = size[0] * size[1] * size[2];
  std::vector<Word> words(numThreads * registers.size());
  const size_t firstBuffer = session.buffers.size();
  for (int64_t number = 0; number < grid[0] * grid[1] * grid[2]; ++number) {
    ThreadBlock block{launch, launch.getBlock(number),
                      static_cast<uint32_t>(number)};
    std::vector<Thread> threads;
    threads.reserve(numThreads);
    for (int64_t thread = 0; thread < numThreads; ++thread) {
      Word *own = words.data() + thread * registers.size();
      llvm::copy(registers, own);
      threads.emplace_back(session, kernel, own, &block,
                           launch.getThread(thread),
                           static_cast<uint32_t>(thread));
    }
    for (const Local &local : kernel.locals)
      allocateLocal(session, local, dynamicSharedBytes, threads);
    if (failed(BlockRun(threads).run()))
      return failure();
    while (session.buffers.size() > firstBuffer)
      session.buffers.pop_back();
  }
  return success();
}
