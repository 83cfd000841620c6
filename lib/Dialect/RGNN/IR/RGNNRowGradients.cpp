//===- RGNNRowGradients.cpp - gradients of row ops and products -----------===//

#include "RGNN/Dialect/RGNN/IR/RGNNGradients.h"
#include "RowOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::rgnn;

using Scalars = ValueRange;
using Result = SmallVector<Value>;

LogicalResult rgnn::expectKnown(Operation *op, Type type,
                                ArrayRef<int64_t> sizes) {
  if (!ShapedType::isDynamicShape(sizes))
    return success();
  return op->emitOpError()
         << "has no gradient: expected a dimension of known size, got " << type;
}

Value rgnn::insertDim(OpBuilder &builder, Location loc, Value x, int64_t dim) {
  Type type = x.getType();
  SmallVector<int64_t> shape(getRowShape(type));
  shape.insert(shape.begin() + (dim - getRowDims(type)), 1);
  return ReshapeOp::create(
      builder, loc,
      getRowsType(getRows(type), shape, getElementTypeOrSelf(type)), x);
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// The transposes of the matrices in the last two dimensions.
static Value transpose(OpBuilder &builder, Location loc, Value matrices) {
  int64_t rank = cast<RankedTensorType>(matrices.getType()).getRank();
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  std::swap(order[rank - 1], order[rank - 2]);
  return PermuteOp::create(builder, loc, matrices, order);
}

FailureOr<SmallVector<Value>> LinearOp::buildGradients(OpBuilder &builder,
                                                       Value gradient,
                                                       ArrayRef<bool> needed) {
  Value x, weight;
  if (needed[0])
    x = LinearOp::create(builder, getLoc(), gradient, getWeight(),
                         /*transposed=*/!getTransposed());
  if (needed[1])
    weight = getTransposed()
                 ? OuterSumOp::create(builder, getLoc(), gradient, getX())
                 : OuterSumOp::create(builder, getLoc(), getX(), gradient);
  return Result{x, weight};
}

FailureOr<SmallVector<Value>>
TypedLinearOp::buildGradients(OpBuilder &builder, Value gradient,
                              ArrayRef<bool> needed) {
  Value x, weight;
  if (needed[0])
    x = TypedLinearOp::create(builder, getLoc(), gradient,
                              transpose(builder, getLoc(), getWeight()),
                              getGraph(), getPath());
  if (needed[1])
    weight = TypedOuterSumOp::create(builder, getLoc(), getWeight().getType(),
                                     getX(), gradient, getGraph(), getPath());
  return Result{x, weight, Value()};
}

FailureOr<SmallVector<Value>> MatmulOp::buildGradients(OpBuilder &builder,
                                                       Value gradient,
                                                       ArrayRef<bool> needed) {
  Value lhs, rhs;
  if (needed[0])
    lhs = MatmulOp::create(builder, getLoc(), gradient,
                           transpose(builder, getLoc(), getRhs()));
  if (needed[1])
    rhs = MatmulOp::create(builder, getLoc(),
                           transpose(builder, getLoc(), getLhs()), gradient);
  return Result{lhs, rhs};
}

FailureOr<SmallVector<Value>> DotOp::buildGradients(OpBuilder &builder,
                                                    Value gradient,
                                                    ArrayRef<bool> needed) {
  Type type = getLhs().getType();
  if (failed(expectKnown(*this, type, getRowShape(type))))
    return failure();
  Value spread = insertDim(builder, getLoc(), gradient,
                           cast<RankedTensorType>(type).getRank() - 1);
  auto times = [&](Value other) {
    return multiply(builder, getLoc(), type, spread, other);
  };
  return Result{needed[0] ? times(getRhs()) : Value(),
                needed[1] ? times(getLhs()) : Value()};
}

FailureOr<SmallVector<Value>>
SumRowsOp::buildGradients(OpBuilder &builder, Value gradient, ArrayRef<bool>) {
  Type type = getX().getType();
  RowsAttr rows = rgnn::getRows(type);
  FailureOr<Value> graph = findGraph(*this, rows);
  if (failed(graph))
    return failure();
  Value like =
      createRows(builder, getLoc(), *graph, rows, getElementTypeOrSelf(type));
  return Result{
      MapOp::create(builder, getLoc(), type, {like, gradient},
                    [](OpBuilder &, Location, Scalars x) { return x[1]; })};
}

//===----------------------------------------------------------------------===//
// Map
//===----------------------------------------------------------------------===//

/// Sums what was broadcast, so that `gradient` becomes one of a value of
/// `type`.
static Value sumBroadcast(OpBuilder &builder, Location loc, Value gradient,
                          Type type) {
  ArrayRef<int64_t> wanted = getRowShape(type);
  RowsAttr rows = getRows(gradient.getType());
  SmallVector<int64_t> shape(getRowShape(gradient.getType()));
  for (int64_t dim = shape.size() - 1; dim >= 0; --dim) {
    int64_t fromLast = shape.size() - dim, rank = wanted.size();
    bool isMissing = fromLast > rank;
    if (!isMissing && wanted[rank - fromLast] == shape[dim])
      continue;
    int64_t place = dim + (rows ? 1 : 0);
    gradient =
        ReduceFeaturesOp::create(builder, loc, gradient, Reduction::Sum, place);
    if (!isMissing)
      gradient = insertDim(builder, loc, gradient, place);
  }
  if (rows && !getRows(type))
    gradient = SumRowsOp::create(builder, loc, gradient);
  return gradient;
}

/// The gradient of input `index` of a map, element by element: the region
/// again, and backwards.
static FailureOr<Value> emitScalarGradient(OpBuilder &builder, Block &body,
                                           unsigned index, Scalars inputs,
                                           Value gradient) {
  IRMapping mapping;
  mapping.map(body.getArguments(), inputs);
  SmallVector<Operation *> ops;
  for (Operation &op : body.without_terminator())
    ops.push_back(builder.clone(op, mapping));
  Value result = mapping.lookupOrDefault(body.getTerminator()->getOperand(0));
  Gradients gradients;
  gradients[result] = gradient;
  if (failed(propagateGradients(
          builder, ops, findActiveValues(ops, inputs[index]), gradients)))
    return failure();
  return gradients.lookup(inputs[index]);
}

FailureOr<SmallVector<Value>> MapOp::buildGradients(OpBuilder &builder,
                                                    Value gradient,
                                                    ArrayRef<bool> needed) {
  Result result(getInputs().size());
  // First what is there in any case: of operands that are not read, the first
  // one that says how many rows there are stays.
  SmallVector<Value> operands{gradient};
  llvm::append_range(operands, getInputs());
  Type type = getResult().getType();
  for (auto [index, input] : llvm::enumerate(getInputs())) {
    if (!needed[index])
      continue;
    if (getRowShape(input.getType()) != getRowShape(type) &&
        failed(expectKnown(*this, type, getRowShape(type))))
      return failure();
    Type whole = getRowsType(rgnn::getRows(type), getRowShape(type),
                             getElementTypeOrSelf(input));
    FailureOr<Value> value;
    Value ofElement = MapOp::create(
        builder, getLoc(), whole, operands,
        [&, index = index](OpBuilder &inner, Location, Scalars x) {
          value = emitScalarGradient(inner, getBody().front(), index,
                                     x.drop_front(), x.front());
          return succeeded(value) && *value ? *value : x.front();
        });
    if (failed(value))
      return failure();
    // What is only compared has no gradient: zeros would be NaN further on,
    // where they meet an infinite slope.
    if (!*value) {
      ofElement.getDefiningOp()->erase();
      continue;
    }
    result[index] = sumBroadcast(builder, getLoc(), ofElement, input.getType());
  }
  return result;
}

FailureOr<SmallVector<Value>>
OuterSumOp::buildGradients(OpBuilder &builder, Value gradient,
                           ArrayRef<bool> needed) {
  Value x, y;
  if (needed[0])
    x = LinearOp::create(builder, getLoc(), getY(), gradient,
                         /*transposed=*/true);
  if (needed[1])
    y = LinearOp::create(builder, getLoc(), getX(), gradient,
                         /*transposed=*/false);
  return Result{x, y};
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

FailureOr<SmallVector<Value>>
WithSlopeOp::buildGradients(OpBuilder &builder, Value gradient,
                            ArrayRef<bool> needed) {
  Value scaled =
      multiply(builder, getLoc(), getBy().getType(), getSlope(), gradient);
  return Result{needed[0] ? gradient : Value(), scaled, Value()};
}

FailureOr<SmallVector<Value>>
ReshapeOp::buildGradients(OpBuilder &builder, Value gradient, ArrayRef<bool>) {
  return Result{
      ReshapeOp::create(builder, getLoc(), getX().getType(), gradient)};
}

FailureOr<SmallVector<Value>>
PermuteOp::buildGradients(OpBuilder &builder, Value gradient, ArrayRef<bool>) {
  SmallVector<int64_t> inverse(getOrder().size());
  for (auto [place, dim] : llvm::enumerate(getOrder()))
    inverse[dim] = place;
  return Result{PermuteOp::create(builder, getLoc(), gradient, inverse)};
}

FailureOr<SmallVector<Value>> ConcatOp::buildGradients(OpBuilder &builder,
                                                       Value gradient,
                                                       ArrayRef<bool> needed) {
  // What is joined several times, as the weights of node types are for edge
  // types, has one gradient: the sum of its parts.
  llvm::MapVector<Value, SmallVector<Value>> parts;
  int64_t begin = 0;
  for (auto [input, isNeeded] : llvm::zip(getInputs(), needed)) {
    int64_t size = cast<RankedTensorType>(input.getType()).getDimSize(getDim());
    if (failed(expectKnown(*this, input.getType(), size)))
      return failure();
    if (isNeeded)
      parts[input].push_back(
          SliceOp::create(builder, getLoc(), gradient, getDim(), begin, size));
    begin += size;
  }
  SmallVector<Value> result;
  for (Value input : getInputs()) {
    SmallVector<Value> sum = std::move(parts[input]);
    parts[input].clear();
    if (sum.size() > 1)
      sum = {MapOp::create(
          builder, getLoc(), input.getType(), sum,
          [](OpBuilder &inner, Location loc, Scalars x) -> Value {
            Value total = x[0];
            for (Value part : x.drop_front())
              total = arith::AddFOp::create(inner, loc, total, part);
            return total;
          })};
    result.push_back(sum.empty() ? Value() : sum.front());
  }
  return result;
}

FailureOr<SmallVector<Value>>
SliceOp::buildGradients(OpBuilder &builder, Value gradient, ArrayRef<bool>) {
  auto type = cast<RankedTensorType>(getX().getType());
  int64_t whole = type.getDimSize(getDim());
  if (failed(expectKnown(*this, type, whole)))
    return failure();
  if (getSize() == 0) // Nothing of `x` is read.
    return Result{Value()};
  // As many rows as the gradient has: of types, their number may be known in
  // `x` alone.
  auto zeros = [&](int64_t size) -> Value {
    auto ofGradient = cast<RankedTensorType>(gradient.getType());
    SmallVector<int64_t> shape(ofGradient.getShape());
    shape[getDim()] = size;
    Value first = SliceOp::create(builder, getLoc(), gradient, getDim(), 0, 1);
    return createZeros(builder, getLoc(), first, ofGradient.clone(shape));
  };
  SmallVector<Value> parts;
  if (getBegin() > 0)
    parts.push_back(zeros(getBegin()));
  parts.push_back(gradient);
  int64_t end = getBegin() + getSize();
  if (end < whole)
    parts.push_back(zeros(whole - end));
  if (parts.size() == 1)
    return parts;
  return Result{ConcatOp::create(builder, getLoc(), parts, getDim())};
}

//===----------------------------------------------------------------------===//
// Features
//===----------------------------------------------------------------------===//

FailureOr<SmallVector<Value>>
ReduceFeaturesOp::buildGradients(OpBuilder &builder, Value gradient,
                                 ArrayRef<bool>) {
  Location loc = getLoc();
  Type type = getX().getType();
  if (failed(expectKnown(*this, type, getRowShape(type))))
    return failure();
  double size = cast<RankedTensorType>(type).getDimSize(getDim());
  Value spread = insertDim(builder, loc, gradient, getDim());
  bool isMean = getKind() == Reduction::Mean;
  if (isMean || getKind() == Reduction::Sum)
    return Result{MapOp::create(
        builder, loc, type, spread,
        [&](OpBuilder &inner, Location loc, Scalars x) -> Value {
          if (!isMean)
            return x[0];
          Value count = arith::ConstantOp::create(
              inner, loc, inner.getFloatAttr(x[0].getType(), size));
          return arith::DivFOp::create(inner, loc, x[0], count);
        })};
  auto reduce = [&](Value x, Reduction kind) {
    return insertDim(builder, loc,
                     ReduceFeaturesOp::create(builder, loc, x, kind, getDim()),
                     getDim());
  };
  if (getKind() == Reduction::Mul) {
    auto scale = [&](Value product) {
      return multiply(builder, loc, spread.getType(), spread, product);
    };
    Value isZero =
        markBest(builder, loc, getX(), createZeros(builder, loc, getX(), type));
    Value others = fillZeros(builder, loc, getX(), isZero);
    return Result{buildFactorGradient(
        builder, loc, getX(), isZero, reduce(isZero, Reduction::Sum),
        scale(insertDim(builder, loc, getResult(), getDim())),
        scale(reduce(others, Reduction::Mul)))};
  }
  Value best = markBest(builder, loc, getX(),
                        insertDim(builder, loc, getResult(), getDim()));
  return Result{MapOp::create(
      builder, loc, type, {best, spread, reduce(best, Reduction::Sum)},
      [](OpBuilder &inner, Location loc, Scalars x) -> Value {
        Value share = arith::DivFOp::create(inner, loc, x[1], x[2]);
        return arith::MulFOp::create(inner, loc, x[0], share);
      })};
}

FailureOr<SmallVector<Value>>
SoftmaxOp::buildGradients(OpBuilder &builder, Value gradient, ArrayRef<bool>) {
  // y (g - sum of y g), and for the logarithm g - exp(y) (sum of g).
  Location loc = getLoc();
  Type type = getX().getType();
  if (failed(expectKnown(*this, type, getRowShape(type))))
    return failure();
  int64_t last = cast<RankedTensorType>(type).getRank() - 1;
  Value summed =
      getLog() ? gradient : multiply(builder, loc, type, getResult(), gradient);
  Value sum = insertDim(
      builder, loc,
      ReduceFeaturesOp::create(builder, loc, summed, Reduction::Sum, last),
      last);
  return Result{MapOp::create(
      builder, loc, type, {getResult(), gradient, sum},
      [&](OpBuilder &inner, Location loc, Scalars x) -> Value {
        if (getLog()) {
          Value part = arith::MulFOp::create(
              inner, loc, math::ExpOp::create(inner, loc, x[0]), x[2]);
          return arith::SubFOp::create(inner, loc, x[1], part);
        }
        Value rest = arith::SubFOp::create(inner, loc, x[1], x[2]);
        return arith::MulFOp::create(inner, loc, x[0], rest);
      })};
}
