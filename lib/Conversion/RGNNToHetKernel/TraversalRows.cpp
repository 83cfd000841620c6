//===- TraversalRows.cpp - values of the rows of a traversal --------------===//

#include "TraversalEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::rgnn;
using namespace mlir::hetkernel;

Type rgnn::getStoredType(Value value) {
  return getRowValueType(getRowShape(value.getType()),
                         getElementTypeOrSelf(value.getType()));
}

Type rgnn::getRowType(Value value) {
  return getComputeType(getStoredType(value));
}

Value rgnn::createSplat(OpBuilder &builder, Location loc, Type type,
                        double value) {
  TypedAttr attribute = builder.getFloatAttr(getElementTypeOrSelf(type), value);
  if (auto vector = dyn_cast<VectorType>(type))
    attribute = DenseElementsAttr::get(vector, attribute);
  return arith::ConstantOp::create(builder, loc, attribute);
}

Value rgnn::broadcast(OpBuilder &builder, Location loc, Value value,
                      Type type) {
  if (value.getType() == type)
    return value;
  return vector::BroadcastOp::create(builder, loc, type, value);
}

//===----------------------------------------------------------------------===//
// Movement
//===----------------------------------------------------------------------===//

Value TraversalEmitter::getView(Value graph, ViewKind kind) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(traverse);
  return converter.getView(loc, graph, kind);
}

/// A kernel over a part of a graph reads rows of the whole, too.
Value TraversalEmitter::getGraph(Value value) {
  auto split = nest.graph.getDefiningOp<SplitGraphOp>();
  bool isOfWhole = getRows(value.getType()).getPart() == Part::Whole;
  return split && isOfWhole ? split.getGraph() : nest.graph;
}

Value TraversalEmitter::lookUp(Value graph, ViewKind kind, Value index) {
  return hetkernel::LookupOp::create(builder, loc, builder.getIndexType(),
                                     getView(graph, kind), index);
}

Value TraversalEmitter::follow(Value graph, Domain from, Path path,
                               Value index) {
  if (index == inner && path == nest.path)
    return outer;
  if (nest.inCallersOrder && index == outer && from == nest.outer)
    if (std::optional<ViewKind> kind = getGatherByNumber(from, path))
      return lookUp(graph, *kind, step);
  switch (from) {
  case Domain::Edge:
    return lookUp(graph, *getStepGather(from, path, /*typed=*/false), index);
  case Domain::DstPair:
    // The first edge of a run has its node and type.
    return follow(graph, Domain::Edge, path,
                  lookUp(graph, ViewKind::DstPairOffsets, index));
  case Domain::SrcPair:
  case Domain::Node:
    return lookUp(graph, *getStepGather(from, path, /*typed=*/false), index);
  case Domain::EType:
  case Domain::NType:
    break;
  }
  llvm_unreachable("no arrow of the lattice");
}

Value TraversalEmitter::loadRow(Value tensor, ValueRange indices) {
  auto type = cast<RankedTensorType>(tensor.getType());
  Type row = getRowValueType(type.getShape().drop_front(indices.size()),
                             type.getElementType());
  Value loaded = RowOp::create(builder, loc, row, tensor, indices);
  Type wide = getComputeType(row);
  return wide == row ? loaded
                     : arith::ExtFOp::create(builder, loc, wide, loaded);
}

Value TraversalEmitter::loadValue(Value value, Domain domain, Value index) {
  if (auto gather = value.getDefiningOp<GatherOp>()) {
    Domain to = *rgnn::follow(domain, gather.getPath());
    return loadValue(
        gather.getRows(), to,
        follow(gather.getGraph(), domain, gather.getPath(), index));
  }
  if (auto degree = value.getDefiningOp<DegreeOp>())
    return emitCount(degree.getGraph(),
                     getGroupViews(Domain::Edge, degree.getPath()).offsets,
                     index, getRowType(value));
  if (Place place = converter.getPlace(value)) {
    bool isStep = nest.inCallersOrder && index == outer &&
                  place == getCallersPlace(nest.outer);
    index = isStep ? step : lookUp(getGraph(value), *place, index);
  }
  return loadRow(converter.getTensor(value), index);
}

Value TraversalEmitter::emitCount(Value graph, ViewKind offsets, Value index,
                                  Type type) {
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  Value next = arith::AddIOp::create(builder, loc, index, one);
  Value count =
      arith::SubIOp::create(builder, loc, lookUp(graph, offsets, next),
                            lookUp(graph, offsets, index));
  Value integer =
      arith::IndexCastOp::create(builder, loc, builder.getI64Type(), count);
  return arith::SIToFPOp::create(builder, loc, type, integer);
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Value TraversalEmitter::emitShared(Value value) {
  Value &row = outerValues[value];
  if (row)
    return row;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&traverse.getBody().front());
  return outerValues[value] = loadRow(converter.getTensor(value), {});
}

Value TraversalEmitter::emitRounded(Value row, Type type) {
  return row.getType() == type
             ? row
             : arith::TruncFOp::create(builder, loc, type, row);
}

Value TraversalEmitter::emitRowOp(RowOpInterface op,
                                  function_ref<Value(Value)> operand) {
  SmallVector<Value> rows;
  for (Value input : op->getOperands())
    rows.push_back(getRows(input.getType()) ? operand(input)
                                            : emitShared(input));
  return op.emitRow(builder, rows);
}

Value TraversalEmitter::emitLookup(rgnn::LookupOp lookup) {
  Value edge = nest.path ? inner : outer;
  Value graph = lookup.getGraph();
  Value type = follow(graph, Domain::Edge, Path::EType, edge);
  Value node = follow(graph, Domain::Edge, lookup.getPath(), edge);
  Value table = converter.getTensor(lookup.getTable());
  if (!lookup.getComp())
    return loadRow(table, {type, node});
  // The weights of the bases, then one scaled row of each basis.
  Value comp = converter.getTensor(lookup.getComp());
  Type row = getRowType(lookup.getResult());
  Value sum = createSplat(builder, loc, row, 0.0);
  int64_t bases = cast<RankedTensorType>(table.getType()).getDimSize(0);
  for (int64_t basis = 0; basis < bases; ++basis) {
    Value index = arith::ConstantIndexOp::create(builder, loc, basis);
    Value weight = loadRow(comp, {type, index});
    Value scaled = arith::MulFOp::create(builder, loc,
                                         broadcast(builder, loc, weight, row),
                                         loadRow(table, {index, node}));
    sum = arith::AddFOp::create(builder, loc, sum, scaled);
  }
  return sum;
}

Value TraversalEmitter::emitOuter(Value value) {
  if (Value known = outerValues.lookup(value))
    return known;
  // What an inner row reads of its outer row is read once, before the loop.
  OpBuilder::InsertionGuard guard(builder);
  if (loop)
    builder.setInsertionPoint(loop);
  Operation *op = value.getDefiningOp();
  Value row;
  if (!isInside(value) || isLoad(op))
    row = loadValue(value, nest.outer, outer);
  else if (auto lookup = dyn_cast<rgnn::LookupOp>(op))
    row = emitLookup(lookup);
  else
    row = emitRowOp(cast<RowOpInterface>(op),
                    [&](Value input) { return emitOuter(input); });
  outerValues[value] = row;
  return row;
}

Value TraversalEmitter::emitInner(Value value) {
  if (Value known = innerValues.lookup(value))
    return known;
  Operation *op = value.getDefiningOp();
  Value row;
  if (auto gather = dyn_cast_or_null<GatherOp>(op);
      gather && nest.isOwn(gather)) {
    row = emitOuter(gather.getRows());
  } else if (!isInside(value) || isLoad(op)) {
    row = loadValue(value, nest.inner, inner);
  } else if (Value segment = segments.lookup({value, getRowType(value)})) {
    row = ElementOp::create(builder, loc, segment, slot);
  } else if (isa<GroupSoftmaxOp>(op)) {
    Value exponential = ElementOp::create(builder, loc, exponentials[op], slot);
    row = arith::MulFOp::create(builder, loc, exponential, reciprocals[op]);
  } else if (auto lookup = dyn_cast<rgnn::LookupOp>(op)) {
    row = emitLookup(lookup);
  } else {
    row = emitRowOp(cast<RowOpInterface>(op),
                    [&](Value input) { return emitInner(input); });
  }
  innerValues[value] = row;
  return row;
}
