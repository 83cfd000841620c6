//===- MergeLaunches.cpp - independent launches as one --------------------===//
//
// LaunchDependences.cpp says which launches wait for which, LaunchOrder.cpp
// which become one: its blocks are the blocks of each after those of the other.
//
//===----------------------------------------------------------------------===//

#include "RGNN/Dialect/GPU/Analysis/LaunchDependences.h"
#include "RGNN/Dialect/GPU/Transforms/Passes.h"
#include "RGNN/Dialect/GPU/Utils/Launch.h"
#include "RGNN/Dialect/GPU/Utils/SharedSlots.h"
#include "RGNN/Support/Remarks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::rgnn {
#define GEN_PASS_DEF_RGNNMERGELAUNCHESPASS
#include "RGNN/Dialect/GPU/Transforms/Passes.h.inc"
} // namespace mlir::rgnn

using namespace mlir;
using namespace mlir::rgnn;

/// Moves the body of `launch` to where `builder` stands, as that of its block
/// number `block` and thread number `thread`.
static void inlineBody(ImplicitLocOpBuilder &builder, gpu::LaunchOp launch,
                       Value block, Value thread) {
  auto replace = [](gpu::KernelDim3 values, ArrayRef<Value> by) {
    values.x.replaceAllUsesWith(by[0]);
    values.y.replaceAllUsesWith(by[1]);
    values.z.replaceAllUsesWith(by[2]);
  };
  // The first dimension changes first.
  auto split = [&](Value number, const gpu::KernelDim3 &sizes) {
    SmallVector<Value> indices =
        delinearize(builder, number, {sizes.z, sizes.y, sizes.x});
    return SmallVector<Value>(llvm::reverse(indices));
  };
  gpu::KernelDim3 grid = launch.getGridSizeOperandValues(),
                  threads = launch.getBlockSizeOperandValues();
  replace(launch.getBlockIds(), split(block, grid));
  replace(launch.getThreadIds(), split(thread, threads));
  replace(launch.getGridSize(), {grid.x, grid.y, grid.z});
  replace(launch.getBlockSize(), {threads.x, threads.y, threads.z});
  Block &body = launch.getBody().front();
  body.getTerminator()->erase();
  builder.getInsertionBlock()->getOperations().splice(
      builder.getInsertionPoint(), body.getOperations());
}

/// Ends the code of a unit by a comment that no other has. What is alike in two
/// units would become one, by MLIR's canonicalization or LLVM, and what they
/// differ in would be in registers from where they part on.
static void preventMerging(ImplicitLocOpBuilder &builder, int64_t number) {
  std::string text = "// the end of part " + std::to_string(number);
  LLVM::InlineAsmOp::create(builder, TypeRange(), ValueRange(), text,
                            /*constraints=*/"",
                            /*has_side_effects=*/true, /*is_align_stack=*/false,
                            LLVM::tailcallkind::TailCallKind::None,
                            LLVM::AsmDialectAttr(), ArrayAttr());
}

/// The same for the unit whose blocks hold number `block`. Those of each end at
/// `ends`, those before the first at `begin`; `first` is the first's number.
static void inlineBodies(ImplicitLocOpBuilder &builder,
                         ArrayRef<DependentLaunch *> units, int64_t first,
                         ArrayRef<Value> ends, Value begin, Value block,
                         Value thread) {
  if (units.size() == 1) {
    Value own = builder.createOrFold<arith::SubIOp>(block, begin);
    inlineBody(builder, units.front()->launch, own, thread);
    return preventMerging(builder, first);
  }
  size_t half = units.size() / 2;
  Value middle = ends[half - 1];
  Value isBefore =
      arith::CmpIOp::create(builder, arith::CmpIPredicate::ult, block, middle);
  auto choice = scf::IfOp::create(builder, isBefore, /*withElseRegion=*/true);
  builder.setInsertionPointToStart(choice.thenBlock());
  inlineBodies(builder, units.take_front(half), first, ends.take_front(half),
               begin, block, thread);
  builder.setInsertionPointToStart(choice.elseBlock());
  inlineBodies(builder, units.drop_front(half), first + half,
               ends.drop_front(half), middle, block, thread);
}

/// Puts what each unit keeps in shared memory in one slots.
static void shareMemory(ImplicitLocOpBuilder &builder, gpu::LaunchOp merged,
                        ArrayRef<DependentLaunch *> units) {
  SharedSlots slots;
  for (DependentLaunch *unit : units)
    slots.add(unit->shared);
  llvm::DenseMap<Type, SmallVector<Value>> buffers;
  for (const auto &[type, sizes] : slots.getSizes())
    for (int64_t size : sizes)
      buffers[type].push_back(
          addSharedBuffer(merged, size, type, builder.getLoc()));
  for (DependentLaunch *unit : units)
    for (auto [shared, type, number] :
         llvm::zip(unit->launch.getWorkgroupAttributions(), unit->shared,
                   SharedSlots::assign(unit->shared))) {
      Value buffer = buffers[type.getElementType()][number];
      auto [strides, offset] = type.getStridesAndOffset();
      Value(shared).replaceAllUsesWith(memref::ReinterpretCastOp::create(
          builder, type, buffer, offset, type.getShape(), strides));
    }
}

static void merge(Operation *end, ArrayRef<DependentLaunch *> units) {
  if (units.size() == 1)
    return units.front()->op->moveBefore(end);
  auto locations =
      llvm::map_to_vector(units, [](DependentLaunch *unit) -> Location {
        return unit->launch.getLoc();
      });
  ImplicitLocOpBuilder builder(Builder(end).getFusedLoc(locations), end);
  Value one = arith::ConstantIndexOp::create(builder, 1),
        zero = arith::ConstantIndexOp::create(builder, 0), total = zero;
  SmallVector<Value> ends;
  for (DependentLaunch *unit : units) {
    gpu::KernelDim3 grid = unit->launch.getGridSizeOperandValues();
    total = builder.createOrFold<arith::AddIOp>(
        total, multiply(builder, {grid.x, grid.y, grid.z}));
    ends.push_back(total);
  }
  gpu::LaunchOp merged = enterLaunch(builder, {total, one, one},
                                     {units.front()->numThreads, 1, 1});
  shareMemory(builder, merged, units);
  inlineBodies(builder, units, /*first=*/0, ends, zero, merged.getBlockIds().x,
               merged.getThreadIds().x);
  for (DependentLaunch *unit : units)
    unit->op->erase();
}

/// Returns how many launches there are fewer.
static int64_t mergeLaunches(func::FuncOp function) {
  FailureOr<LaunchDependences> dependences =
      LaunchDependences::compute(function);
  if (failed(dependences) || dependences->launches.size() < 2)
    return 0;
  MutableArrayRef<DependentLaunch> units = dependences->launches;
  // The host knows all sizes from the start.
  for (Operation *op : dependences->hostOps)
    op->moveBefore(units.front().op);
  Operation *end = function.getBody().front().getTerminator();
  llvm::BitVector done(units.size());
  // What no launch uses any more.
  auto freeUnused = [&] {
    llvm::erase_if(dependences->deallocs, [&](memref::DeallocOp dealloc) {
      Value buffer = dealloc.getMemref();
      bool isUsed = llvm::any_of(llvm::enumerate(units), [&](const auto &unit) {
        return !done[unit.index()] && unit.value().accesses.use(buffer);
      });
      if (!isUsed)
        dealloc->moveBefore(end);
      return !isUsed;
    });
  };
  int64_t numMerged = 0;
  for (ArrayRef<size_t> numbers : dependences->order()) {
    freeUnused();
    merge(end, llvm::map_to_vector(
                   numbers, [&](size_t number) { return &units[number]; }));
    numMerged += numbers.size() - 1;
    for (size_t number : numbers)
      done.set(number);
  }
  freeUnused();
  return numMerged;
}

namespace {

struct MergeLaunchesPass
    : rgnn::impl::RGNNMergeLaunchesPassBase<MergeLaunchesPass> {
  void runOnOperation() override {
    int64_t numMerged = mergeLaunches(getOperation()), numLaunches = 0;
    getOperation().walk([&](gpu::LaunchOp) { ++numLaunches; });
    reportCounts(getOperation(), getArgument(),
                 {{"num-launches", numLaunches}, {"num-merged", numMerged}});
  }
};

} // namespace
