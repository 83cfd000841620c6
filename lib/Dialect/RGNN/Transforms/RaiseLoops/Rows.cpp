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
// Maps
//===----------------------------------------------------------------------===//

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

/// `value` broadcast to a type.
static Value broadcast(OpBuilder &builder, Location loc, Value value,
                       RankedTensorType type) {
  return MapOp::create(
      builder, loc, type, value,
      [](OpBuilder &, Location, ValueRange scalars) { return scalars[0]; });
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

Value RowBuilder::repeat(Location loc, Value shared, bool onEdges) {
  auto type = cast<RankedTensorType>(shared.getType());
  return broadcast(builder, loc, shared,
                   getRowsType(getEncoding(onEdges), type.getShape(),
                               type.getElementType()));
}

FailureOr<Value> RowBuilder::getRows(Operation *op, const Row &row,
                                     Element target) {
  Location loc = op->getLoc();
  Value value = row.value;
  if (row.kind == Row::Kind::Shared)
    return repeat(loc, value, target.isEdge());
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

Value RowBuilder::broadcastTo(Location loc, Value rows, RankedTensorType type) {
  return broadcast(builder, loc, rows, type);
}

Value RowBuilder::gatherDegree(Location loc, Path path, Value rows) {
  auto type = cast<RankedTensorType>(rows.getType());
  Value one = arith::ConstantOp::create(
      builder, loc,
      DenseElementsAttr::get(
          RankedTensorType::get(getRowShape(type), type.getElementType()),
          builder.getFloatAttr(type.getElementType(), 1)));
  Value degree = gather(loc, scaleByDegree(loc, path, one), path, Domain::Edge);
  return mapPair<arith::MulFOp>(builder, loc, rows, degree, type);
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

/// `x` times the matrix, one for each head, that the type of `ofWeight` picks
/// from `table`.
FailureOr<Value> RowBuilder::multiplyByTable(Operation *op, const Row &x,
                                             Value table, Element ofWeight) {
  FailureOr<Value> rows = getRows(op, x, ofWeight);
  if (failed(rows))
    return failure();
  Path path = ofWeight.isEdge() ? Path::EType : Path::NType;
  return TypedLinearOp::create(builder, op->getLoc(), *rows, table, graph, path)
      .getResult();
}

/// A table of matrices with the same one for each of the heads in `shape`, the
/// shape of what it is multiplied by.
Value RowBuilder::repeatForHeads(Location loc, Value table,
                                 ArrayRef<int64_t> shape) {
  if (shape.size() == 1)
    return table;
  auto type = cast<RankedTensorType>(table.getType());
  SmallVector<int64_t> narrow{type.getDimSize(0)}, wide = narrow;
  narrow.append(shape.size() - 1, 1);
  llvm::append_range(wide, shape.drop_back());
  for (SmallVector<int64_t> *sizes : {&narrow, &wide})
    llvm::append_range(*sizes, type.getShape().drop_front());
  Type element = type.getElementType();
  Value reshaped = ReshapeOp::create(
      builder, loc, RankedTensorType::get(narrow, element), table);
  return broadcast(builder, loc, reshaped,
                   RankedTensorType::get(wide, element));
}

/// A product of what all share with the matrix of a type is an entry of the
/// products with all matrices.
Row RowBuilder::multiplyShared(LinearOp op, Value x, const Row &weight) {
  Location loc = op.getLoc();
  Value table = weight.value;
  if (op.getTransposed())
    table = PermuteOp::create(builder, loc, table, ArrayRef<int64_t>{0, 2, 1});
  auto shape = cast<RankedTensorType>(x.getType()).getShape();
  table = repeatForHeads(loc, table, shape);
  auto tableType = cast<RankedTensorType>(table.getType());
  SmallVector<int64_t> column(shape);
  column.push_back(1);
  Value lhs = ReshapeOp::create(
      builder, loc, RankedTensorType::get(column, tableType.getElementType()),
      x);
  Value products = mapPair<arith::MulFOp>(builder, loc, lhs, table, tableType);
  Value sums = ReduceFeaturesOp::create(builder, loc, products, Reduction::Sum,
                                        shape.size());
  return {Row::Kind::Weight, sums, weight.element};
}

/// The product where no kernel for products picks the matrix: `result[..., n]
/// = sum_k x[..., k] * weight[k, n]` number by number.
FailureOr<Row> RowBuilder::multiplyNumbers(LinearOp op, const Row &x,
                                           const Row &weight, Element target) {
  Location loc = op.getLoc();
  auto shape = cast<RankedTensorType>(op.getX().getType()).getShape();
  auto matrix = cast<RankedTensorType>(op.getWeight().getType());
  auto result = cast<RankedTensorType>(op.getResult().getType());
  FailureOr<Value> lhs = getRows(op, x, target),
                   rhs = getRows(op, weight, target);
  if (failed(lhs) || failed(rhs))
    return failure();
  RowsAttr encoding = getEncoding(target.isEdge());
  Type element = matrix.getElementType();
  if (op.getTransposed())
    rhs = PermuteOp::create(builder, loc, *rhs, ArrayRef<int64_t>{0, 2, 1})
              .getResult();
  SmallVector<int64_t> column(shape), product(shape);
  column.push_back(1);
  product.push_back(result.getShape().back());
  Value lhsColumn = ReshapeOp::create(
      builder, loc, getRowsType(encoding, column, element), *lhs);
  Value products = mapPair<arith::MulFOp>(
      builder, loc, lhsColumn, *rhs, getRowsType(encoding, product, element));
  return Row::rows(ReduceFeaturesOp::create(builder, loc, products,
                                            Reduction::Sum, shape.size()),
                   target);
}

FailureOr<Row> RowBuilder::raiseLinear(LinearOp op, Row x, Row weight,
                                       Element target) {
  bool isPicked = weight.kind == Row::Kind::Weight &&
                  x.kind != Row::Kind::Shared &&
                  (weight.element.isEdge() || weight.element == x.element);
  if (isPicked) {
    Value table = weight.value;
    if (op.getTransposed())
      table = PermuteOp::create(builder, op.getLoc(), table,
                                ArrayRef<int64_t>{0, 2, 1});
    auto type = cast<RankedTensorType>(op.getX().getType());
    table = repeatForHeads(op.getLoc(), table, type.getShape());
    FailureOr<Value> result = multiplyByTable(op, x, table, weight.element);
    if (failed(result))
      return failure();
    return Row::rows(*result, weight.element);
  }
  if (weight.kind == Row::Kind::Weight && x.kind == Row::Kind::Shared)
    return multiplyShared(op, x.value, weight);
  if (weight.kind != Row::Kind::Shared)
    return multiplyNumbers(op, x, weight, target);
  FailureOr<Value> rows = getRows(op, x, x.element);
  if (failed(rows))
    return failure();
  Value result = LinearOp::create(builder, op.getLoc(), *rows, weight.value,
                                  op.getTransposed());
  return Row::rows(result, x.element);
}

/// A product of one row and a matrix for each head, `[b..., 1, K]` times
/// `[b..., K, N]`, of which the type picks the matrices.
FailureOr<Row> RowBuilder::raiseMatmul(MatmulOp op, Row lhs, Row rhs) {
  auto type = cast<RankedTensorType>(op.getLhs().getType());
  int64_t rank = type.getRank();
  bool isPicked = rhs.kind == Row::Kind::Weight &&
                  lhs.kind != Row::Kind::Shared &&
                  (rhs.element.isEdge() || rhs.element == lhs.element);
  if (!isPicked || type.getDimSize(rank - 2) != 1)
    return refuse(op, "it multiplies matrices other than one row of a node or "
                      "edge by the weight of its type");
  Location loc = op.getLoc();
  SmallVector<int64_t> shape(type.getShape());
  shape.erase(shape.begin() + rank - 2);
  FailureOr<Value> rows = getRows(op, lhs, lhs.element);
  if (failed(rows))
    return failure();
  RowsAttr encoding = rgnn::getRows(rows->getType());
  Value vectors = ReshapeOp::create(
      builder, loc, getRowsType(encoding, shape, type.getElementType()), *rows);
  FailureOr<Value> product = multiplyByTable(
      op, Row::rows(vectors, lhs.element), rhs.value, rhs.element);
  if (failed(product))
    return failure();
  auto result = cast<RankedTensorType>(op.getResult().getType());
  Value reshaped =
      ReshapeOp::create(builder, loc,
                        getRowsType(rgnn::getRows(product->getType()),
                                    result.getShape(), result.getElementType()),
                        *product);
  return Row::rows(reshaped, rhs.element);
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

FailureOr<Row> RowBuilder::raise(Operation *op, ArrayRef<Row> given,
                                 BlockArgument visited) {
  auto isShared = [](const Row &row) { return row.kind == Row::Kind::Shared; };
  SmallVector<Row> operands(given);
  if (llvm::all_of(operands, isShared)) {
    // Kernels compute these for rows alone, or for matrices.
    if (isa<DotOp, SoftmaxOp, LinearOp>(op)) {
      Element element{visited, std::nullopt};
      operands[0] = Row::rows(
          repeat(op->getLoc(), operands[0].value, element.isEdge()), element);
    }
  }
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

  if (auto linear = dyn_cast<LinearOp>(op))
    return raiseLinear(linear, operands[0], operands[1], target);
  if (auto matmul = dyn_cast<MatmulOp>(op))
    return raiseMatmul(matmul, operands[0], operands[1]);
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
