//===- RGNNRowEmission.cpp - one row of each row op, on scalars and vectors
//===//
//
// The code that traversal kernels run for a row. Vectors have the shape of the
// row; the target decides later how they map to registers.
//
//===----------------------------------------------------------------------===//

#include "RGNN/Dialect/RGNN/IR/RGNN.h"
#include "RowOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::rgnn;

/// Repeats `value` along missing leading dimensions and those of size 1, as
/// PyTorch does.
static Value broadcastRow(OpBuilder &builder, Location loc, Value value,
                          Type type) {
  auto target = dyn_cast<VectorType>(type);
  if (!target || value.getType() == type)
    return value;
  return vector::BroadcastOp::create(builder, loc, target, value);
}

/// A scalar constant as a value of `type`, whose elements may be wider floats.
static Value createSplat(OpBuilder &builder, Location loc, TypedAttr scalar,
                         Type type) {
  Type element = getElementTypeOrSelf(type);
  if (scalar.getType() != element)
    scalar = builder.getFloatAttr(element,
                                  cast<FloatAttr>(scalar).getValueAsDouble());
  if (auto vector = dyn_cast<VectorType>(type))
    scalar = DenseElementsAttr::get(vector, scalar);
  return arith::ConstantOp::create(builder, loc, scalar);
}

/// The combining kind of a reduction of floats; a mean is a sum until it is
/// divided.
static vector::CombiningKind getCombiningKind(Reduction kind) {
  switch (kind) {
  case Reduction::Sum:
  case Reduction::Mean:
    return vector::CombiningKind::ADD;
  case Reduction::Max:
    return vector::CombiningKind::MAXIMUMF;
  case Reduction::Min:
    return vector::CombiningKind::MINIMUMF;
  case Reduction::Mul:
    return vector::CombiningKind::MUL;
  }
  llvm_unreachable("all reductions are handled");
}

Value rgnn::reduceDim(OpBuilder &builder, Location loc, Value value,
                      int64_t dim, Reduction kind) {
  auto type = cast<VectorType>(value.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape.erase(shape.begin() + dim);
  Type result = getRowValueType(shape, type.getElementType());
  TypedAttr start =
      builder.getFloatAttr(type.getElementType(), getNeutral(kind));
  if (auto vector = dyn_cast<VectorType>(result))
    start = DenseElementsAttr::get(vector, start);
  Value init = arith::ConstantOp::create(builder, loc, start);
  SmallVector<bool> mask(type.getRank(), false);
  mask[dim] = true;
  Value reduced = vector::MultiDimReductionOp::create(
      builder, loc, value, init, mask, getCombiningKind(kind));
  if (kind != Reduction::Mean)
    return reduced;
  TypedAttr size = builder.getFloatAttr(
      type.getElementType(), static_cast<double>(type.getDimSize(dim)));
  if (auto vector = dyn_cast<VectorType>(result))
    size = DenseElementsAttr::get(vector, size);
  return arith::DivFOp::create(builder, loc, reduced,
                               arith::ConstantOp::create(builder, loc, size));
}

Value DotOp::emitRow(OpBuilder &builder, ValueRange rows) {
  Value product = arith::MulFOp::create(builder, getLoc(), rows[0], rows[1]);
  return reduceDim(builder, getLoc(), product,
                   cast<VectorType>(product.getType()).getRank() - 1,
                   Reduction::Sum);
}

Value MapOp::emitRow(OpBuilder &builder, ValueRange rows) {
  ArrayRef<int64_t> shape = getRowShape(getResult().getType());
  IRMapping mapping;
  for (auto [argument, row] : llvm::zip(getBody().front().getArguments(), rows))
    mapping.map(argument, broadcastRow(builder, getLoc(), row,
                                       getRowValueType(
                                           shape, getElementTypeOrSelf(row))));
  // Scalar ops of arith and math work on vectors as they are; constants are
  // splat. Of floats that are computed in a wider type, only a cast rounds.
  for (Operation &op : getBody().front().without_terminator()) {
    Value result = op.getResult(0);
    Type type = getRowValueType(shape, result.getType()),
         wide = getComputeType(type);
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      mapping.map(result,
                  createSplat(builder, op.getLoc(), constant.getValue(), wide));
      continue;
    }
    if (isa<arith::ExtFOp>(op)) {
      Value known = mapping.lookupOrDefault(op.getOperand(0));
      if (known.getType() == wide) {
        mapping.map(result, known);
        continue;
      }
    }
    Operation *clone = builder.clone(op, mapping);
    bool rounds = isa<arith::TruncFOp>(op) && type != wide;
    clone->getResult(0).setType(rounds ? type : wide);
    if (rounds)
      mapping.map(result, arith::ExtFOp::create(builder, op.getLoc(), wide,
                                                clone->getResult(0)));
  }
  Value result = mapping.lookupOrDefault(
      cast<YieldOp>(getBody().front().getTerminator()).getValues()[0]);
  return broadcastRow(builder, getLoc(), result,
                      getRowValueType(shape, getElementTypeOrSelf(result)));
}

Value ReshapeOp::emitRow(OpBuilder &builder, ValueRange rows) {
  Type type = getRowValueType(getRowShape(getResult().getType()),
                              getElementTypeOrSelf(rows[0]));
  if (!isa<VectorType>(rows[0].getType()))
    return broadcastRow(builder, getLoc(), rows[0], type);
  if (auto vector = dyn_cast<VectorType>(type))
    return vector::ShapeCastOp::create(builder, getLoc(), vector, rows[0]);
  SmallVector<int64_t> first(cast<VectorType>(rows[0].getType()).getRank(), 0);
  return vector::ExtractOp::create(builder, getLoc(), rows[0], first);
}

Value DetachOp::emitRow(OpBuilder &, ValueRange rows) { return rows[0]; }

Value WithSlopeOp::emitRow(OpBuilder &, ValueRange rows) { return rows[0]; }

Value PermuteOp::emitRow(OpBuilder &builder, ValueRange rows) {
  int64_t rowDims = rgnn::getRows(getX().getType()) ? 1 : 0;
  SmallVector<int64_t> order;
  for (int64_t dim : getOrder().drop_front(rowDims))
    order.push_back(dim - rowDims);
  if (order.empty())
    return rows[0];
  return vector::TransposeOp::create(builder, getLoc(), rows[0], order);
}

Value ConcatOp::emitRow(OpBuilder &builder, ValueRange rows) {
  Type result = getResult().getType();
  int64_t dim = getDim() - (rgnn::getRows(result) ? 1 : 0);
  auto type = cast<VectorType>(
      getRowValueType(getRowShape(result), getElementTypeOrSelf(rows[0])));
  Value joined =
      arith::ConstantOp::create(builder, getLoc(), builder.getZeroAttr(type));
  SmallVector<int64_t> offsets(type.getRank(), 0), strides(type.getRank(), 1);
  for (Value row : rows) {
    joined = vector::InsertStridedSliceOp::create(builder, getLoc(), row,
                                                  joined, offsets, strides);
    offsets[dim] += cast<VectorType>(row.getType()).getDimSize(dim);
  }
  return joined;
}

Value SliceOp::emitRow(OpBuilder &builder, ValueRange rows) {
  int64_t dim = getDim() - (rgnn::getRows(getX().getType()) ? 1 : 0);
  auto type = cast<VectorType>(rows[0].getType());
  SmallVector<int64_t> offsets(type.getRank(), 0), strides(type.getRank(), 1),
      sizes(type.getShape());
  offsets[dim] = getBegin();
  sizes[dim] = getSize();
  return vector::ExtractStridedSliceOp::create(builder, getLoc(), rows[0],
                                               offsets, sizes, strides);
}

Value ReduceFeaturesOp::emitRow(OpBuilder &builder, ValueRange rows) {
  return reduceDim(builder, getLoc(), rows[0],
                   getDim() - (rgnn::getRows(getX().getType()) ? 1 : 0),
                   getKind());
}

Value SoftmaxOp::emitRow(OpBuilder &builder, ValueRange rows) {
  Location loc = getLoc();
  auto type = cast<VectorType>(rows[0].getType());
  int64_t last = type.getRank() - 1;
  SmallVector<int64_t> kept(type.getShape());
  kept.back() = 1;
  auto keptType = VectorType::get(kept, type.getElementType());
  auto spread = [&](Value reduced) {
    Value column =
        isa<VectorType>(reduced.getType())
            ? vector::ShapeCastOp::create(builder, loc, keptType, reduced)
                  .getResult()
            : reduced;
    return broadcastRow(builder, loc, column, type);
  };
  Value maximum =
      spread(reduceDim(builder, loc, rows[0], last, Reduction::Max));
  Value shifted = arith::SubFOp::create(builder, loc, rows[0], maximum);
  Value exponential = math::ExpOp::create(builder, loc, shifted);
  Value sum = reduceDim(builder, loc, exponential, last, Reduction::Sum);
  if (getLog())
    return arith::SubFOp::create(
        builder, loc, shifted, spread(math::LogOp::create(builder, loc, sum)));
  return arith::DivFOp::create(builder, loc, exponential, spread(sum));
}
