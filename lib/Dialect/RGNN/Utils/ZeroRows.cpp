//===- ZeroRows.cpp - rows that are zero where others are -----------------===//

#include "RGNN/Dialect/RGNN/Utils/ZeroRows.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::rgnn;

static bool isZeroNumber(Attribute number) {
  auto value = dyn_cast_or_null<FloatAttr>(number);
  return value && value.getValue().isZero();
}

/// What `scalar` gives, as far as `operands` and upstream's folders say; null
/// where it is not known.
static Attribute evaluate(Operation &scalar, ArrayRef<Attribute> operands,
                          const DenseMap<Value, Attribute> &known) {
  if (isa<arith::MulFOp>(scalar))
    for (Attribute operand : operands)
      if (isZeroNumber(operand))
        return operand;
  if (isa<arith::SelectOp>(scalar) && !operands[0])
    return operands[1] == operands[2] ? operands[1] : Attribute();
  Attribute constant;
  if (matchPattern(&scalar, m_Constant(&constant)))
    return constant;
  SmallVector<OpFoldResult> results;
  // Folders may change an op that they give as its own result.
  Operation *copy = scalar.clone();
  bool isFolded = succeeded(copy->fold(operands, results)) && !results.empty();
  Attribute result;
  if (isFolded) {
    if (auto value = dyn_cast<Value>(results.front()))
      result = known.lookup(value);
    else
      result = cast<Attribute>(results.front());
  }
  copy->destroy();
  return result;
}

/// The same for the region of a map.
static bool isZeroOfZeros(MapOp map, function_ref<bool(Value)> isZero) {
  DenseMap<Value, Attribute> known;
  Block &body = map.getBody().front();
  for (auto [input, scalar] : llvm::zip(map.getInputs(), body.getArguments()))
    if (isZero(input))
      known[scalar] = FloatAttr::get(scalar.getType(), 0);
  for (Operation &scalar : body.without_terminator()) {
    auto operands = llvm::map_to_vector(
        scalar.getOperands(), [&](Value value) { return known.lookup(value); });
    known[scalar.getResult(0)] = evaluate(scalar, operands, known);
  }
  return isZeroNumber(known.lookup(body.getTerminator()->getOperand(0)));
}

bool rgnn::isZeroOfZeros(Operation *op, function_ref<bool(Value)> isZero) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](MapOp map) { return ::isZeroOfZeros(map, isZero); })
      .Case<LinearOp, ReshapeOp, PermuteOp, SliceOp, ReduceFeaturesOp>(
          [&](Operation *other) { return isZero(other->getOperand(0)); })
      .Case([&](ConcatOp concat) {
        return llvm::all_of(concat.getInputs(), isZero);
      })
      .Case<DotOp, CrossOp>([&](Operation *other) {
        return isZero(other->getOperand(0)) || isZero(other->getOperand(1));
      })
      .Default(false);
}
