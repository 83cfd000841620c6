//===- GroupLoops.cpp - parallel loops that run at the same time ----------===//
//
// Ops get levels: a parallel loop is on a level above all loops that it waits
// for. Loops of a level are put side by side, and whatever is no loop comes as
// late as it can, so that temporaries live no longer than they have to.
//
//===----------------------------------------------------------------------===//

#include "RGNN/Analysis/BufferAccess.h"
#include "RGNN/Dialect/RGNN/IR/DiscardableAttributes.h"
#include "RGNN/Support/Remarks.h"
#include "RGNN/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

#include <deque>

namespace mlir::rgnn {
#define GEN_PASS_DEF_RGNNGROUPLOOPSPASS
#include "RGNN/Transforms/Passes.h.inc"
} // namespace mlir::rgnn

using namespace mlir;
using namespace mlir::rgnn;

namespace {

/// An op of the function's block.
struct Step {
  Operation *op;
  bool isLoop;
  /// Where it is not known what the op accesses: all before come before it, and
  /// all behind it after.
  bool isBarrier = false;
  BufferAccesses accesses = {};
  /// The steps that it waits for.
  SmallVector<Step *> before = {};
  /// A loop comes after all that is no loop and has the same level.
  int64_t level = 0;
};

} // namespace

/// Whether a buffer is the caller's or allocated in the function, so that no
/// other shares its memory; or a constant.
static bool isRoot(Value buffer, func::FuncOp func, bool isWritten) {
  if (auto argument = dyn_cast<BlockArgument>(buffer))
    return argument.getOwner() == &func.getBody().front();
  Operation *op = buffer.getDefiningOp();
  return isa<memref::AllocOp, memref::AllocaOp>(op) ||
         (isa<memref::GetGlobalOp>(op) && !isWritten);
}

/// What `step` and the ops in its regions access, but for memory of their own.
static void describe(Step &step, func::FuncOp func) {
  BufferAccesses all;
  step.isBarrier = step.op
                       ->walk([&](Operation *inner) {
                         return succeeded(all.add(inner))
                                    ? WalkResult::advance()
                                    : WalkResult::interrupt();
                       })
                       .wasInterrupted();
  auto keep = [&](ArrayRef<BufferAccess> accesses,
                  SmallVectorImpl<BufferAccess> &kept) {
    for (BufferAccess access : accesses) {
      if (!isRoot(access.buffer, func, &kept == &step.accesses.writes))
        step.isBarrier = true;
      else if (!step.op->isAncestor(
                   access.buffer.getParentBlock()->getParentOp()))
        kept.push_back(access);
    }
  };
  keep(all.reads, step.accesses.reads);
  keep(all.writes, step.accesses.writes);
}

namespace {

/// Who has accessed each buffer so far, and which part of it.
class Accessed {
public:
  /// Adds to what `step` waits for all whose access meets this one.
  void findMet(const BufferAccess &access, Step &step) const {
    if (auto found = accesses.find(access.buffer); found != accesses.end())
      for (const auto &[other, part] : found->second)
        if (other != &step && access.meets(part))
          step.before.push_back(other);
  }
  void insert(const BufferAccess &access, Step &step) {
    accesses[access.buffer].push_back({&step, access});
  }

private:
  llvm::DenseMap<Value, SmallVector<std::pair<Step *, BufferAccess>>> accesses;
};

} // namespace

/// The steps of a block, each with those that it waits for. What is only read
/// costs nothing; otherwise O(n^2) of those that access the same buffer.
static std::deque<Step> findSteps(func::FuncOp func) {
  std::deque<Step> steps;
  llvm::DenseMap<Operation *, Step *> stepOf;
  Accessed read, written;
  Step *barrier = nullptr;
  for (Operation &op : func.getBody().front().without_terminator()) {
    Step &step = steps.emplace_back(
        Step{&op, isa<scf::ForallOp>(op) && op.getNumResults() == 0});
    stepOf[&op] = &step;
    describe(step, func);
    llvm::SetVector<Value> values(op.operand_begin(), op.operand_end());
    getUsedValuesDefinedAbove(op.getRegions(), values);
    for (Value value : values)
      if (Step *maker = stepOf.lookup(value.getDefiningOp()))
        step.before.push_back(maker);
    for (const BufferAccess &access : step.accesses.reads) {
      written.findMet(access, step);
      read.insert(access, step);
    }
    for (const BufferAccess &access : step.accesses.writes) {
      written.findMet(access, step);
      read.findMet(access, step);
      written.insert(access, step);
    }
    if (barrier)
      step.before.push_back(barrier);
    if (!step.isBarrier)
      continue;
    for (Step &other : llvm::drop_end(steps))
      step.before.push_back(&other);
    barrier = &step;
  }
  return steps;
}

/// Loops are as early as they can be, all else as late.
static void setLevels(std::deque<Step> &steps) {
  for (Step &step : steps)
    for (const Step *before : step.before)
      step.level = std::max(step.level, before->level + before->isLoop);
  llvm::DenseMap<const Step *, int64_t> latest;
  for (Step &step : llvm::reverse(steps)) {
    if (auto found = latest.find(&step); found != latest.end() && !step.isLoop)
      step.level = found->second;
    for (const Step *before : step.before) {
      auto [it, isNew] = latest.try_emplace(before, step.level);
      it->second = std::min(it->second, step.level);
    }
  }
}

namespace {

struct GroupLoopsPass : rgnn::impl::RGNNGroupLoopsPassBase<GroupLoopsPass> {
  void runOnOperation() override {
    func::FuncOp func = getOperation();
    if (!func.getBody().hasOneBlock())
      return;
    std::deque<Step> steps = findSteps(func);
    setLevels(steps);
    llvm::DenseMap<int64_t, int64_t> numLoops, groups;
    for (const Step &step : steps)
      numLoops[step.level] += step.isLoop;
    if (llvm::all_of(numLoops,
                     [](const auto &level) { return level.second < 2; }))
      return;
    auto order = llvm::map_to_vector(steps, [](Step &step) { return &step; });
    llvm::stable_sort(order, [](const Step *a, const Step *b) {
      return std::pair(a->level, a->isLoop) < std::pair(b->level, b->isLoop);
    });
    Builder builder(&getContext());
    int64_t numGrouped = 0;
    Operation *end = func.getBody().front().getTerminator();
    for (const Step *step : order) {
      step->op->moveBefore(end);
      if (!step->isLoop || numLoops[step->level] < 2)
        continue;
      int64_t group =
          groups.try_emplace(step->level, groups.size()).first->second;
      step->op->setAttr(kGroupAttr, builder.getI64IntegerAttr(group));
      ++numGrouped;
    }
    reportCounts(func, getArgument(),
                 {{"num-groups", static_cast<int64_t>(groups.size())},
                  {"num-grouped", numGrouped}});
  }
};

} // namespace
