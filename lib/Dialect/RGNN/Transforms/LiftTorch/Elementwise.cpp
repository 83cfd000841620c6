//===- Elementwise.cpp - element-wise operators become maps ---------------===//

#include "Elementwise.h"

using namespace mlir;
using namespace mlir::rgnn;
using namespace mlir::rgnn::lift;

static LogicalResult checkElementTypes(TorchCall &call, unsigned numOperands) {
  for (unsigned i = 0; i < numOperands; ++i)
    if (call.value(i) && !call.number(i) && !call.floats(i))
      return call.refuse("argument " + Twine(i) + " is not a tensor of floats");
  return success();
}

/// `value` in another type of floats, or itself.
static Value convertFloat(OpBuilder &builder, Location loc, Type type,
                          Value value) {
  unsigned from = value.getType().getIntOrFloatBitWidth(),
           to = type.getIntOrFloatBitWidth();
  if (value.getType() == type)
    return value;
  if (from < to)
    return arith::ExtFOp::create(builder, loc, type, value);
  return arith::TruncFOp::create(builder, loc, type, value);
}

/// The rows of the result: those of an operand of its rank.
static FailureOr<RowsAttr> findRows(TorchCall &call, unsigned numOperands,
                                    RankedTensorType result) {
  for (unsigned i = 0; i < numOperands; ++i) {
    Value operand = call.value(i);
    if (!operand ||
        cast<RankedTensorType>(operand.getType()).getRank() != result.getRank())
      continue;
    std::optional<RowsAttr> rows = call.lifter.getRows(operand, call.op);
    if (rows && *rows)
      return *rows;
  }
  if (result.getRank() > 0 && result.isDynamicDim(0))
    return call.refuse("its rows are neither nodes nor edges of a graph");
  return RowsAttr();
}

/// Operand `i` as the map reads it: on the result's rows, or shared by all.
static Value getOperand(TorchCall &call, unsigned i, RowsAttr rows,
                        RankedTensorType result) {
  Value captured = call.value(i);
  auto type = cast<RankedTensorType>(captured.getType());
  if (!rows)
    return call.plain(i);
  if (type.getRank() < result.getRank())
    return call.plain(i);
  if (type.getDimSize(0) != 1)
    return call.on(i, rows);
  Value shared = call.plain(i);
  return shared ? ReshapeOp::create(
                      call.builder, call.loc,
                      RankedTensorType::get(type.getShape().drop_front(),
                                            type.getElementType()),
                      shared)
                : Value();
}

static bool broadcasts(ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
  return from.size() <= to.size() &&
         llvm::all_of(llvm::zip(llvm::reverse(from), llvm::reverse(to)),
                      [](auto sizes) {
                        return std::get<0>(sizes) == 1 ||
                               std::get<0>(sizes) == std::get<1>(sizes);
                      });
}

static LogicalResult liftElementwise(TorchCall &call, unsigned numOperands,
                                     ElementFn element) {
  RankedTensorType result = call.resultType();
  if (!result || !isa<FloatType>(result.getElementType()))
    return call.refuse("its result is not a tensor of floats");
  if (failed(checkElementTypes(call, numOperands)))
    return failure();
  FailureOr<RowsAttr> rows = findRows(call, numOperands, result);
  if (failed(rows))
    return failure();
  ArrayRef<int64_t> shape =
      *rows ? result.getShape().drop_front() : result.getShape();
  if (ShapedType::isDynamicShape(shape))
    return call.refuse("its rows have a dynamic size");

  SmallVector<Value> inputs;
  SmallVector<std::optional<double>> constants;
  for (unsigned i = 0; i < numOperands; ++i) {
    if (std::optional<double> number = call.number(i)) {
      constants.push_back(number);
      continue;
    }
    if (!call.value(i))
      return call.refuse("argument " + Twine(i) +
                         " is neither a tensor nor a number");
    Value input = getOperand(call, i, *rows, result);
    if (!input)
      return failure();
    if (!broadcasts(getRowShape(input.getType()), shape))
      return call.refuse("argument " + Twine(i) +
                         " does not broadcast to the rows of the result");
    inputs.push_back(input);
    constants.push_back(std::nullopt);
  }

  Type elementType = result.getElementType();
  auto map = MapOp::create(call.builder, call.loc,
                           getRowsType(*rows, shape, elementType), inputs);
  Block &body = map.getBody().emplaceBlock();
  OpBuilder::InsertionGuard guard(call.builder);
  call.builder.setInsertionPointToStart(&body);
  bool isWide = elementType.getIntOrFloatBitWidth() >= 32;
  Scalars scalars{call.builder, call.loc,
                  isWide ? elementType : call.builder.getF32Type()};
  SmallVector<Value> operands;
  for (std::optional<double> constant : constants) {
    if (constant) {
      operands.push_back(scalars.constant(*constant));
      continue;
    }
    Type type = getElementTypeOrSelf(inputs[body.getNumArguments()]);
    operands.push_back(convertFloat(call.builder, call.loc, scalars.type,
                                    body.addArgument(type, call.loc)));
  }
  Value value = element(scalars, operands, call);
  if (!value) {
    map.erase();
    return failure();
  }
  value = convertFloat(call.builder, call.loc, elementType, value);
  YieldOp::create(call.builder, call.loc, value);
  return call.replace({map.getResult()});
}

void lift::addElementwiseRules(Rules &rules) {
  addElementFns([&](StringRef name, unsigned numOperands, ElementFn element) {
    rules[name] = {broadcastRows, [=](TorchCall &call) {
                     return liftElementwise(call, numOperands, element);
                   }};
  });
}
