//===- ThreadOps.cpp - numbers of threads, barriers and shuffles ----------===//

#include "Elementwise.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace mlir::rgnn;
using namespace mlir::rgnn::simulator;

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

/// An op whose result `get` reads off the thread.
template <typename OpTy, typename Fn>
static void addNumber(OpTable &table, Fn get) {
  table.add<OpTy>([get](Translator &translator, OpTy op) {
    unsigned result = translator.define(op->getResult(0));
    translator.emit(op, [=](Thread &thread) -> LogicalResult {
      if (!thread.block)
        return fail(thread, op, "expected a kernel around it, got the host");
      thread.at(result) = get(thread);
      return success();
    });
    return success();
  });
}
template <typename OpTy, typename Fn>
static void addNumberInDimension(OpTable &table, Fn get) {
  table.add<OpTy>([get](Translator &translator, OpTy op) {
    unsigned result = translator.define(op->getResult(0)),
             dim = static_cast<unsigned>(op.getDimension());
    translator.emit(op, [=](Thread &thread) -> LogicalResult {
      if (!thread.block)
        return fail(thread, op, "expected a kernel around it, got the host");
      thread.at(result) = get(thread, dim);
      return success();
    });
    return success();
  });
}

static int64_t getNumThreads(const Thread &thread) {
  const Dims &sizes = thread.block->launch.block;
  return sizes[0] * sizes[1] * sizes[2];
}

static void addNumbers(OpTable &table) {
  addNumberInDimension<gpu::ThreadIdOp>(
      table, [](const Thread &thread, unsigned dim) { return thread.id[dim]; });
  addNumberInDimension<gpu::BlockIdOp>(
      table,
      [](const Thread &thread, unsigned dim) { return thread.block->id[dim]; });
  addNumberInDimension<gpu::BlockDimOp>(
      table, [](const Thread &thread, unsigned dim) {
        return thread.block->launch.block[dim];
      });
  addNumberInDimension<gpu::GridDimOp>(table,
                                       [](const Thread &thread, unsigned dim) {
                                         return thread.block->launch.grid[dim];
                                       });
  addNumberInDimension<gpu::GlobalIdOp>(
      table, [](const Thread &thread, unsigned dim) {
        return thread.block->id[dim] * thread.block->launch.block[dim] +
               thread.id[dim];
      });
  addNumber<gpu::LaneIdOp>(
      table, [](const Thread &thread) { return thread.getLane(); });
  addNumber<gpu::SubgroupIdOp>(table, [](const Thread &thread) {
    return thread.number / Thread::kWarp;
  });
  addNumber<gpu::NumSubgroupsOp>(table, [](const Thread &thread) {
    return llvm::divideCeil(getNumThreads(thread), Thread::kWarp);
  });
  addNumber<gpu::SubgroupSizeOp>(
      table, [](const Thread &thread) { return Thread::kWarp; });
}

//===----------------------------------------------------------------------===//
// Barriers and shuffles
//===----------------------------------------------------------------------===//

static LogicalResult translateBarrier(Translator &translator,
                                      gpu::BarrierOp op) {
  translator.emitCollective(
      op, {/*isOfBlock=*/true, nullptr, [](ArrayRef<Thread *> threads) {
             ++threads.front()->block->interval;
             return success();
           }});
  return success();
}

/// The lane that lane `lane` gets its value from, of any size.
static int64_t getSource(gpu::ShuffleMode mode, int64_t lane, int64_t offset) {
  switch (mode) {
  case gpu::ShuffleMode::XOR:
    return lane ^ offset;
  case gpu::ShuffleMode::UP:
    return lane - offset;
  case gpu::ShuffleMode::DOWN:
    return lane + offset;
  case gpu::ShuffleMode::IDX:
    return offset;
  }
  llvm_unreachable("unknown mode");
}

static LogicalResult translateShuffle(Translator &translator,
                                      gpu::ShuffleOp op) {
  Type type = op.getValue().getType();
  unsigned value = translator.getSlot(op.getValue()),
           offset = translator.getSlot(op.getOffset()),
           width = translator.getSlot(op.getWidth()),
           result = translator.define(op.getShuffleResult()),
           valid = translator.define(op.getValid()),
           words = Translator::getNumWords(type);
  Word poison = truncate(~Word(0), getWidth(getElementTypeOrSelf(type)));
  gpu::ShuffleMode mode = op.getMode();
  Collective collective{/*isOfBlock=*/false, nullptr, nullptr};
  collective.getNumLanes = [=](Thread &thread) -> FailureOr<int64_t> {
    return toSigned(thread.at(width), 32);
  };
  collective.run = [=](ArrayRef<Thread *> lanes) -> LogicalResult {
    for (auto [number, lane] : llvm::enumerate(lanes)) {
      if (lane->at(width) != lanes.size())
        return fail(*lane, op,
                    "expected width " + Twine(lanes.size()) +
                        ", as in the first lane, got " +
                        Twine(toSigned(lane->at(width), 32)));
      int64_t source = getSource(mode, number, toSigned(lane->at(offset), 32));
      bool exists = source >= 0 && source < static_cast<int64_t>(lanes.size());
      lane->at(valid) = exists;
      for (unsigned i = 0; i < words; ++i)
        lane->at(result + i) = exists ? lanes[source]->at(value + i) : poison;
    }
    return success();
  };
  translator.emitCollective(op, std::move(collective));
  return success();
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// Gives each of `threads` the combination of what all of them hold.
static void reduce(ArrayRef<Thread *> threads, unsigned value, unsigned result,
                   unsigned words, const Combine &combine) {
  for (unsigned i = 0; i < words; ++i) {
    Word sum = threads.front()->at(value + i);
    for (Thread *thread : threads.drop_front())
      sum = combine(sum, thread->at(value + i));
    for (Thread *thread : threads)
      thread->at(result + i) = sum;
  }
}

static LogicalResult translateSubgroupReduce(Translator &translator,
                                             gpu::SubgroupReduceOp op) {
  Combine combine = getCombine(gpu::stringifyAllReduceOperation(op.getOp()),
                               getElementTypeOrSelf(op.getValue()));
  if (!combine)
    return op.emitOpError("the simulator does not know this reduction of ")
           << op.getType();
  unsigned value = translator.getSlot(op.getValue()),
           result = translator.define(op.getResult()),
           words = Translator::getNumWords(op.getType());
  int64_t size = op.getClusterSize().value_or(Thread::kWarp),
          stride = op.getClusterStride();
  translator.emitCollective(
      op,
      {/*isOfBlock=*/false, nullptr, [=](ArrayRef<Thread *> lanes) {
         // Clusters interleave: `size` lanes at distance `stride`.
         std::map<std::pair<int64_t, int64_t>, SmallVector<Thread *>> clusters;
         for (Thread *lane : lanes)
           clusters[{lane->getLane() / (size * stride),
                     lane->getLane() % stride}]
               .push_back(lane);
         for (auto &[key, cluster] : clusters)
           reduce(cluster, value, result, words, combine);
         return success();
       }});
  return success();
}

static LogicalResult translateAllReduce(Translator &translator,
                                        gpu::AllReduceOp op) {
  if (!op.getOp())
    return op.emitOpError("the simulator does not know reductions by a region");
  Combine combine =
      getCombine(gpu::stringifyAllReduceOperation(*op.getOp()), op.getType());
  if (!combine)
    return op.emitOpError("the simulator does not know this reduction of ")
           << op.getType();
  unsigned value = translator.getSlot(op.getValue()),
           result = translator.define(op.getResult());
  translator.emitCollective(
      op, {/*isOfBlock=*/true, nullptr, [=](ArrayRef<Thread *> threads) {
             reduce(threads, value, result, /*words=*/1, combine);
             return success();
           }});
  return success();
}

/// Bytes of the block, as many as the launch says; the same for all ops.
static LogicalResult translateDynamicShared(Translator &translator,
                                            gpu::DynamicSharedMemoryOp op) {
  for (const Local &local : translator.program.locals)
    if (!local.type.hasStaticShape()) {
      translator.bind(op.getResult(), local.slot);
      return success();
    }
  translator.program.locals.push_back(
      {translator.define(op.getResult()), op.getType(), Space::Workgroup,
       "dynamic shared memory of " + translator.program.name});
  return success();
}

/// Comments alone, of which nothing runs.
static LogicalResult translateComment(Translator &, LLVM::InlineAsmOp op) {
  StringRef text = op.getAsmString();
  if (text.starts_with("//") && !text.contains('\n') &&
      op->getNumOperands() + op->getNumResults() == 0)
    return success();
  return op.emitOpError("expected one comment, got '") << text << "'";
}

void simulator::addThreadOps(OpTable &table) {
  addNumbers(table);
  table.add<gpu::BarrierOp>(translateBarrier);
  table.add<gpu::ShuffleOp>(translateShuffle);
  table.add<gpu::SubgroupReduceOp>(translateSubgroupReduce);
  table.add<gpu::AllReduceOp>(translateAllReduce);
  table.add<gpu::DynamicSharedMemoryOp>(translateDynamicShared);
  table.add<LLVM::InlineAsmOp>(translateComment);
}
