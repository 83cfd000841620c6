//===- SoftmaxParts.cpp - a softmax of what its groups share --------------===//

#include "RGNN/Dialect/RGNN/Utils/SoftmaxParts.h"

#include "RGNN/Dialect/RGNN/IR/RGNNGradients.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::rgnn;

Type rgnn::getTypeOfGroups(GroupSoftmaxOp op) {
  Type type = op.getResult().getType();
  RowsAttr groups = op.getGraph().getType().getRows(op.getPath(), Domain::Edge);
  return getRowsType(groups, getRowShape(type), getElementTypeOrSelf(type));
}

static Value spread(OpBuilder &builder, GroupSoftmaxOp op, Value graph,
                    Value ofGroups) {
  return GatherOp::create(builder, op.getLoc(), ofGroups, graph, op.getPath(),
                          Domain::Edge);
}

static Value emitPowers(OpBuilder &builder, GroupSoftmaxOp op, Value graph,
                        Value rows, Value maximum) {
  return MapOp::create(
      builder, op.getLoc(), op.getResult().getType(),
      {rows, spread(builder, op, graph, maximum)},
      [](OpBuilder &inner, Location loc, ValueRange x) -> Value {
        Value shifted = arith::SubFOp::create(inner, loc, x[0], x[1]);
        return math::ExpOp::create(inner, loc, shifted);
      });
}

SoftmaxParts rgnn::emitParts(OpBuilder &builder, GroupSoftmaxOp op) {
  Location loc = op.getLoc();
  auto reduce = [&](Value rows, Reduction kind) {
    return ReduceOp::create(builder, loc, rows, op.getGraph(), op.getPath(),
                            kind);
  };
  Value maximum = reduce(op.getRows(), Reduction::Max);
  Value powers = emitPowers(builder, op, op.getGraph(), op.getRows(), maximum);
  Value sum = reduce(powers, Reduction::Sum);
  Type element = getElementTypeOrSelf(sum.getType());
  Value reciprocal = MapOp::create(
      builder, loc, sum.getType(), sum,
      [&](OpBuilder &inner, Location loc, ValueRange x) -> Value {
        auto constant = [&](double value) {
          return arith::ConstantOp::create(inner, loc,
                                           inner.getFloatAttr(element, value));
        };
        Value divisor =
            arith::AddFOp::create(inner, loc, x[0], constant(1e-16));
        return arith::DivFOp::create(inner, loc, constant(1), divisor);
      });
  return {maximum, reciprocal, powers};
}

Value rgnn::emitSoftmax(OpBuilder &builder, GroupSoftmaxOp op, Value graph,
                        Value rows, const SoftmaxParts &parts) {
  Value powers = emitPowers(builder, op, graph, rows, parts.maximum);
  Value reciprocals = spread(builder, op, graph, parts.reciprocal);
  return multiply(builder, op.getLoc(), op.getResult().getType(), powers,
                  reciprocals);
}
