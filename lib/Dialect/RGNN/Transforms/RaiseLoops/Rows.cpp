//===- Rows.cpp - one op for what a statement does in all iterations ------===//

#include "RaiseLoops.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::rgnn;
using namespace mlir::rgnn::raise;

RowsAttr RowBuilder::getEncoding(bool onEdges) {
  return RowsAttr::get(builder.getContext(),
                       onEdges ? Domain::Edge : Domain::Node,
                       cast<rgnn::GraphType>(graph.getType()).getSchema());
}

//===----------------------------------------------------------------------===//
// Movement
//===----------------------------------------------------------------------===//

Value RowBuilder::gather(Location loc, Value rows, Path path, Domain to) {
  Value &result = gathered[{rows, static_cast<unsigned>(path)}];
  if (!result)
    result = GatherOp::create(builder, loc, rows, graph, path, to);
  return result;
}

FailureOr<Value> RowBuilder::getRows(Operation *op, const Row &row,
                                     Element target) {
  if (row.kind == Row::Kind::Shared)
    return refuse(op, "it needs a row for each iteration, and a value is the "
                      "same for all of them");
  Location loc = op->getLoc();
  Value value = row.value;
  if (row.kind == Row::Kind::Weight) {
    bool ofEdge = row.element.isEdge();
    auto table = cast<RankedTensorType>(value.getType());
    auto types = RowsAttr::get(builder.getContext(),
                               ofEdge ? Domain::EType : Domain::NType,
                               getEncoding(ofEdge).getGraph());
    auto placed =
        RankedTensorType::get(table.getShape(), table.getElementType(), types);
    value = PlaceOp::create(builder, loc, placed, value, graph);
    value = gather(loc, value, ofEdge ? Path::EType : Path::NType,
                   ofEdge ? Domain::Edge : Domain::Node);
  }
  if (row.element == target)
    return value;
  assert(target.isEdge() && "only edges see rows of several elements");
  Path path =
      row.element.end.value_or(getOrigin(cast<LoopOp>(target.getLoop())));
  return gather(loc, value, path, Domain::Edge);
}

Value RowBuilder::reduce(Location loc, Reduction kind, Path path, Value rows) {
  return ReduceOp::create(builder, loc, rows, graph, path, kind);
}

/// A map of two operands, computed by `Scalar`.
template <typename Scalar>
static Value mapPair(OpBuilder &builder, Location loc, Value lhs, Value rhs,
                     RankedTensorType type) {
  auto map = MapOp::create(builder, loc, type, ValueRange{lhs, rhs});
  OpBuilder::InsertionGuard guard(builder);
  Block *body = builder.createBlock(
      &map.getBody(), {}, {type.getElementType(), type.getElementType()},
      {loc, loc});
  Value result =
      Scalar::create(builder, loc, body->getArgument(0), body->getArgument(1));
  YieldOp::create(builder, loc, result);
  return map.getResult();
}

Value RowBuilder::add(Location loc, Value lhs, Value rhs,
                      RankedTensorType type) {
  return mapPair<arith::AddFOp>(builder, loc, lhs, rhs, type);
}

Value RowBuilder::scaleByDegree(Location loc, Path path, Value shared) {
  auto row = cast<RankedTensorType>(shared.getType());
  RowsAttr nodes = getEncoding(/*onEdges=*/false);
  Type element = row.getElementType();
  Value degree = DegreeOp::create(builder, loc, getRowsType(nodes, {}, element),
                                  graph, path);
  if (row.getRank() > 0)
    degree = ReshapeOp::create(
        builder, loc,
        getRowsType(nodes, SmallVector<int64_t>(row.getRank(), 1), element),
        degree);
  return mapPair<arith::MulFOp>(builder, loc, degree, shared,
                                getRowsType(nodes, row.getShape(), element));
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// `x` times the matrix that the type of `ofWeight` picks from `table`.
FailureOr<Value> RowBuilder::multiplyByTable(Operation *op, const Row &x,
                                             Value table, Element ofWeight) {
  if (!ofWeight.isEdge() && ofWeight != x.element)
    return refuse(op, "it multiplies by the weight of a node's type what is "
                      "not a row of that node");
  FailureOr<Value> rows = getRows(op, x, ofWeight);
  if (failed(rows))
    return failure();
  Path path = ofWeight.isEdge() ? Path::EType : Path::NType;
  return TypedLinearOp::create(builder, op->getLoc(), *rows, table, graph, path)
      .getResult();
}

FailureOr<Row> RowBuilder::raiseLinear(LinearOp op, Row x, Row weight) {
  if (weight.kind == Row::Kind::Rows)
    return refuse(op, "it multiplies by a matrix that is data of a node or "
                      "edge");
  if (weight.kind == Row::Kind::Weight) {
    auto type = cast<RankedTensorType>(op.getX().getType());
    if (type.getRank() != 1)
      return refuse(op, "it multiplies several vectors of a row by a weight of "
                        "its type");
    Value table = weight.value;
    if (op.getTransposed())
      table = PermuteOp::create(builder, op.getLoc(), table,
                                ArrayRef<int64_t>{0, 2, 1});
    FailureOr<Value> result = multiplyByTable(op, x, table, weight.element);
    if (failed(result))
      return failure();
    return Row::rows(*result,
                     weight.element.isEdge() ? weight.element : x.element);
  }
  FailureOr<Value> rows = getRows(op, x, x.element);
  if (failed(rows))
    return failure();
  Value result = LinearOp::create(builder, op.getLoc(), *rows, weight.value,
                                  op.getTransposed());
  return Row::rows(result, x.element);
}

FailureOr<Row> RowBuilder::raiseDot(DotOp op, Row lhs, Row rhs,
                                    Element target) {
  if (rhs.kind == Row::Kind::Rows && lhs.kind != Row::Kind::Rows)
    std::swap(lhs, rhs);
  Location loc = op.getLoc();
  auto row = cast<RankedTensorType>(op.getLhs().getType());
  auto withOne = [&](Value weight) -> Value {
    auto type = cast<RankedTensorType>(weight.getType());
    SmallVector<int64_t> shape(type.getShape());
    shape.push_back(1);
    return ReshapeOp::create(
        builder, loc, RankedTensorType::get(shape, type.getElementType()),
        weight);
  };
  auto dropOne = [&](Value product) -> Value {
    RowsAttr encoding = rgnn::getRows(product.getType());
    return ReshapeOp::create(
        builder, loc,
        getRowsType(encoding, row.getShape().drop_back(), row.getElementType()),
        product);
  };
  bool ofType = rhs.kind == Row::Kind::Weight && lhs.kind == Row::Kind::Rows &&
                (rhs.element.isEdge() || rhs.element == lhs.element);
  // A weight is a matrix of one column.
  if (ofType) {
    FailureOr<Value> product =
        multiplyByTable(op, lhs, withOne(rhs.value), rhs.element);
    if (failed(product))
      return failure();
    return Row::rows(dropOne(*product), rhs.element);
  }
  if (rhs.kind == Row::Kind::Shared) {
    FailureOr<Value> x = getRows(op, lhs, lhs.element);
    if (failed(x))
      return failure();
    if (row.getRank() == 1)
      return Row::rows(
          dropOne(LinearOp::create(builder, loc, *x, withOne(rhs.value),
                                   /*transposed=*/false)),
          lhs.element);
    Value product = mapPair<arith::MulFOp>(
        builder, loc, *x, rhs.value, cast<RankedTensorType>((*x).getType()));
    return Row::rows(ReduceFeaturesOp::create(builder, loc, product,
                                              Reduction::Sum, row.getRank()),
                     lhs.element);
  }
  FailureOr<Value> a = getRows(op, lhs, target), b = getRows(op, rhs, target);
  if (failed(a) || failed(b))
    return failure();
  return Row::rows(DotOp::create(builder, loc, *a, *b), target);
}

//===----------------------------------------------------------------------===//
// Row ops
//===----------------------------------------------------------------------===//

FailureOr<Row> RowBuilder::raise(Operation *op, ArrayRef<Row> operands,
                                 BlockArgument visited) {
  auto isShared = [](const Row &row) { return row.kind == Row::Kind::Shared; };
  if (llvm::all_of(operands, isShared)) {
    IRMapping mapping;
    for (auto [value, row] : llvm::zip(op->getOperands(), operands))
      mapping.map(value, row.value);
    return Row::shared(builder.clone(*op, mapping)->getResult(0));
  }
  // Rows of one element stay with it, others meet at the edge.
  Element target = llvm::find_if_not(operands, isShared)->element;
  for (const Row &row : operands)
    if (!isShared(row) && row.element != target)
      target = Element{visited, std::nullopt};

  if (auto linear = dyn_cast<LinearOp>(op)) {
    if (isShared(operands[0]))
      return refuse(op, "it multiplies what all iterations share by a weight "
                        "that differs");
    return raiseLinear(linear, operands[0], operands[1]);
  }
  if (auto dot = dyn_cast<DotOp>(op))
    return raiseDot(dot, operands[0], operands[1], target);

  SmallVector<Value> inputs;
  for (const Row &row : operands) {
    // A map broadcasts what is shared.
    if (isShared(row) && isa<MapOp>(op)) {
      inputs.push_back(row.value);
      continue;
    }
    FailureOr<Value> rows = getRows(op, row, target);
    if (failed(rows))
      return failure();
    inputs.push_back(*rows);
  }
  auto row = cast<RankedTensorType>(op->getResult(0).getType());
  RankedTensorType type = getRowsType(getEncoding(target.isEdge()),
                                      row.getShape(), row.getElementType());
  auto onRow = dyn_cast<RowOpInterface>(op);
  if (!onRow)
    return refuse(op, "no op on all rows does what '" +
                          op->getName().getStringRef() + "' does");
  return Row::rows(onRow.buildOnRows(builder, inputs, type), target);
}
