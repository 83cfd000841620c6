//===- Arguments.cpp - reads the arguments of captured operators ----------===//

#include "Arguments.h"
#include "RGNN/Dialect/RGNN/IR/DiscardableAttributes.h"

using namespace mlir;
using namespace mlir::rgnn;
using namespace mlir::rgnn::lift;

Attribute Arguments::get(unsigned i) {
  return i < op.getArgs().size() ? op.getArgs()[i] : Attribute();
}

Value Arguments::resolve(Attribute argument) {
  auto operand = dyn_cast_if_present<OperandAttr>(argument);
  return operand ? op.getInputs()[operand.getIndex()] : Value();
}

Value Arguments::value(unsigned i) { return resolve(get(i)); }

Value Arguments::floats(unsigned i) {
  Value operand = value(i);
  if (!operand)
    return {};
  auto type = dyn_cast<RankedTensorType>(operand.getType());
  return type && isa<FloatType>(type.getElementType()) ? operand : Value();
}

std::optional<SmallVector<Value>> Arguments::values(unsigned i) {
  auto list = dyn_cast_if_present<ArrayAttr>(get(i));
  if (!list)
    return std::nullopt;
  SmallVector<Value> operands;
  for (Attribute element : list) {
    operands.push_back(resolve(element));
    if (!operands.back())
      return std::nullopt;
  }
  return operands;
}

/// Booleans are integers of one bit to MLIR, but none to PyTorch's schemas.
static std::optional<int64_t> readInteger(Attribute attribute) {
  auto integer = dyn_cast_if_present<IntegerAttr>(attribute);
  if (!integer || isa<BoolAttr>(attribute))
    return std::nullopt;
  return integer.getValue().getSExtValue();
}

std::optional<int64_t> Arguments::integer(unsigned i) {
  return readInteger(get(i));
}

std::optional<SmallVector<int64_t>> Arguments::integers(unsigned i) {
  auto list = dyn_cast_if_present<ArrayAttr>(get(i));
  if (!list)
    return std::nullopt;
  SmallVector<int64_t> integers;
  for (Attribute element : list) {
    std::optional<int64_t> integer = readInteger(element);
    if (!integer)
      return std::nullopt;
    integers.push_back(*integer);
  }
  return integers;
}

std::optional<double> Arguments::number(unsigned i) {
  if (auto real = dyn_cast_if_present<FloatAttr>(get(i)))
    return real.getValueAsDouble();
  if (std::optional<int64_t> whole = integer(i))
    return static_cast<double>(*whole);
  Value operand = value(i);
  DenseElementsAttr constant =
      operand ? getConstant(operand) : DenseElementsAttr();
  if (!constant || constant.getType().getRank() != 0)
    return std::nullopt;
  if (isa<FloatType>(constant.getElementType()))
    return FloatAttr::getValueAsDouble(constant.getSplatValue<APFloat>());
  if (constant.getElementType().isSignlessInteger() &&
      !constant.getElementType().isInteger(1))
    return constant.getSplatValue<APInt>().getSExtValue();
  return std::nullopt;
}

std::optional<bool> Arguments::boolean(unsigned i) {
  auto boolean = dyn_cast_if_present<BoolAttr>(get(i));
  return boolean ? std::optional(boolean.getValue()) : std::nullopt;
}

StringRef Arguments::string(unsigned i) {
  auto string = dyn_cast_if_present<StringAttr>(get(i));
  return string ? string.getValue() : StringRef();
}

RankedTensorType Arguments::resultType(unsigned i) {
  return i < op.getNumResults()
             ? dyn_cast<RankedTensorType>(op.getResult(i).getType())
             : RankedTensorType();
}

DenseElementsAttr lift::getConstant(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  auto func = argument
                  ? dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp())
                  : func::FuncOp();
  return func ? func.getArgAttrOfType<DenseElementsAttr>(
                    argument.getArgNumber(), kValueAttr)
              : DenseElementsAttr();
}

std::optional<int64_t> lift::normalizeDim(std::optional<int64_t> dim,
                                          int64_t rank) {
  if (!dim || *dim < -rank || *dim >= rank)
    return std::nullopt;
  return *dim < 0 ? *dim + rank : *dim;
}

std::optional<int64_t> lift::getDim(Arguments arguments, unsigned i) {
  Value x = arguments.value(0);
  auto type = x ? dyn_cast<RankedTensorType>(x.getType()) : nullptr;
  return type ? normalizeDim(arguments.integer(i), type.getRank())
              : std::nullopt;
}
