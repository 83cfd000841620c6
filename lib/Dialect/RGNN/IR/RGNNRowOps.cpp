//===- RGNNRowOps.cpp - ops that act on each row by itself ----------------===//

#include "RGNN/Dialect/RGNN/IR/RGNN.h"
#include "RowOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::rgnn;

RankedTensorType rgnn::withRowShape(Type type, ArrayRef<int64_t> rowShape) {
  auto tensor = cast<RankedTensorType>(type);
  SmallVector<int64_t> shape(rowShape);
  if (getRows(type))
    shape.insert(shape.begin(), tensor.getDimSize(0));
  return tensor.clone(shape);
}

/// A dimension of the row as written in an op, counted from the tensor's first
/// dimension.
static LogicalResult verifyRowDim(Operation *op, Type type, int64_t dim) {
  int64_t rank = cast<RankedTensorType>(type).getRank();
  if (dim < getRowDims(type) || dim >= rank)
    return op->emitOpError() << "expected a dimension in [" << getRowDims(type)
                             << ", " << rank << "), got " << dim;
  return success();
}

bool rgnn::agreeButForLast(RankedTensorType a, RankedTensorType b) {
  if (a.getRank() == 0 || a.getRank() != b.getRank() ||
      a.getEncoding() != b.getEncoding() ||
      a.getElementType() != b.getElementType())
    return false;
  SmallVector<int64_t> sizes(a.getShape().drop_back()),
      others(b.getShape().drop_back());
  // Rows of one domain are as many, known in a type or not.
  if (getRows(a) && !sizes.empty() && (a.isDynamicDim(0) || b.isDynamicDim(0)))
    sizes.front() = others.front();
  return sizes == others;
}

//===----------------------------------------------------------------------===//
// Linear, outer sum, dot
//===----------------------------------------------------------------------===//

LogicalResult LinearOp::inferReturnTypes(MLIRContext *context,
                                         std::optional<Location> location,
                                         LinearOpAdaptor op,
                                         SmallVectorImpl<Type> &types) {
  Type x = op.getX().getType();
  auto weight = cast<RankedTensorType>(op.getWeight().getType());
  // C1
  if (weight.getRank() != 2 || weight.getEncoding() || !weight.hasStaticShape())
    return emitOptionalError(
        location, "expected a matrix without rows as weight, got ", weight);
  // C2
  int64_t in = weight.getDimSize(op.getTransposed() ? 1 : 0),
          out = weight.getDimSize(op.getTransposed() ? 0 : 1);
  SmallVector<int64_t> shape(getRowShape(x));
  if (shape.empty() || shape.back() != in)
    return emitOptionalError(location, "expected rows of ", in,
                             " features for weight ", weight, ", got ", x);
  shape.back() = out;
  types.push_back(withRowShape(x, shape));
  return success();
}

LogicalResult LinearOp::verify() {
  if (getElementTypeOrSelf(getX().getType()) !=
      getElementTypeOrSelf(getWeight().getType()))
    return emitOpError() << "expected a weight of "
                         << getElementTypeOrSelf(getX().getType()) << ", got "
                         << getWeight().getType();
  return success();
}

LogicalResult MatmulOp::inferReturnTypes(MLIRContext *context,
                                         std::optional<Location> location,
                                         MatmulOpAdaptor op,
                                         SmallVectorImpl<Type> &types) {
  auto lhs = cast<RankedTensorType>(op.getLhs().getType()),
       rhs = cast<RankedTensorType>(op.getRhs().getType());
  // C1
  for (RankedTensorType type : {lhs, rhs})
    if (type.getEncoding() || !type.hasStaticShape() || type.getRank() < 2)
      return emitOptionalError(
          location, "expected matrices of known sizes without rows, got ",
          type);
  // C2
  ArrayRef<int64_t> left = lhs.getShape(), right = rhs.getShape();
  if (left.size() != right.size() || left.drop_back(2) != right.drop_back(2) ||
      left.back() != right.drop_back().back() ||
      lhs.getElementType() != rhs.getElementType())
    return emitOptionalError(location,
                             "expected matrices that can be multiplied, got ",
                             lhs, " and ", rhs);
  SmallVector<int64_t> shape(left);
  shape.back() = right.back();
  types.push_back(RankedTensorType::get(shape, lhs.getElementType()));
  return success();
}

LogicalResult OuterSumOp::inferReturnTypes(MLIRContext *context,
                                           std::optional<Location> location,
                                           OuterSumOpAdaptor op,
                                           SmallVectorImpl<Type> &types) {
  auto x = cast<RankedTensorType>(op.getX().getType()),
       y = cast<RankedTensorType>(op.getY().getType());
  // C1
  if (getRowShape(x).empty() || !agreeButForLast(x, y))
    return emitOptionalError(location,
                             "expected rows that differ in their last "
                             "dimension only, got ",
                             x, " and ", y);
  types.push_back(RankedTensorType::get(
      {x.getShape().back(), y.getShape().back()}, x.getElementType()));
  return success();
}

LogicalResult SumRowsOp::inferReturnTypes(MLIRContext *context,
                                          std::optional<Location> location,
                                          SumRowsOpAdaptor op,
                                          SmallVectorImpl<Type> &types) {
  Type x = op.getX().getType();
  // C1
  if (!getRows(x))
    return emitOptionalError(location, "expected a tensor with rows, got ", x);
  types.push_back(
      RankedTensorType::get(getRowShape(x), getElementTypeOrSelf(x)));
  return success();
}

LogicalResult DotOp::inferReturnTypes(MLIRContext *context,
                                      std::optional<Location> location,
                                      DotOpAdaptor op,
                                      SmallVectorImpl<Type> &types) {
  ArrayRef<int64_t> shape = getRowShape(op.getLhs().getType());
  if (shape.empty())
    return emitOptionalError(location,
                             "expected rows of at least one dimension, got ",
                             op.getLhs().getType());
  types.push_back(withRowShape(op.getLhs().getType(), shape.drop_back()));
  return success();
}

//===----------------------------------------------------------------------===//
// Map
//===----------------------------------------------------------------------===//

/// Whether `from` broadcasts to `to` by PyTorch's rules: aligned at the last
/// dimension, sizes equal or 1.
static bool broadcasts(ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
  if (from.size() > to.size())
    return false;
  return llvm::all_of(llvm::zip(llvm::reverse(from), llvm::reverse(to)),
                      [](auto sizes) {
                        return std::get<0>(sizes) == 1 ||
                               std::get<0>(sizes) == std::get<1>(sizes);
                      });
}

void MapOp::build(OpBuilder &builder, OperationState &state, Type result,
                  ValueRange inputs,
                  function_ref<Value(OpBuilder &, Location, ValueRange)> body) {
  build(builder, state, result, inputs);
  OpBuilder::InsertionGuard guard(builder);
  Block *block = builder.createBlock(state.regions[0].get());
  for (Value input : inputs)
    block->addArgument(getElementTypeOrSelf(input), state.location);
  rgnn::YieldOp::create(builder, state.location,
                        body(builder, state.location, block->getArguments()));
}

LogicalResult MapOp::verify() {
  RowsAttr rows = getRows(getResult().getType());
  ArrayRef<int64_t> rowShape = getRowShape(getResult().getType());
  Block &body = getBody().front();
  if (body.getNumArguments() != getInputs().size())
    return emitOpError() << "expected " << getInputs().size()
                         << " region arguments, got " << body.getNumArguments();
  for (auto [index, input] : llvm::enumerate(getInputs())) {
    // C1
    RowsAttr inputRows = getRows(input.getType());
    if (inputRows && inputRows != rows)
      return emitOpError() << "expected operand " << index
                           << " on the domain of " << getResult().getType()
                           << " or without rows, got " << input.getType();
    // C2
    if (!broadcasts(getRowShape(input.getType()), rowShape))
      return emitOpError() << "expected operand " << index
                           << " to broadcast to " << getResult().getType()
                           << ", got " << input.getType();
    // C3
    if (body.getArgument(index).getType() !=
        getElementTypeOrSelf(input.getType()))
      return emitOpError() << "expected region argument " << index << " of "
                           << getElementTypeOrSelf(input.getType()) << ", got "
                           << body.getArgument(index).getType();
  }
  auto yield = dyn_cast<YieldOp>(&body.back());
  if (!yield)
    return emitOpError() << "expected the region to end in rgnn.yield, got "
                         << body.back().getName();
  Type element = getElementTypeOrSelf(getResult().getType());
  if (yield.getValues().size() != 1 ||
      yield.getValues()[0].getType() != element)
    return emitOpError() << "expected the region to yield one " << element
                         << ", got " << yield.getValues().getTypes();
  // C4
  for (Operation &op : body.without_terminator())
    if (!isa_and_present<arith::ArithDialect, math::MathDialect>(
            op.getDialect()) ||
        !isPure(&op) || op.getNumResults() != 1)
      return emitOpError()
             << "expected scalar ops of arith and math in the region, got "
             << op.getName();
  return success();
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

LogicalResult ReshapeOp::verify() {
  Type from = getX().getType(), to = getResult().getType();
  // C1
  if (getRows(from) != getRows(to) ||
      getElementTypeOrSelf(from) != getElementTypeOrSelf(to))
    return emitOpError() << "expected the domain and element type of " << from
                         << " to stay, got " << to;
  if (ShapedType::isDynamicShape(getRowShape(from)) ||
      ShapedType::isDynamicShape(getRowShape(to)))
    return emitOpError() << "expected static sizes, got " << from << " and "
                         << to;
  if (getRowWidth(from) != getRowWidth(to))
    return emitOpError() << "expected " << getRowWidth(from)
                         << " elements a row, got " << to;
  return success();
}

LogicalResult PermuteOp::inferReturnTypes(MLIRContext *context,
                                          std::optional<Location> location,
                                          PermuteOpAdaptor op,
                                          SmallVectorImpl<Type> &types) {
  auto x = cast<RankedTensorType>(op.getX().getType());
  ArrayRef<int64_t> order = op.getOrder();
  // C1
  SmallVector<int64_t> sorted(order);
  llvm::sort(sorted);
  if (sorted != llvm::to_vector(llvm::seq<int64_t>(0, x.getRank())))
    return emitOptionalError(location, "expected an order of ", x.getRank(),
                             " dimensions");
  SmallVector<int64_t> shape;
  for (int64_t dim : order)
    shape.push_back(x.getDimSize(dim));
  types.push_back(
      RankedTensorType::get(shape, x.getElementType(), x.getEncoding()));
  return success();
}

LogicalResult PermuteOp::verify() {
  // C2
  if (getRows(getX().getType()) && getOrder()[0] != 0)
    return emitOpError() << "expected the rows to stay first, got dimension "
                         << getOrder()[0];
  return success();
}

LogicalResult ConcatOp::inferReturnTypes(MLIRContext *context,
                                         std::optional<Location> location,
                                         ConcatOpAdaptor op,
                                         SmallVectorImpl<Type> &types) {
  if (op.getInputs().empty())
    return emitOptionalError(location,
                             "expected at least one operand, got none");
  auto first = cast<RankedTensorType>(op.getInputs()[0].getType());
  int64_t dim = op.getDim();
  if (dim < 0 || dim >= first.getRank())
    return emitOptionalError(location, "expected a dimension of ", first,
                             ", got ", dim);
  SmallVector<int64_t> shape(first.getShape());
  shape[dim] = 0;
  for (Value input : op.getInputs()) {
    auto type = cast<RankedTensorType>(input.getType());
    // C2
    if (type.getRank() != first.getRank() ||
        type.getEncoding() != first.getEncoding() ||
        type.getElementType() != first.getElementType())
      return emitOptionalError(location, "expected operands like ", first,
                               ", got ", type);
    for (int64_t d = 0; d < type.getRank(); ++d)
      if (d != dim && type.getDimSize(d) != first.getDimSize(d))
        return emitOptionalError(location, "expected operands like ", first,
                                 ", got ", type);
    if (ShapedType::isDynamic(shape[dim]) || type.isDynamicDim(dim))
      shape[dim] = ShapedType::kDynamic;
    else
      shape[dim] += type.getDimSize(dim);
  }
  types.push_back(RankedTensorType::get(shape, first.getElementType(),
                                        first.getEncoding()));
  return success();
}

// C1
LogicalResult ConcatOp::verify() {
  return verifyRowDim(*this, getResult().getType(), getDim());
}

LogicalResult SliceOp::inferReturnTypes(MLIRContext *context,
                                        std::optional<Location> location,
                                        SliceOpAdaptor op,
                                        SmallVectorImpl<Type> &types) {
  auto x = cast<RankedTensorType>(op.getX().getType());
  int64_t dim = op.getDim();
  if (dim < 0 || dim >= x.getRank())
    return emitOptionalError(location, "expected a dimension of ", x, ", got ",
                             dim);
  SmallVector<int64_t> shape(x.getShape());
  shape[dim] = op.getSize();
  types.push_back(
      RankedTensorType::get(shape, x.getElementType(), x.getEncoding()));
  return success();
}

LogicalResult SliceOp::verify() {
  // C1
  if (failed(verifyRowDim(*this, getX().getType(), getDim())))
    return failure();
  // C2
  int64_t size = cast<RankedTensorType>(getX().getType()).getDimSize(getDim());
  int64_t begin = getBegin(), count = getSize();
  if (count < 0 || begin < 0 || begin > size || count > size - begin)
    return emitOpError() << "expected a range within [0, " << size << "), got ["
                         << getBegin() << ", " << getBegin() + getSize() << ")";
  return success();
}

//===----------------------------------------------------------------------===//
// Reductions within a row
//===----------------------------------------------------------------------===//

LogicalResult ReduceFeaturesOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> location,
    ReduceFeaturesOpAdaptor op, SmallVectorImpl<Type> &types) {
  auto x = cast<RankedTensorType>(op.getX().getType());
  int64_t dim = op.getDim();
  if (dim < 0 || dim >= x.getRank())
    return emitOptionalError(location, "expected a dimension of ", x, ", got ",
                             dim);
  SmallVector<int64_t> shape(x.getShape());
  shape.erase(shape.begin() + dim);
  types.push_back(
      RankedTensorType::get(shape, x.getElementType(), x.getEncoding()));
  return success();
}

// C1
LogicalResult ReduceFeaturesOp::verify() {
  return verifyRowDim(*this, getX().getType(), getDim());
}

LogicalResult SoftmaxOp::inferReturnTypes(MLIRContext *context,
                                          std::optional<Location> location,
                                          SoftmaxOpAdaptor op,
                                          SmallVectorImpl<Type> &types) {
  types.push_back(op.getX().getType());
  return success();
}

LogicalResult SoftmaxOp::verify() {
  // C1
  if (getRowShape(getX().getType()).empty())
    return emitOpError() << "expected rows of at least one dimension, got "
                         << getX().getType();
  return success();
}
