//===- Aggregation.cpp - factors of rows, and sums over edges -------------===//

#include "Aggregation.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::rgnn;

/// Whether a row is one number.
static bool isNumber(Type type) { return getRowWidth(type) == 1; }

bool rgnn::isVector(Type type) {
  return getRows(type) && getRowShape(type).size() == 1 && !isNumber(type);
}

/// Adds the arguments that `value` is the product of, by number.
static LogicalResult
collectArguments(Value value, bool isDivisor,
                 SmallVectorImpl<std::pair<unsigned, bool>> &arguments) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    arguments.emplace_back(argument.getArgNumber(), isDivisor);
    return success();
  }
  Operation *op = value.getDefiningOp();
  if (!isa<arith::MulFOp, arith::DivFOp>(op))
    return failure();
  return success(
      succeeded(collectArguments(op->getOperand(0), isDivisor, arguments)) &&
      succeeded(collectArguments(
          op->getOperand(1), isDivisor != isa<arith::DivFOp>(op), arguments)));
}

FailureOr<Value> rgnn::matchScale(MapOp map,
                                  SmallVectorImpl<RowFactor> &factors) {
  SmallVector<std::pair<unsigned, bool>> arguments;
  if (failed(
          collectArguments(map.getBody().front().getTerminator()->getOperand(0),
                           false, arguments)))
    return failure();
  Value scaled;
  for (auto [number, isDivisor] : arguments) {
    Value input = map.getInputs()[number];
    // One number for all rows, or for a column, is not on the diagonal.
    if (!getRows(input.getType()))
      return failure();
    if (isNumber(input.getType())) {
      factors.push_back({input, isDivisor});
    } else {
      if (scaled || isDivisor || input.getType() != map.getResult().getType())
        return failure();
      scaled = input;
    }
  }
  return scaled;
}

/// Adds what a factor on edges is the product of.
static void expandFactor(RowFactor factor,
                         SmallVectorImpl<RowFactor> &factors) {
  Operation *op = factor.value.getDefiningOp();
  // Rows of several dimensions of 1 do not broadcast to vectors.
  if (auto reshape = dyn_cast_or_null<ReshapeOp>(op);
      reshape && getRowShape(reshape.getX().getType()).size() <= 1)
    return expandFactor({reshape.getX(), factor.isDivisor}, factors);
  SmallVector<RowFactor> parts;
  if (auto map = dyn_cast_or_null<MapOp>(op))
    if (FailureOr<Value> scaled = matchScale(map, parts);
        succeeded(scaled) && !*scaled) {
      for (RowFactor part : parts)
        expandFactor({part.value, part.isDivisor != factor.isDivisor}, factors);
      return;
    }
  factors.push_back(factor);
}

FailureOr<Aggregation> rgnn::matchAggregation(ReduceOp sum, Refusal &refusal) {
  Type type = sum.getRows().getType();
  if (getRows(type).getDomain() != Domain::Edge ||
      (sum.getPath() != Path::Dst && sum.getPath() != Path::Src))
    return failure();
  if (!isVector(type)) {
    refusal = isNumber(type) ? "rows are single numbers, as factors are"
                             : "rows are no vectors";
    return failure();
  }
  Aggregation found;
  found.ops.push_back(sum);
  SmallVector<RowFactor> factors;
  bool isUsedOtherwise = false;
  Value value = sum.getRows();
  while (!(found.gather = value.getDefiningOp<GatherOp>())) {
    Operation *op = value.getDefiningOp();
    isUsedOtherwise |= !value.hasOneUse();
    if (auto linear = dyn_cast_or_null<LinearOp>(op)) {
      found.products.push_back(linear);
      value = linear.getX();
    } else if (auto map = dyn_cast_or_null<MapOp>(op)) {
      FailureOr<Value> scaled = matchScale(map, factors);
      if (failed(scaled) || !*scaled) {
        refusal = "what is between gather and sum is not a product";
        return failure();
      }
      value = *scaled;
    } else {
      return failure();
    }
    if (!isVector(value.getType()))
      return failure();
    found.ops.push_back(op);
  }
  if (found.gather.getPath() != Path::Src &&
      found.gather.getPath() != Path::Dst)
    return failure();
  if (sum.getKind() != Reduction::Sum && sum.getKind() != Reduction::Mean) {
    refusal = "rows are reduced by something else than a sum or mean";
    return failure();
  }
  if (isUsedOtherwise) {
    refusal = "rows on edges are also used otherwise";
    return failure();
  }
  found.ops.push_back(found.gather);
  found.adjacency = {
      sum.getGraph(), found.gather.getPath(), sum.getPath(), sum.getKind(), {}};
  SmallVector<RowFactor> parts;
  for (RowFactor factor : factors)
    expandFactor(factor, parts);
  for (RowFactor part : parts) {
    auto gather = part.value.getDefiningOp<GatherOp>();
    if (gather && gather.getPath() == sum.getPath())
      found.left.push_back({gather.getRows(), part.isDivisor});
    else if (gather && gather.getPath() == found.gather.getPath())
      found.right.push_back({gather.getRows(), part.isDivisor});
    else
      found.adjacency.weights.push_back(part);
  }
  return found;
}
