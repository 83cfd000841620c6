//===- NormOp.cpp - the Euclidean norm of rows ----------------------------===//

#include "RGNN/Dialect/RGNN/IR/RGNN.h"
#include "RowOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::rgnn;

LogicalResult NormOp::inferReturnTypes(MLIRContext *context,
                                       std::optional<Location> location,
                                       NormOpAdaptor op,
                                       SmallVectorImpl<Type> &types) {
  ArrayRef<int64_t> shape = getRowShape(op.getX().getType());
  // C1
  if (shape.empty())
    return emitOptionalError(location,
                             "expected rows of at least one dimension, got ",
                             op.getX().getType());
  types.push_back(withRowShape(op.getX().getType(), shape.drop_back()));
  return success();
}

/// A product and a sum for each element, and a root.
int64_t NormOp::countOperations(SizeFn size) {
  return 2 * size(getX()) + size(getResult());
}

Value NormOp::emitRow(OpBuilder &builder, ValueRange rows) {
  Value square = arith::MulFOp::create(builder, getLoc(), rows[0], rows[0]);
  Value sum = reduceDim(builder, getLoc(), square,
                        cast<VectorType>(square.getType()).getRank() - 1,
                        Reduction::Sum);
  return math::SqrtOp::create(builder, getLoc(), sum);
}

Value NormOp::buildOnRows(OpBuilder &builder, ValueRange inputs,
                          RankedTensorType) {
  return NormOp::create(builder, getLoc(), inputs[0]);
}

FailureOr<SmallVector<Value>>
NormOp::buildGradients(OpBuilder &builder, Value gradient, ArrayRef<bool>) {
  // g (x / y): x / y is at most 1, while g x could be infinite. Where y is 0,
  // x / y is NaN, and 0 is chosen.
  Location loc = getLoc();
  Type type = getX().getType();
  if (failed(expectKnown(*this, type, getRowShape(type))))
    return failure();
  int64_t last = cast<RankedTensorType>(type).getRank() - 1;
  Value norm = insertDim(builder, loc, getResult(), last);
  Value spread = insertDim(builder, loc, gradient, last);
  return SmallVector<Value>{MapOp::create(
      builder, loc, type, {getX(), norm, spread},
      [](OpBuilder &inner, Location loc, ValueRange x) -> Value {
        Value zero = arith::ConstantOp::create(
            inner, loc, inner.getFloatAttr(x[1].getType(), 0));
        Value isZero = arith::CmpFOp::create(
            inner, loc, arith::CmpFPredicate::OEQ, x[1], zero);
        Value direction = arith::DivFOp::create(inner, loc, x[0], x[1]);
        Value product = arith::MulFOp::create(inner, loc, x[2], direction);
        return arith::SelectOp::create(inner, loc, isZero, zero, product);
      })};
}
