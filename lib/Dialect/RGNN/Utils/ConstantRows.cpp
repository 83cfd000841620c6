//===- ConstantRows.cpp - rows that are constant where others are ---------===//

#include "RGNN/Dialect/RGNN/Utils/ConstantRows.h"

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

using Constant = std::optional<double>;
using GetConstant = function_ref<Constant(Value)>;

static Constant evaluateMap(MapOp map, GetConstant getConstant) {
  DenseMap<Value, Attribute> known;
  Block &body = map.getBody().front();
  for (auto [input, scalar] : llvm::zip(map.getInputs(), body.getArguments()))
    if (Constant number = getConstant(input))
      known[scalar] = FloatAttr::get(scalar.getType(), *number);
  for (Operation &scalar : body.without_terminator()) {
    auto operands = llvm::map_to_vector(
        scalar.getOperands(), [&](Value value) { return known.lookup(value); });
    known[scalar.getResult(0)] = evaluate(scalar, operands, known);
  }
  auto result = dyn_cast_or_null<FloatAttr>(
      known.lookup(body.getTerminator()->getOperand(0)));
  return result ? Constant(result.getValueAsDouble()) : std::nullopt;
}

/// Zero if `number` is, since that is what products and sums of zeros are.
static Constant keepZero(Constant number) {
  return number && *number == 0 ? number : std::nullopt;
}

Constant rgnn::evaluateConstantRow(Operation *op, GetConstant getConstant) {
  return llvm::TypeSwitch<Operation *, Constant>(op)
      .Case([&](MapOp map) { return evaluateMap(map, getConstant); })
      .Case<ReshapeOp, PermuteOp, SliceOp>(
          [&](auto view) { return getConstant(view->getOperand(0)); })
      .Case([&](ReduceFeaturesOp reduce) {
        Constant number = getConstant(reduce.getX());
        if (reduce.getKind() == Reduction::Mul)
          return number == 1 ? number : keepZero(number);
        return reduce.getKind() == Reduction::Sum ? keepZero(number) : number;
      })
      .Case(
          [&](LinearOp linear) { return keepZero(getConstant(linear.getX())); })
      .Case([&](ConcatOp concat) -> Constant {
        Constant first = getConstant(concat.getInputs().front());
        for (Value input : concat.getInputs())
          if (getConstant(input) != first)
            return std::nullopt;
        return first;
      })
      .Case<DotOp, CrossOp>([&](Operation *product) {
        Constant zero = keepZero(getConstant(product->getOperand(0)));
        return zero ? zero : keepZero(getConstant(product->getOperand(1)));
      })
      .Default(std::nullopt);
}
