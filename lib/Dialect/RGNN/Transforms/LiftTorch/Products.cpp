//===- Products.cpp - products of rows, and of rows and weights -----------===//

#include "Elements/Elementwise.h"

using namespace mlir;
using namespace mlir::rgnn;
using namespace mlir::rgnn::lift;

Value lift::multiplyRows(TorchCall &call, Value rows, unsigned weight,
                         bool isTransposed) {
  Value matrix = call.plain(weight);
  if (!matrix)
    return {};
  auto type = cast<RankedTensorType>(matrix.getType());
  ArrayRef<int64_t> shape = getRowShape(rows.getType());
  if (type.getRank() != 2 || shape.empty() ||
      shape.back() != type.getDimSize(isTransposed ? 1 : 0) ||
      type.getElementType() != getElementTypeOrSelf(rows)) {
    (void)call.refuse("argument " + Twine(weight) +
                      " is not a matrix for the last dimension of rows");
    return {};
  }
  return LinearOp::create(call.builder, call.loc, rows, matrix, isTransposed);
}

/// Argument `x` by argument `weight`; null with a reason.
static Value multiply(TorchCall &call, unsigned x, unsigned weight,
                      bool isTransposed) {
  Value rows = call.rowsOrPlain(x);
  if (!rows)
    return {};
  auto type = cast<RankedTensorType>(rows.getType());
  if (getRows(type) || type.getRank() != 1)
    return multiplyRows(call, rows, weight, isTransposed);
  // A vector that all rows share: kernels multiply matrices.
  auto reshape = [&](Value value, ArrayRef<int64_t> shape) -> Value {
    return ReshapeOp::create(call.builder, call.loc, type.clone(shape), value);
  };
  Value product = multiplyRows(call, reshape(rows, {1, type.getDimSize(0)}),
                               weight, isTransposed);
  return product
             ? reshape(
                   product,
                   cast<RankedTensorType>(product.getType()).getShape().back())
             : Value();
}

/// `scale * rows + biasScale * bias`, where the bias is a vector for every row.
static Value addScaled(TorchCall &call, Value rows, double scale, Value bias,
                       double biasScale) {
  return buildMap(
      call, rows.getType(), {rows, bias}, [&](Scalars &s, ArrayRef<Value> x) {
        return s.add(s.scale(x[0], scale), s.scale(x[1], biasScale));
      });
}

Value lift::addBias(TorchCall &call, Value rows, unsigned i) {
  Value bias = call.plain(i);
  if (!bias)
    return {};
  auto type = cast<RankedTensorType>(rows.getType());
  auto biasType = cast<RankedTensorType>(bias.getType());
  if (biasType.getRank() != 1 || getRowShape(type).empty() ||
      biasType.getDimSize(0) != getRowShape(type).back() ||
      biasType.getElementType() != type.getElementType()) {
    (void)call.refuse("the bias is not one number for each column");
    return {};
  }
  return addScaled(call, rows, 1.0, bias, 1.0);
}

/// linear(x, weight, bias)
static LogicalResult liftLinear(TorchCall &call) {
  Value product = multiply(call, 0, 1, /*isTransposed=*/true);
  if (product && !call.isNone(2))
    product = addBias(call, product, 2);
  return product ? call.replace({product}) : failure();
}

/// The product of two matrices for each row, as a sum of products of elements:
/// `[rows, b..., M, K]` times `[rows, b..., K, N]`.
static LogicalResult liftProductOfRows(TorchCall &call, Value lhs, Value rhs) {
  auto type = cast<RankedTensorType>(lhs.getType()),
       other = cast<RankedTensorType>(rhs.getType());
  int64_t rank = type.getRank();
  if (rank != other.getRank() || rank < 3 || !call.resultType() ||
      type.getElementType() != other.getElementType() ||
      type.getDimSize(rank - 1) != other.getDimSize(rank - 2) ||
      type.getShape().drop_back(2) != other.getShape().drop_back(2))
    return call.refuse("its operands are not a matrix each for each row");
  int64_t numRows = type.getDimSize(rank - 2),
          numTerms = type.getDimSize(rank - 1),
          numColumns = other.getDimSize(rank - 1);
  if (ShapedType::getNumElements(getRowShape(type)) * numColumns >
      maxNumbersOfRows)
    return call.refuse("its products have more than " +
                       Twine(maxNumbersOfRows) + " terms in a row");
  auto reshape = [&](Value x, ArrayRef<int64_t> last) -> Value {
    SmallVector<int64_t> shape(type.getShape().drop_back(2));
    llvm::append_range(shape, last);
    return ReshapeOp::create(
        call.builder, call.loc,
        RankedTensorType::get(shape, type.getElementType(), type.getEncoding()),
        x);
  };
  lhs = reshape(lhs, {numRows, numTerms, 1});
  rhs = reshape(rhs, {1, numTerms, numColumns});
  SmallVector<int64_t> shape(type.getShape());
  shape.push_back(numColumns);
  Value products = buildMap(
      call,
      RankedTensorType::get(shape, type.getElementType(), type.getEncoding()),
      {lhs, rhs},
      [](Scalars &s, ArrayRef<Value> x) { return s.mul(x[0], x[1]); });
  return call.replace(
      {ReduceFeaturesOp::create(call.builder, call.loc, products,
                                Reduction::Sum, rank - 1)
           .getResult()});
}

/// Rows times a vector: a number each.
static Value multiplyByVector(TorchCall &call, Value rows, Value vector) {
  auto type = cast<RankedTensorType>(vector.getType()),
       rowsType = cast<RankedTensorType>(rows.getType());
  ArrayRef<int64_t> shape = getRowShape(rowsType);
  if (shape.empty() || shape.back() != type.getDimSize(0) ||
      type.getElementType() != rowsType.getElementType()) {
    (void)call.refuse("its vector is not as long as rows");
    return {};
  }
  Value column = ReshapeOp::create(
      call.builder, call.loc,
      RankedTensorType::get({shape.back(), 1}, type.getElementType()), vector);
  Value product = LinearOp::create(call.builder, call.loc, rows, column,
                                   /*transposed=*/false);
  return ReshapeOp::create(
      call.builder, call.loc,
      RankedTensorType::get(rowsType.getShape().drop_back(),
                            rowsType.getElementType(), rowsType.getEncoding()),
      product);
}

/// What argument 0 is the transpose of, if it is that of a matrix.
static Value getTransposed(TorchCall &call) {
  Value lhs = call.value(0);
  auto op = lhs ? lhs.getDefiningOp<TorchOp>() : TorchOp();
  auto order = op ? getOrder(Arguments(op)) : std::nullopt;
  return order == SmallVector<int64_t>{1, 0} ? op->getOperand(0) : Value();
}

/// The outer products of rows, added up: `[rows, M]^T` times `[rows, N]`. Rows
/// of a number each are those of one column, without a dimension in the result.
static Value sumOuterProducts(TorchCall &call, Value lhs, Value rhs) {
  SmallVector<int64_t> shape;
  for (Value *x : {&lhs, &rhs}) {
    auto type = cast<RankedTensorType>(x->getType());
    ArrayRef<int64_t> row = getRowShape(type);
    if (row.size() > 1) {
      (void)call.refuse("its operands are not vectors or numbers of rows");
      return {};
    }
    llvm::append_range(shape, row);
    if (row.empty())
      *x = ReshapeOp::create(call.builder, call.loc,
                             RankedTensorType::get({type.getDimSize(0), 1},
                                                   type.getElementType(),
                                                   type.getEncoding()),
                             *x);
  }
  Value sum = OuterSumOp::create(call.builder, call.loc, lhs, rhs);
  auto type = cast<RankedTensorType>(sum.getType());
  if (static_cast<int64_t>(shape.size()) == type.getRank())
    return sum;
  return ReshapeOp::create(call.builder, call.loc, type.clone(shape), sum);
}

/// matmul(x, weight), bmm, mv: rows times a matrix or a vector, weights times
/// weights, or the matrices of rows; the outer products of rows, added up.
static LogicalResult liftMatmul(TorchCall &call) {
  Value weight = call.floats(1);
  std::optional<RowsAttr> rows =
      weight ? call.lifter.getRows(weight, call.op) : std::nullopt;
  if (Value columns = getTransposed(call); columns && rows && *rows) {
    Value lhs = call.on(columns, *rows), rhs = lhs ? call.on(1, *rows) : lhs;
    Value sum = rhs ? sumOuterProducts(call, lhs, rhs) : Value();
    return sum ? call.replace({sum}) : failure();
  }
  // Two matrices of known sizes, of which the second has a row for each of a
  // known number of nodes, are multiplied as matrices.
  Value matrix = call.floats(0);
  auto isMatrix = [](Value value) {
    auto type = cast<RankedTensorType>(value.getType());
    return type.getRank() == 2 && type.hasStaticShape();
  };
  bool areMatrices = matrix && weight && isMatrix(matrix) && isMatrix(weight);
  if (rows && *rows && !areMatrices) {
    Value lhs = call.on(0, *rows), rhs = lhs ? call.on(1, *rows) : Value();
    if (rhs && getRowShape(lhs.getType()).empty()) {
      Value sum = sumOuterProducts(call, lhs, rhs);
      return sum ? call.replace({sum}) : failure();
    }
    return rhs ? liftProductOfRows(call, lhs, rhs) : failure();
  }
  Value product;
  if (weight && cast<RankedTensorType>(weight.getType()).getRank() == 1) {
    Value lhs = call.rowsOrPlain(0), vector = lhs ? call.plain(1) : Value();
    product = vector ? multiplyByVector(call, lhs, vector) : Value();
  } else {
    product = multiply(call, 0, 1, /*isTransposed=*/false);
  }
  return product ? call.replace({product}) : failure();
}

/// addmm(bias, x, weight, beta, alpha): the bias is a vector, or has rows.
static LogicalResult liftAddmm(TorchCall &call) {
  std::optional<double> beta = call.number(3), alpha = call.number(4);
  if (!beta || !alpha)
    return call.refuse("beta and alpha are not numbers");
  Value product = multiply(call, 1, 2, /*isTransposed=*/false);
  Value captured = call.floats(0);
  if (!product || !captured)
    return failure();
  auto type = cast<RankedTensorType>(product.getType());
  RowsAttr rows = rgnn::getRows(type);
  bool hasRows = rows && cast<RankedTensorType>(captured.getType()).getRank() ==
                             type.getRank();
  Value bias = hasRows ? call.on(captured, rows) : call.plain(captured);
  if (!bias)
    return failure();
  ArrayRef<int64_t> shape = getRowShape(bias.getType());
  if (shape.size() != 1 ||
      (shape[0] != 1 && shape[0] != type.getShape().back()))
    return call.refuse("the bias is not one number for each column");
  return call.replace({addScaled(call, product, *alpha, bias, *beta)});
}

/// linalg_cross(lhs, rhs, dim), cross
static LogicalResult liftCross(TorchCall &call) {
  Value lhs = call.rowsOrPlain(0);
  if (!lhs)
    return failure();
  RowsAttr rows = rgnn::getRows(lhs.getType());
  Value rhs = rows ? call.on(1, rows) : call.plain(1);
  if (!rhs)
    return failure();
  if (lhs.getType() != rhs.getType())
    return call.refuse("its arguments differ in shape or element type");
  // Without a dimension, it is along the first of three, which may be the rows.
  auto type = cast<RankedTensorType>(lhs.getType());
  ArrayRef<int64_t> shape = getRowShape(type);
  if (getDim(call, 2) != type.getRank() - 1 || shape.empty() ||
      shape.back() != 3)
    return call.refuse("it is not along a last dimension of size 3 of rows");
  return call.replace({CrossOp::create(call.builder, call.loc, lhs, rhs)});
}

/// typed_linear(x, types, weight)
static LogicalResult liftTypedLinear(TorchCall &call) {
  Value x = call.floats(0), types = call.value(1), weight = call.plain(2);
  if (!weight)
    return failure();
  if (!x || !types)
    return call.refuse("its rows or types are not tensors");
  CapturedGraph *graph =
      call.lifter.findGraph(std::nullopt, types, std::nullopt, x, call.op);
  if (!graph)
    return call.refuse("argument 1 is not the types of the edges of a graph");
  Value rows = call.on(0, getRowsOf(graph, Domain::Edge));
  if (!rows)
    return failure();
  auto type = cast<RankedTensorType>(weight.getType());
  ArrayRef<int64_t> shape = getRowShape(rows.getType());
  if (shape.empty() ||
      type.getRank() != static_cast<int64_t>(shape.size()) + 2 ||
      type.getShape().drop_front().drop_back() != shape ||
      type.getElementType() != getElementTypeOrSelf(rows))
    return call.refuse("the weight is not a matrix for each type");
  if (graph->numTypes && *graph->numTypes != type.getDimSize(0))
    return call.refuse("it has weights of " + Twine(type.getDimSize(0)) +
                       " types, the graph has " + Twine(*graph->numTypes));
  return call.replace({TypedLinearOp::create(call.builder, call.loc, rows,
                                             weight, graph->op, Path::EType)});
}

/// bilinear(x, y, weight, bias): the products of all numbers of one row with
/// those of the other, times a matrix.
static LogicalResult liftBilinear(TorchCall &call) {
  std::optional<RowsAttr> lives;
  for (unsigned i : {0u, 1u})
    if (Value captured = call.floats(i); captured && (!lives || !*lives))
      lives = call.lifter.getRows(captured, call.op);
  if (!lives || !*lives)
    return call.refuse("its rows are neither nodes nor edges of a graph");
  Value x = call.on(0, *lives), y = x ? call.on(1, *lives) : Value(),
        weight = y ? call.plain(2) : Value();
  if (!weight)
    return failure();
  auto type = cast<RankedTensorType>(x.getType()),
       matrices = cast<RankedTensorType>(weight.getType());
  if (type.getRank() != 2 || matrices.getRank() != 3 ||
      matrices.getElementType() != type.getElementType())
    return call.refuse("its operands are not rows and a matrix for each "
                       "number of the result");
  int64_t columns = matrices.getDimSize(0), width = matrices.getDimSize(1),
          others = matrices.getDimSize(2);
  if (width * others > maxNumbersOfRows)
    return call.refuse("its products have more than " +
                       Twine(maxNumbersOfRows) + " terms in a row");
  auto reshape = [&](Value value, ArrayRef<int64_t> row) -> Value {
    return ReshapeOp::create(call.builder, call.loc,
                             getRowsType(*lives, row, type.getElementType()),
                             value);
  };
  Value products = buildMap(
      call, getRowsType(*lives, {width, others}, type.getElementType()),
      {reshape(x, {width, 1}), reshape(y, {1, others})},
      [](Scalars &s, ArrayRef<Value> a) { return s.mul(a[0], a[1]); });
  Value matrix = ReshapeOp::create(
      call.builder, call.loc,
      RankedTensorType::get({columns, width * others}, type.getElementType()),
      weight);
  Value result = LinearOp::create(
      call.builder, call.loc, reshape(products, width * others), matrix, true);
  if (!call.isNone(3))
    result = addBias(call, result, 3);
  return result ? call.replace({result}) : failure();
}

/// Both operands have the rows of the result.
static void rowsOfBilinear(Arguments arguments, Sizes &sizes) {
  keepRows(arguments, sizes);
  if (Value y = arguments.floats(1); y && arguments.resultType())
    sizes.unify(sizes.of(y, 0), sizes.of(arguments.op.getResult(0), 0));
}

/// The result has the rows of argument 1, and of argument 0 where it has rows.
static void rowsOfAddmm(Arguments arguments, Sizes &sizes) {
  RankedTensorType result = arguments.resultType();
  for (Value x : {arguments.floats(0), arguments.floats(1)})
    if (auto type = x ? cast<RankedTensorType>(x.getType()) : nullptr;
        type && result && result.getRank() == 2 && type.getRank() == 2 &&
        type.getDimSize(0) != 1)
      sizes.unify(sizes.of(x, 0), sizes.of(arguments.op.getResult(0), 0));
}

/// A product keeps rows if the second tensor is a matrix; matrices for each row
/// are as many on both sides.
static void matmulRows(Arguments arguments, Sizes &sizes) {
  Value x = arguments.floats(0), weight = arguments.floats(1);
  RankedTensorType result = arguments.resultType();
  if (x && weight && result && result.getRank() > 2) {
    broadcastRows(arguments, sizes);
    return;
  }
  if (x && weight && cast<RankedTensorType>(weight.getType()).getRank() == 2 &&
      cast<RankedTensorType>(x.getType()).getRank() >= 2)
    keepRows(arguments, sizes);
}

/// The result has the rows of argument 0, and argument 1 is as long.
static void typedRows(Arguments arguments, Sizes &sizes) {
  Value types = arguments.value(1);
  if (auto type = types ? dyn_cast<RankedTensorType>(types.getType()) : nullptr;
      type && type.getRank() == 1 && arguments.floats(0) &&
      cast<RankedTensorType>(arguments.floats(0).getType()).getRank() > 0)
    sizes.unify(sizes.of(types, 0), sizes.of(arguments.floats(0), 0));
  keepRows(arguments, sizes);
}

void lift::addProductRules(Rules &rules) {
  rules["aten.linear"] = {matmulRows, liftLinear};
  for (StringRef name : {"aten.matmul", "aten.mm", "aten.mv", "aten.bmm"})
    rules[name] = {matmulRows, liftMatmul};
  rules["aten.addmm"] = {rowsOfAddmm, liftAddmm};
  for (StringRef name : {"aten.linalg_cross", "aten.cross"})
    rules[name] = {broadcastRows, liftCross};
  rules["aten.bilinear"] = {rowsOfBilinear, liftBilinear};
  rules["rgnn.typed_linear"] = {typedRows, liftTypedLinear};
}
