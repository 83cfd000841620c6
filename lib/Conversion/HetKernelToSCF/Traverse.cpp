//===- Traverse.cpp - hetkernel.traverse as loops over rows ---------------===//

#include "RGNN/Conversion/HetKernelToSCF/HetKernelToSCF.h"
#include "RGNN/Dialect/HetKernel/Utils/Loops.h"
#include "RowAccess.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"

using namespace mlir;
using namespace mlir::hetkernel;

namespace {

/// A buffer that holds a segment. Lists lead from an inner row to its place.
struct Place {
  Value buffer;
  SmallVector<Value, 1> lists;
};

class TraverseLowering {
public:
  TraverseLowering(TraverseOp traverse, int64_t serialBelow,
                   int64_t &numTemporaries)
      : traverse(traverse), schedule(*traverse.getSchedule()),
        builder(traverse.getLoc(), traverse), serialBelow(serialBelow),
        numTemporaries(numTemporaries) {}

  scf::ForallOp run();

private:
  /// Whether few elements are computed; null where it is no matter, or depends
  /// on which rows loops are over.
  Value isSerial();
  /// Enters the parallel loop over ranges of outer rows.
  TaskRange enterRanges();
  /// Decides where each kept segment lives: an output, or a buffer of its own.
  void placeSegments();
  Value allocateSegment(Type element);
  Value allocateAccumulator(Type row);
  Value getInnerRows();
  /// The first and the last (not included) inner row of `outer`.
  TaskRange getInnerRange(Value outer);
  /// Where the value of inner row `inner` of `segment` is in `place`.
  Value getPosition(Value segment, const Place &place, Value inner);
  /// Moves what does not depend on a loop before it, rows included.
  void hoist(Region &loop);
  void lowerForEach(ForEachOp loop);
  /// What lookups make of inner row `ahead`, where they make `index` of
  /// `inner`; null for other indices.
  Value lookUpAhead(Value index, Value inner, Value ahead);
  /// Asks for the rows that later iterations look up.
  void prefetchRows(scf::ForOp loop);
  Value loadElement(ElementOp element);
  void lowerAccesses(Block &body);

  TraverseOp traverse;
  TraverseScheduleAttr schedule;
  ImplicitLocOpBuilder builder;
  int64_t serialBelow;
  int64_t &numTemporaries;

  RowAccess rows;
  /// Every buffer that holds a segment; the first is read by later loops.
  DenseMap<Value, SmallVector<Place, 1>> places;
  SmallVector<Value> temporaries;
  Value innerRows;
  /// The last inner row of all, where rows are asked for ahead.
  Value lastInner;
  DenseMap<Value, TaskRange> innerRanges;
  scf::ForOp rowLoop;
  SmallVector<scf::ForOp> innerLoops;
  /// The current outer row, and the first inner row of its task.
  Value row, taskBegin;
  /// What leads from an inner row of `row` to its position in a temporary.
  Value shift;
};

} // namespace

/// The number of inner rows: the size of an array that some loop reads at its
/// inner row, or of an output that a segment fills, since a size is known
/// without reading memory; else what the last entry of the segments says.
Value TraverseLowering::getInnerRows() {
  if (innerRows)
    return innerRows;
  auto isInner = [](Value index) {
    auto argument = dyn_cast<BlockArgument>(index);
    return argument && argument.getArgNumber() == 0 &&
           isa<ForEachOp>(argument.getOwner()->getParentOp());
  };
  Value array;
  traverse.getBody().walk([&](Operation *op) {
    if (auto lookup = dyn_cast<LookupOp>(op);
        lookup && isInner(lookup.getIndex()))
      array = lookup.getView();
    else if (auto row = dyn_cast<RowOp>(op); row && !array &&
                                             !row.getIndices().empty() &&
                                             isInner(row.getIndices().front()))
      array = row.getSource();
    return array && isa<LookupOp>(op) ? WalkResult::interrupt()
                                      : WalkResult::advance();
  });
  auto yield = cast<YieldOp>(traverse.getBody().front().getTerminator());
  for (auto [value, out] : llvm::zip(yield.getValues(), traverse.getOuts()))
    if (!array && isa<SegmentType>(value.getType()))
      array = out;
  if (array && !traverse.getBody().isAncestor(array.getParentRegion()))
    innerRows = memref::DimOp::create(builder, array, 0);
  else
    innerRows = loadIndex(builder, traverse.getSegments(), traverse.getRows());
  return innerRows;
}

Value TraverseLowering::allocateSegment(Type element) {
  SmallVector<int64_t> shape = {ShapedType::kDynamic};
  if (auto vector = dyn_cast<VectorType>(element)) {
    llvm::append_range(shape, vector.getShape());
    element = vector.getElementType();
  }
  ++numTemporaries;
  return memref::AllocOp::create(builder, MemRefType::get(shape, element),
                                 getInnerRows(), builder.getI64IntegerAttr(64));
}

void TraverseLowering::placeSegments() {
  auto yield = cast<YieldOp>(traverse.getBody().front().getTerminator());
  for (auto [value, out] : llvm::zip(yield.getValues(), traverse.getOuts()))
    if (auto scatter = value.getDefiningOp<ScatterOp>())
      places[scatter.getSegment()].push_back({out, scatter.getLists()});
    else if (isa<SegmentType>(value.getType()))
      places[value].push_back({out, {}});
  // Later loops read inner rows one after another, never at other places.
  for (ForEachOp loop : traverse.getBody().getOps<ForEachOp>())
    for (Value result : loop.getResults()) {
      auto segment = dyn_cast<SegmentType>(result.getType());
      if (!segment ||
          llvm::none_of(result.getUsers(), llvm::IsaPred<ElementOp>))
        continue;
      SmallVector<Place, 1> &held = places[result];
      if (!held.empty() && held.front().lists.empty())
        continue;
      temporaries.push_back(allocateSegment(segment.getElement()));
      held.insert(held.begin(), {temporaries.back(), {}});
    }
}

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

Value TraverseLowering::isSerial() {
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
    work = arith::AddIOp::create(builder, work, times(getInnerRows(), inner));
  return isBelow(builder, work, serialBelow);
}

TaskRange TraverseLowering::enterRanges() {
  int64_t taskRows = schedule.getTaskRows();
  Value segments = traverse.getSegments();
  Value serial = isSerial();
  if (schedule.getMapping() == Mapping::Vertex || !segments)
    return enterTasks(builder, traverse.getRows(), taskRows, serial);
  return enterBalancedTasks(builder, traverse.getRows(), segments,
                            getInnerRows(), taskRows, serial);
}

void TraverseLowering::hoist(Region &loop) {
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

TaskRange TraverseLowering::getInnerRange(Value outer) {
  TaskRange &range = innerRanges[outer];
  if (!range.begin) {
    Value next = arith::AddIOp::create(builder, outer, createIndex(builder, 1));
    range = {loadIndex(builder, traverse.getSegments(), outer),
             loadIndex(builder, traverse.getSegments(), next)};
    if (outer == row && !temporaries.empty())
      shift = arith::SubIOp::create(builder, taskBegin, range.begin);
  }
  return range;
}

/// A temporary is as long as all inner rows, so that tasks share none of it.
/// But a task needs it for one outer row at a time, and starts each at the same
/// place: what it keeps stays in the cache, and most of the pages are never
/// touched.
Value TraverseLowering::getPosition(Value segment, const Place &place,
                                    Value inner) {
  for (Value list : place.lists)
    inner = loadIndex(builder, list, inner);
  bool isOwn = segment.getDefiningOp<ForEachOp>().getOuter() == row;
  if (!isOwn || !llvm::is_contained(temporaries, place.buffer))
    return inner;
  return arith::AddIOp::create(builder, inner, shift);
}

static bool isEmptyRow(Type row) {
  auto vector = dyn_cast<VectorType>(row);
  return vector && vector.getNumElements() == 0;
}

Value TraverseLowering::allocateAccumulator(Type row) {
  SmallVector<int64_t> shape;
  if (auto vector = dyn_cast<VectorType>(row))
    llvm::append_range(shape, vector.getShape());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(rowLoop);
  return memref::AllocaOp::create(
      builder, MemRefType::get(shape, getElementTypeOrSelf(row)),
      builder.getI64IntegerAttr(64));
}

Value TraverseLowering::lookUpAhead(Value index, Value inner, Value ahead) {
  if (index == inner)
    return ahead;
  auto lookup = index.getDefiningOp<LookupOp>();
  Value place = lookup ? lookUpAhead(lookup.getIndex(), inner, ahead) : Value();
  return place ? loadIndex(builder, lookup.getView(), place) : Value();
}

void TraverseLowering::prefetchRows(scf::ForOp loop) {
  if (!lastInner)
    return;
  builder.setInsertionPointToStart(loop.getBody());
  Value inner = loop.getInductionVar(), ahead;
  DenseMap<Value, Value> places;
  for (RowOp row : loop.getBody()->getOps<RowOp>()) {
    auto type = dyn_cast<VectorType>(row.getType());
    if (!type || row.getIndices().size() != 1 ||
        !row.getIndices().front().getDefiningOp<LookupOp>() ||
        type.getNumElements() * type.getElementTypeBitWidth() < kCacheLineBits)
      continue;
    // Beyond the loop's end come the inner rows of the next outer rows.
    if (!ahead)
      ahead = arith::MinUIOp::create(
          builder,
          arith::AddIOp::create(builder, inner,
                                createIndex(builder, schedule.getPrefetch())),
          lastInner);
    Value &place = places[row.getIndices().front()];
    if (!place)
      place = lookUpAhead(row.getIndices().front(), inner, ahead);
    if (place)
      rows.prefetch(builder, row.getSource(), place, type);
  }
}

void TraverseLowering::lowerForEach(ForEachOp loop) {
  builder.setInsertionPoint(loop);
  // Loops are lowered in their order in one block, so the first one's range
  // serves all.
  auto [begin, end] = getInnerRange(loop.getOuter());
  // Accumulators are values of the loop, or buffers beside it.
  size_t numAccumulators = loop.getInits().size();
  SmallVector<Value> carried(loop.getInits()), buffers;
  if (!schedule.getPartialAggregation() &&
      llvm::none_of(loop.getInits().getTypes(), isEmptyRow))
    for (Value init : std::exchange(carried, {})) {
      buffers.push_back(allocateAccumulator(init.getType()));
      rows.store(builder, init, buffers.back(), {});
    }
  auto lowered =
      scf::ForOp::create(builder, begin, end, createIndex(builder, 1), carried);
  innerLoops.push_back(lowered);
  // A loop without accumulators comes with a terminator.
  if (!lowered.getBody()->empty())
    lowered.getBody()->getTerminator()->erase();
  builder.setInsertionPointToStart(lowered.getBody());
  SmallVector<Value> arguments(lowered.getBody()->getArguments());
  for (auto [buffer, init] : llvm::zip(buffers, loop.getInits()))
    arguments.push_back(rows.load(builder, buffer, {}, init.getType()));
  Block &body = loop.getBody().front();
  for (auto [from, to] : llvm::zip(body.getArguments(), arguments))
    from.replaceAllUsesWith(to);
  lowered.getBody()->getOperations().splice(lowered.getBody()->end(),
                                            body.getOperations());

  prefetchRows(lowered);

  auto yield = cast<YieldOp>(lowered.getBody()->getTerminator());
  builder.setInsertionPoint(yield);
  for (auto [value, result] : llvm::drop_begin(
           llvm::zip(yield.getValues(), loop.getResults()), numAccumulators))
    for (const Place &place : places.lookup(result))
      rows.store(builder, value, place.buffer,
                 getPosition(result, place, lowered.getInductionVar()));
  for (auto [value, buffer] : llvm::zip(yield.getValues(), buffers))
    rows.store(builder, value, buffer, {});
  scf::YieldOp::create(builder, yield.getValues().take_front(carried.size()));
  yield.erase();

  builder.setInsertionPointAfter(lowered);
  SmallVector<Value> results(lowered.getResults());
  for (auto [buffer, init] : llvm::zip(buffers, loop.getInits()))
    results.push_back(rows.load(builder, buffer, {}, init.getType()));
  for (auto [result, value] : llvm::zip(loop.getResults(), results))
    result.replaceAllUsesWith(value);
}

Value TraverseLowering::loadElement(ElementOp element) {
  Value segment = element.getSegment();
  Place place = places.lookup(segment).front();
  return rows.load(builder, place.buffer,
                   getPosition(segment, place, element.getIndex()),
                   element.getType());
}

void TraverseLowering::lowerAccesses(Block &body) {
  body.walk([&](Operation *op) {
    builder.setInsertionPoint(op);
    Value value;
    if (auto row = dyn_cast<RowOp>(op))
      value =
          rows.load(builder, row.getSource(), row.getIndices(), row.getType());
    else if (auto lookup = dyn_cast<LookupOp>(op))
      value = loadIndex(builder, lookup.getView(), lookup.getIndex());
    else if (auto element = dyn_cast<ElementOp>(op))
      value = loadElement(element);
    else
      return;
    op->getResult(0).replaceAllUsesWith(value);
    op->erase();
  });
}

scf::ForallOp TraverseLowering::run() {
  placeSegments();
  if (schedule.getPrefetch() != 0 && traverse.getSegments())
    lastInner = arith::SubIOp::create(
        builder, loadIndex(builder, traverse.getSegments(), traverse.getRows()),
        createIndex(builder, 1));
  TaskRange range = enterRanges();
  if (!temporaries.empty())
    taskBegin = loadIndex(builder, traverse.getSegments(), range.begin);
  row = enterLoop(builder, range.begin, range.end, 1);
  rowLoop = cast<scf::ForOp>(row.getParentRegion()->getParentOp());
  auto tasks = cast<scf::ForallOp>(rowLoop->getParentOp());
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

  auto loops = llvm::to_vector(rowLoop.getBody()->getOps<ForEachOp>());
  if (schedule.getHoisting()) {
    for (ForEachOp forEach : loops)
      hoist(forEach.getBody());
    hoist(rowLoop.getRegion());
  }
  for (ForEachOp forEach : loops)
    lowerForEach(forEach);
  // From the task's body on, where hoisted rows are.
  lowerAccesses(*rowLoop->getBlock());
  for (ForEachOp forEach : llvm::reverse(loops))
    forEach.erase();
  if (schedule.getCoarsening() > 1)
    for (scf::ForOp inner : innerLoops)
      (void)loopUnrollByFactor(inner, schedule.getCoarsening());

  builder.setInsertionPoint(traverse);
  for (Value temporary : temporaries)
    memref::DeallocOp::create(builder, temporary);
  traverse.erase();
  return tasks;
}

FailureOr<scf::ForallOp> hetkernel::lowerTraverse(TraverseOp traverse,
                                                  int64_t serialBelow,
                                                  int64_t &numTemporaries) {
  if (!traverse.getSchedule())
    return traverse.emitOpError("expected a schedule, got none");
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
  return TraverseLowering(traverse, serialBelow, numTemporaries).run();
}
