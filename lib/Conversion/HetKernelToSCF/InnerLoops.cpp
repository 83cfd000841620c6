//===- InnerLoops.cpp - loops over inner rows of a traversal --------------===//

#include "InnerLoops.h"
#include "RGNN/Dialect/HetKernel/Utils/Loops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"

using namespace mlir;
using namespace mlir::hetkernel;

InnerLoops::Range InnerLoops::getRange(Value outerRow) {
  Range &range = ranges[outerRow];
  if (!range.begin) {
    Value next =
        arith::AddIOp::create(builder, outerRow, createIndex(builder, 1));
    range.begin = loadIndex(builder, traverse.getSegments(), outerRow);
    range.end = loadIndex(builder, traverse.getSegments(), next);
    if (outerRow == getOuterRow() && outer.taskBegin)
      range.shift =
          arith::SubIOp::create(builder, outer.taskBegin, range.begin);
  }
  return range;
}

/// A temporary is as long as all inner rows, so that tasks share none of it.
/// But a task needs it for one outer row at a time, and starts each at the same
/// place: what it keeps stays in the cache, and most of the pages are never
/// touched.
Value InnerLoops::getPosition(Value segment, const SegmentPlace &place,
                              Value inner) {
  for (Value list : place.lists)
    inner = loadIndex(builder, list, inner);
  Value outerRow = segment.getDefiningOp<ForEachOp>().getOuter();
  if (outerRow != getOuterRow() ||
      !llvm::is_contained(segments.getTemporaries(), place.buffer))
    return inner;
  return arith::AddIOp::create(builder, inner, ranges.at(outerRow).shift);
}

static bool isEmptyRow(Type row) {
  auto vector = dyn_cast<VectorType>(row);
  return vector && vector.getNumElements() == 0;
}

Value InnerLoops::allocateAccumulator(Type row) {
  SmallVector<int64_t> shape;
  if (auto vector = dyn_cast<VectorType>(row))
    llvm::append_range(shape, vector.getShape());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(outer.rows);
  return memref::AllocaOp::create(
      builder, MemRefType::get(shape, getElementTypeOrSelf(row)),
      builder.getI64IntegerAttr(64));
}

Value InnerLoops::lookUpAhead(Value index, Value inner, Value ahead) {
  if (index == inner)
    return ahead;
  auto lookup = index.getDefiningOp<LookupOp>();
  Value place = lookup ? lookUpAhead(lookup.getIndex(), inner, ahead) : Value();
  return place ? loadIndex(builder, lookup.getView(), place) : Value();
}

void InnerLoops::prefetchRows(scf::ForOp loop) {
  if (!outer.lastInner)
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
                                createIndex(builder, options.prefetch)),
          outer.lastInner);
    Value &place = places[row.getIndices().front()];
    if (!place)
      place = lookUpAhead(row.getIndices().front(), inner, ahead);
    if (place)
      rows.prefetch(builder, row.getSource(), place, type);
  }
}

void InnerLoops::lower(ForEachOp loop) {
  builder.setInsertionPoint(loop);
  // Loops are lowered in their order in one block, so the first one's range
  // serves all.
  Range range = getRange(loop.getOuter());
  // Accumulators are values of the loop, or buffers beside it.
  size_t numAccumulators = loop.getInits().size();
  SmallVector<Value> carried(loop.getInits()), buffers;
  if (!options.partialAggregation &&
      llvm::none_of(loop.getInits().getTypes(), isEmptyRow))
    for (Value init : std::exchange(carried, {})) {
      buffers.push_back(allocateAccumulator(init.getType()));
      rows.store(builder, init, buffers.back(), {});
    }
  auto inner = scf::ForOp::create(builder, range.begin, range.end,
                                  createIndex(builder, 1), carried);
  lowered.push_back(inner);
  // A loop without accumulators comes with a terminator.
  if (!inner.getBody()->empty())
    inner.getBody()->getTerminator()->erase();
  builder.setInsertionPointToStart(inner.getBody());
  SmallVector<Value> arguments(inner.getBody()->getArguments());
  for (auto [buffer, init] : llvm::zip(buffers, loop.getInits()))
    arguments.push_back(rows.load(builder, buffer, {}, init.getType()));
  Block &body = loop.getBody().front();
  for (auto [from, to] : llvm::zip(body.getArguments(), arguments))
    from.replaceAllUsesWith(to);
  inner.getBody()->getOperations().splice(inner.getBody()->end(),
                                          body.getOperations());

  prefetchRows(inner);

  auto yield = cast<YieldOp>(inner.getBody()->getTerminator());
  builder.setInsertionPoint(yield);
  for (auto [value, result] : llvm::drop_begin(
           llvm::zip(yield.getValues(), loop.getResults()), numAccumulators))
    for (const SegmentPlace &place : segments.get(result))
      rows.store(builder, value, place.buffer,
                 getPosition(result, place, inner.getInductionVar()));
  for (auto [value, buffer] : llvm::zip(yield.getValues(), buffers))
    rows.store(builder, value, buffer, {});
  scf::YieldOp::create(builder, yield.getValues().take_front(carried.size()));
  yield.erase();

  builder.setInsertionPointAfter(inner);
  SmallVector<Value> results(inner.getResults());
  for (auto [buffer, init] : llvm::zip(buffers, loop.getInits()))
    results.push_back(rows.load(builder, buffer, {}, init.getType()));
  for (auto [result, value] : llvm::zip(loop.getResults(), results))
    result.replaceAllUsesWith(value);
}

Value InnerLoops::loadElement(ElementOp element) {
  Value segment = element.getSegment();
  const SegmentPlace &place = segments.get(segment).front();
  return rows.load(builder, place.buffer,
                   getPosition(segment, place, element.getIndex()),
                   element.getType());
}

void InnerLoops::lowerAccesses(Block &body) {
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

void InnerLoops::unroll() {
  if (options.coarsening > 1)
    for (scf::ForOp loop : lowered)
      (void)loopUnrollByFactor(loop, options.coarsening);
}
