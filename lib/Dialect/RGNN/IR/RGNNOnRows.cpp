//===- RGNNOnRows.cpp - row ops on all rows, and what they sum over -------===//
//
// The loop form writes row ops for one row, whose dimensions count from 0; on
// all rows they count from 1.
//
//===----------------------------------------------------------------------===//

#include "RGNN/Dialect/RGNN/IR/RGNN.h"

using namespace mlir;
using namespace mlir::rgnn;

//===----------------------------------------------------------------------===//
// On all rows
//===----------------------------------------------------------------------===//

/// Raising loops builds it itself, since a factor may be a weight.
Value DotOp::buildOnRows(OpBuilder &builder, ValueRange inputs,
                         RankedTensorType) {
  return DotOp::create(builder, getLoc(), inputs[0], inputs[1]);
}

Value MapOp::buildOnRows(OpBuilder &builder, ValueRange inputs,
                         RankedTensorType type) {
  auto map = cast<MapOp>(builder.clone(**this));
  map.getInputsMutable().assign(inputs);
  map.getResult().setType(type);
  return map.getResult();
}

Value ReshapeOp::buildOnRows(OpBuilder &builder, ValueRange inputs,
                             RankedTensorType type) {
  return ReshapeOp::create(builder, getLoc(), type, inputs[0]);
}

Value PermuteOp::buildOnRows(OpBuilder &builder, ValueRange inputs,
                             RankedTensorType) {
  SmallVector<int64_t> order{0};
  for (int64_t dim : getOrder())
    order.push_back(dim + 1);
  return PermuteOp::create(builder, getLoc(), inputs[0], order);
}

Value ConcatOp::buildOnRows(OpBuilder &builder, ValueRange inputs,
                            RankedTensorType) {
  return ConcatOp::create(builder, getLoc(), inputs, getDim() + 1);
}

Value SliceOp::buildOnRows(OpBuilder &builder, ValueRange inputs,
                           RankedTensorType) {
  return SliceOp::create(builder, getLoc(), inputs[0], getDim() + 1, getBegin(),
                         getSize());
}

Value ReduceFeaturesOp::buildOnRows(OpBuilder &builder, ValueRange inputs,
                                    RankedTensorType) {
  return ReduceFeaturesOp::create(builder, getLoc(), inputs[0], getKind(),
                                  getDim() + 1);
}

Value SoftmaxOp::buildOnRows(OpBuilder &builder, ValueRange inputs,
                             RankedTensorType) {
  return SoftmaxOp::create(builder, getLoc(), inputs[0], getLog());
}

Value DetachOp::buildOnRows(OpBuilder &builder, ValueRange inputs,
                            RankedTensorType) {
  return DetachOp::create(builder, getLoc(), inputs[0]);
}

Value WithSlopeOp::buildOnRows(OpBuilder &builder, ValueRange inputs,
                               RankedTensorType) {
  return WithSlopeOp::create(builder, getLoc(), inputs[0], inputs[1],
                             inputs[2]);
}

//===----------------------------------------------------------------------===//
// Contractions
//===----------------------------------------------------------------------===//

static int64_t getLastDim(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getRank() - 1;
}

SmallVector<Summed> LinearOp::getSummed() {
  return {{0, getLastDim(getX())}, {1, getTransposed() ? 1 : 0}};
}

SmallVector<Summed> TypedLinearOp::getSummed() {
  return {{0, getLastDim(getX())}, {1, getLastDim(getWeight()) - 1}};
}

SmallVector<Summed> DotOp::getSummed() {
  return {{0, getLastDim(getLhs())}, {1, getLastDim(getRhs())}};
}

SmallVector<Summed> ReduceFeaturesOp::getSummed() {
  int64_t last = getLastDim(getX());
  if (getKind() != Reduction::Sum || static_cast<int64_t>(getDim()) != last)
    return {};
  return {{0, last}};
}
