//===- Traverse.cpp - hetkernel.traverse as loops over rows ---------------===//

#include "InnerLoops.h"
#include "Lowering.h"
#include "RGNN/Conversion/HetKernelToSCF/HetKernelToSCF.h"
#include "RGNN/Dialect/HetKernel/Utils/Loops.h"
#include "RGNN/Dialect/HetKernel/Utils/Schedules.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"

using namespace mlir;
using namespace mlir::hetkernel;

//===----------------------------------------------------------------------===//
// Loops over outer rows
//===----------------------------------------------------------------------===//

static int64_t countElements(Block &block) {
  int64_t elements = 0;
  for (Operation &op : block)
    for (Type type : op.getResultTypes())
      if (auto vector = dyn_cast<VectorType>(type))
        elements += vector.getNumElements();
      else
        ++elements;
  return elements;
}

/// Whether few elements are computed; null where it is no matter, or depends on
/// which rows loops are over.
static Value isSerial(ImplicitLocOpBuilder &builder, TraverseOp traverse,
                      InnerRowCount &innerRows, int64_t serialBelow) {
  if (serialBelow == 0)
    return {};
  Block &body = traverse.getBody().front();
  auto times = [&](Value rows, int64_t elements) {
    return arith::MulIOp::create(builder, rows, createIndex(builder, elements));
  };
  Value work = times(traverse.getRows(), countElements(body));
  int64_t inner = 0;
  for (ForEachOp loop : body.getOps<ForEachOp>()) {
    if (loop.getOuter() != body.getArgument(0))
      return {};
    inner += countElements(loop.getBody().front());
  }
  if (inner != 0)
    work = arith::AddIOp::create(builder, work,
                                 times(innerRows.get(builder), inner));
  return isBelow(builder, work, serialBelow);
}

/// Enters the parallel loop over ranges of outer rows.
static TaskRange enterRanges(ImplicitLocOpBuilder &builder, TraverseOp traverse,
                             InnerRowCount &innerRows,
                             const TraverseLoops &loops) {
  Value segments = traverse.getSegments();
  Value serial = isSerial(builder, traverse, innerRows, loops.serialBelow);
  if (loops.mapping == Mapping::Vertex || !segments)
    return enterTasks(builder, traverse.getRows(), loops.taskRows, serial);
  return enterBalancedTasks(builder, traverse.getRows(), segments,
                            innerRows.get(builder), loops.taskRows, serial);
}

/// Enters the loops over tasks and their rows.
static OuterLoops enterOuterLoops(ImplicitLocOpBuilder &builder,
                                  TraverseOp traverse, InnerRowCount &innerRows,
                                  const SegmentPlaces &segments,
                                  const TraverseLoops &options) {
  OuterLoops loops;
  if (options.prefetch != 0 && traverse.getSegments())
    loops.lastInner = arith::SubIOp::create(
        builder, loadIndex(builder, traverse.getSegments(), traverse.getRows()),
        createIndex(builder, 1));
  TaskRange range = enterRanges(builder, traverse, innerRows, options);
  if (!segments.getTemporaries().empty())
    loops.taskBegin = loadIndex(builder, traverse.getSegments(), range.begin);
  Value row = enterLoop(builder, range.begin, range.end, 1);
  loops.rows = cast<scf::ForOp>(row.getParentRegion()->getParentOp());
  loops.tasks = cast<scf::ForallOp>(loops.rows->getParentOp());
  return loops;
}

//===----------------------------------------------------------------------===//
// The body of a row
//===----------------------------------------------------------------------===//

/// Moves the region of the traversal into the loop over rows, which stores what
/// it yields for a row.
static void moveBody(ImplicitLocOpBuilder &builder, TraverseOp traverse,
                     scf::ForOp rowLoop, RowAccess &rows) {
  Value row = rowLoop.getInductionVar();
  Block &body = traverse.getBody().front();
  body.getArgument(0).replaceAllUsesWith(row);
  auto yield = cast<YieldOp>(body.getTerminator());
  rowLoop.getBody()->getOperations().splice(rowLoop.getBody()->begin(),
                                            body.getOperations());
  builder.setInsertionPoint(yield);
  for (auto [value, out] : llvm::zip(yield.getValues(), traverse.getOuts()))
    if (!isa<SegmentType>(value.getType()))
      rows.store(builder, value, out, row);
  yield.erase();
  for (ScatterOp scatter :
       llvm::make_early_inc_range(rowLoop.getBody()->getOps<ScatterOp>()))
    scatter.erase();
}

/// Moves what does not depend on a loop before it, rows included.
static void hoist(TraverseOp traverse, Region &loop) {
  auto isOutside = [](Value value, Region *region) {
    return !region->isAncestor(value.getParentRegion());
  };
  auto isMovable = [&](Operation *op, Region *) {
    if (auto row = dyn_cast<RowOp>(op))
      return !llvm::is_contained(traverse.getOuts(), row.getSource());
    if (isa<LookupOp>(op))
      return true;
    return op->getNumRegions() == 0 && !isa<ElementOp>(op) &&
           isMemoryEffectFree(op) && isSpeculatable(op);
  };
  auto move = [](Operation *op, Region *region) {
    op->moveBefore(region->getParentOp());
  };
  moveLoopInvariantCode(&loop, isOutside, isMovable, move);
}

static scf::ForallOp lower(TraverseOp traverse, const TraverseLoops &options,
                           int64_t &numTemporaries) {
  ImplicitLocOpBuilder builder(traverse.getLoc(), traverse);
  InnerRowCount innerRows(traverse);
  SegmentPlaces segments(builder, traverse, innerRows);
  numTemporaries += segments.getTemporaries().size();
  OuterLoops outer =
      enterOuterLoops(builder, traverse, innerRows, segments, options);
  RowAccess rows;
  moveBody(builder, traverse, outer.rows, rows);

  auto loops = llvm::to_vector(outer.rows.getBody()->getOps<ForEachOp>());
  if (options.hoisting) {
    for (ForEachOp loop : loops)
      hoist(traverse, loop.getBody());
    hoist(traverse, outer.rows.getRegion());
  }
  InnerLoops inner(traverse, options, segments, outer, rows);
  for (ForEachOp loop : loops)
    inner.lower(loop);
  // From the task's body on, where hoisted rows are.
  inner.lowerAccesses(*outer.rows->getBlock());
  for (ForEachOp loop : llvm::reverse(loops))
    loop.erase();
  inner.unroll();

  builder.setInsertionPoint(traverse);
  for (Value temporary : segments.getTemporaries())
    memref::DeallocOp::create(builder, temporary);
  traverse.erase();
  return outer.tasks;
}

FailureOr<scf::ForallOp> hetkernel::lowerTraverse(TraverseOp traverse,
                                                  const TraverseLoops &loops,
                                                  int64_t &numTemporaries) {
  for (Value out : traverse.getOuts())
    if (failed(RowAccess::verify(traverse, out, 1)))
      return failure();
  auto walk = traverse.walk([](RowOp row) {
    return failed(
               RowAccess::verify(row, row.getSource(), row.getIndices().size()))
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  if (walk.wasInterrupted())
    return failure();
  return lower(traverse, loops, numTemporaries);
}

LogicalResult hetkernel::lowerTraverse(TraverseOp traverse, int64_t serialBelow,
                                       int64_t &numTemporaries) {
  auto schedule = expectSchedule<CPUTraverseScheduleAttr>(traverse);
  if (failed(schedule))
    return failure();
  TraverseLoops loops{schedule->getTaskRows(),
                      schedule->getMapping(),
                      schedule->getCoarsening(),
                      schedule->getHoisting(),
                      schedule->getPartialAggregation(),
                      schedule->getPrefetch(),
                      serialBelow};
  return lowerTraverse(traverse, loops, numTemporaries);
}
