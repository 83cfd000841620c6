//===- CrossOp.cpp - the cross product of rows of three numbers -----------===//

#include "RGNN/Dialect/RGNN/IR/RGNN.h"
#include "RowOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::rgnn;

LogicalResult CrossOp::inferReturnTypes(MLIRContext *context,
                                        std::optional<Location> location,
                                        CrossOpAdaptor op,
                                        SmallVectorImpl<Type> &types) {
  Type type = op.getLhs().getType();
  // C1
  if (type != op.getRhs().getType())
    return emitOptionalError(location, "expected operands of one type, got ",
                             type, " and ", op.getRhs().getType());
  ArrayRef<int64_t> shape = getRowShape(type);
  // C2
  if (shape.empty() || shape.back() != 3)
    return emitOptionalError(
        location, "expected rows with a last dimension of size 3, got ", type);
  types.push_back(type);
  return success();
}

/// Two products and a difference for each element.
int64_t CrossOp::countOperations(SizeFn size) { return 3 * size(getResult()); }

/// `(y, z, x)` of `(x, y, z)`, along the last dimension.
static Value rotate(OpBuilder &builder, Location loc, Value row) {
  SmallVector<int64_t> sizes(cast<VectorType>(row.getType()).getShape());
  SmallVector<int64_t> offsets(sizes.size(), 0), strides(sizes.size(), 1);
  Value rotated = row;
  auto move = [&](int64_t from, int64_t to, int64_t size) {
    offsets.back() = from;
    sizes.back() = size;
    Value part = vector::ExtractStridedSliceOp::create(builder, loc, row,
                                                       offsets, sizes, strides);
    offsets.back() = to;
    rotated = vector::InsertStridedSliceOp::create(builder, loc, part, rotated,
                                                   offsets, strides);
  };
  move(1, 0, 2);
  move(0, 2, 1);
  return rotated;
}

/// `lhs * rotate(rhs) - rotate(lhs) * rhs` is the result but for its order: it
/// starts with the last.
Value CrossOp::emitRow(OpBuilder &builder, ValueRange rows) {
  Location loc = getLoc();
  Value plus = arith::MulFOp::create(builder, loc, rows[0],
                                     rotate(builder, loc, rows[1]));
  Value minus = arith::MulFOp::create(builder, loc,
                                      rotate(builder, loc, rows[0]), rows[1]);
  return rotate(builder, loc, arith::SubFOp::create(builder, loc, plus, minus));
}

Value CrossOp::buildOnRows(OpBuilder &builder, ValueRange inputs,
                           RankedTensorType) {
  return CrossOp::create(builder, getLoc(), inputs[0], inputs[1]);
}

FailureOr<SmallVector<Value>> CrossOp::buildGradients(OpBuilder &builder,
                                                      Value gradient,
                                                      ArrayRef<bool> needed) {
  Value lhs, rhs;
  if (needed[0])
    lhs = CrossOp::create(builder, getLoc(), getRhs(), gradient);
  if (needed[1])
    rhs = CrossOp::create(builder, getLoc(), gradient, getLhs());
  return SmallVector<Value>{lhs, rhs};
}
