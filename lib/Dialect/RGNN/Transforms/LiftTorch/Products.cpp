//===- Products.cpp - products of rows, and of rows and weights -----------===//

#include "Rules.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::rgnn;
using namespace mlir::rgnn::lift;

/// Rows times a matrix: argument `x` by argument `weight`, null with a reason.
static Value multiply(TorchCall &call, unsigned x, unsigned weight,
                      bool isTransposed) {
  Value rows = call.rowsOrPlain(x);
  Value matrix = rows ? call.plain(weight) : Value();
  if (!matrix)
    return {};
  auto type = cast<RankedTensorType>(matrix.getType());
  ArrayRef<int64_t> shape = getRowShape(rows.getType());
  if (type.getRank() != 2 || shape.empty() ||
      shape.back() != type.getDimSize(isTransposed ? 1 : 0) ||
      type.getElementType() != getElementTypeOrSelf(rows)) {
    (void)call.refuse("argument " + Twine(weight) +
                      " is not a matrix for the last dimension of argument " +
                      Twine(x));
    return {};
  }
  return LinearOp::create(call.builder, call.loc, rows, matrix, isTransposed);
}

/// Adds one vector to every row.
static Value addBias(TorchCall &call, Value rows, unsigned i) {
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
  SmallVector<Value> inputs{rows, bias};
  auto map = MapOp::create(call.builder, call.loc, type, inputs);
  OpBuilder::InsertionGuard guard(call.builder);
  Block &body = map.getBody().emplaceBlock();
  call.builder.setInsertionPointToStart(&body);
  Type element = type.getElementType();
  Value a = body.addArgument(element, call.loc),
        b = body.addArgument(element, call.loc);
  Value sum = arith::AddFOp::create(call.builder, call.loc, a, b);
  YieldOp::create(call.builder, call.loc, sum);
  return map.getResult();
}

/// linear(x, weight, bias)
static LogicalResult liftLinear(TorchCall &call) {
  Value product = multiply(call, 0, 1, /*isTransposed=*/true);
  if (product && !call.isNone(2))
    product = addBias(call, product, 2);
  return product ? call.replace({product}) : failure();
}

/// matmul(x, weight): rows times a matrix, or weights times weights.
static LogicalResult liftMatmul(TorchCall &call) {
  Value product = multiply(call, 0, 1, /*isTransposed=*/false);
  return product ? call.replace({product}) : failure();
}

/// addmm(bias, x, weight, beta, alpha)
static LogicalResult liftAddmm(TorchCall &call) {
  if (call.number(3) != 1.0 || call.number(4) != 1.0)
    return call.refuse("beta and alpha are not both 1");
  Value product = multiply(call, 1, 2, /*isTransposed=*/false);
  if (product)
    product = addBias(call, product, 0);
  return product ? call.replace({product}) : failure();
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

/// The result has the rows of argument 1.
static void keepRowsOfSecond(Arguments arguments, Sizes &sizes) {
  Value x = arguments.floats(1);
  RankedTensorType result = arguments.resultType();
  if (x && result && result.getRank() > 0 &&
      cast<RankedTensorType>(x.getType()).getRank() == result.getRank())
    sizes.unify(sizes.of(x, 0), sizes.of(arguments.op.getResult(0), 0));
}

/// A product keeps rows if the second tensor is a matrix.
static void matmulRows(Arguments arguments, Sizes &sizes) {
  Value x = arguments.floats(0), weight = arguments.floats(1);
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
  for (StringRef name : {"aten.matmul", "aten.mm"})
    rules[name] = {matmulRows, liftMatmul};
  rules["aten.addmm"] = {keepRowsOfSecond, liftAddmm};
  for (StringRef name : {"aten.linalg_cross", "aten.cross"})
    rules[name] = {broadcastRows, liftCross};
  rules["rgnn.typed_linear"] = {typedRows, liftTypedLinear};
}
