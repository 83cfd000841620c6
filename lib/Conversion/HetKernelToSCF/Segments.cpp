//===- Segments.cpp - where the segments of a traversal live --------------===//

#include "Segments.h"
#include "RGNN/Dialect/HetKernel/Utils/Loops.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::hetkernel;

/// The size of an array that some loop reads at its inner row, or of an output
/// that a segment fills, since a size is known without reading memory; else
/// what the last entry of the segments says.
Value InnerRowCount::get(ImplicitLocOpBuilder &builder) {
  if (count)
    return count;
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
    count = memref::DimOp::create(builder, array, 0);
  else
    count = loadIndex(builder, traverse.getSegments(), traverse.getRows());
  return count;
}

static Value allocateSegment(ImplicitLocOpBuilder &builder, Type element,
                             InnerRowCount &innerRows) {
  SmallVector<int64_t> shape = {ShapedType::kDynamic};
  if (auto vector = dyn_cast<VectorType>(element)) {
    llvm::append_range(shape, vector.getShape());
    element = vector.getElementType();
  }
  return memref::AllocOp::create(builder, MemRefType::get(shape, element),
                                 innerRows.get(builder),
                                 builder.getI64IntegerAttr(64));
}

SegmentPlaces::SegmentPlaces(ImplicitLocOpBuilder &builder, TraverseOp traverse,
                             InnerRowCount &innerRows) {
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
      SmallVector<SegmentPlace, 1> &held = places[result];
      if (!held.empty() && held.front().lists.empty())
        continue;
      temporaries.push_back(
          allocateSegment(builder, segment.getElement(), innerRows));
      held.insert(held.begin(), {temporaries.back(), {}});
    }
}

ArrayRef<SegmentPlace> SegmentPlaces::get(Value segment) const {
  auto it = places.find(segment);
  return it == places.end() ? ArrayRef<SegmentPlace>() : it->second;
}
