//===- Elementwise.cpp - element-wise operators become maps ---------------===//

#include "Operands.h"

using namespace mlir;
using namespace mlir::rgnn;
using namespace mlir::rgnn::lift;

Value lift::convertFloat(OpBuilder &builder, Location loc, Type type,
                         Value value) {
  unsigned from = value.getType().getIntOrFloatBitWidth(),
           to = type.getIntOrFloatBitWidth();
  if (value.getType() == type)
    return value;
  if (from < to)
    return arith::ExtFOp::create(builder, loc, type, value);
  return arith::TruncFOp::create(builder, loc, type, value);
}

/// The rows of the result: those of a tensor of its rank, or none.
static std::optional<RowsAttr>
findRows(TorchCall &call, ArrayRef<Value> tensors, RankedTensorType result) {
  for (Value tensor : tensors) {
    if (cast<RankedTensorType>(tensor.getType()).getRank() != result.getRank())
      continue;
    std::optional<RowsAttr> rows = call.lifter.getRows(tensor, call.op);
    if (rows && *rows)
      return *rows;
  }
  if (result.getRank() > 0 && result.isDynamicDim(0))
    return std::nullopt;
  return RowsAttr();
}

/// A tensor as the map reads it: on the result's rows, or shared by all; null
/// with a reason.
static Value getOperand(TorchCall &call, Value captured, RowsAttr rows,
                        RankedTensorType result) {
  auto type = cast<RankedTensorType>(captured.getType());
  if (!rows || type.getRank() < result.getRank())
    return call.plain(captured);
  if (type.getDimSize(0) != 1)
    return call.on(captured, rows);
  Value shared = call.plain(captured);
  return shared ? ReshapeOp::create(
                      call.builder, call.loc,
                      RankedTensorType::get(type.getShape().drop_front(),
                                            type.getElementType()),
                      shared)
                : Value();
}

Value lift::buildMap(
    TorchCall &call, Type type, ArrayRef<Value> inputs,
    llvm::function_ref<Value(Scalars &, ArrayRef<Value>)> body) {
  return MapOp::create(call.builder, call.loc, type, inputs,
                       [&](OpBuilder &builder, Location loc, ValueRange x) {
                         Scalars scalars{builder, loc,
                                         getElementTypeOrSelf(type)};
                         return body(scalars, llvm::to_vector(x));
                       });
}

static bool broadcasts(ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
  return from.size() <= to.size() &&
         llvm::all_of(llvm::zip(llvm::reverse(from), llvm::reverse(to)),
                      [](auto sizes) {
                        return std::get<0>(sizes) == 1 ||
                               std::get<0>(sizes) == std::get<1>(sizes);
                      });
}

static LogicalResult liftElementwise(TorchCall &call, const ElementRule &rule) {
  RankedTensorType result = call.resultType();
  if (!result || !isa<FloatType>(result.getElementType()))
    return call.refuse("its result is not a tensor of floats");
  ElementOperands operands(call);
  for (unsigned i = 0; i < rule.numOperands; ++i)
    if (failed(operands.add(i)))
      return failure();
  std::optional<RowsAttr> rows = findRows(call, operands.getTensors(), result);
  Value onlyRows;
  if (!rows) {
    // Of numbers alone, as many as something else has.
    rows = call.lifter.getRows(call.op.getResult(0), call.op);
    if (rows && *rows)
      onlyRows = call.lifter.getAnyRows(call.builder, call.loc, *rows);
    if (!onlyRows)
      return call.refuse("its rows are neither nodes nor edges of a graph");
  }
  // A map on one row that all of its operands share would have no operand with
  // rows, and nothing to say of which graph they are.
  auto isShared = [&](Value tensor) {
    auto type = cast<RankedTensorType>(tensor.getType());
    return type.getRank() == 0 || type.getRank() < result.getRank() ||
           type.getDimSize(0) == 1;
  };
  if (!onlyRows && llvm::all_of(operands.getTensors(), isShared))
    rows = RowsAttr();
  ArrayRef<int64_t> shape =
      *rows ? result.getShape().drop_front() : result.getShape();
  if (ShapedType::isDynamicShape(shape))
    return call.refuse("its rows have a dynamic size");

  SmallVector<Value> inputs;
  for (Value tensor : operands.getTensors()) {
    Value input = getOperand(call, tensor, *rows, result);
    if (!input)
      return failure();
    if (!broadcasts(getRowShape(input.getType()), shape))
      return call.refuse("an operand does not broadcast to the rows of the "
                         "result");
    inputs.push_back(input);
  }

  if (onlyRows)
    inputs.push_back(onlyRows);

  Type elementType = result.getElementType();
  auto map = MapOp::create(call.builder, call.loc,
                           getRowsType(*rows, shape, elementType), inputs);
  Block &body = map.getBody().emplaceBlock();
  OpBuilder::InsertionGuard guard(call.builder);
  call.builder.setInsertionPointToStart(&body);
  bool isWide = elementType.getIntOrFloatBitWidth() >= 32;
  Scalars scalars{call.builder, call.loc,
                  isWide ? elementType : call.builder.getF32Type()};
  SmallVector<Value> elements, computed;
  for (Value input : inputs)
    elements.push_back(body.addArgument(getElementTypeOrSelf(input), call.loc));
  for (unsigned i = 0; i < rule.numOperands; ++i)
    computed.push_back(operands.emit(i, i == rule.truth, scalars, elements));
  Value value = rule.compute(scalars, computed, call);
  if (!value) {
    map.erase();
    return failure();
  }
  value = convertFloat(call.builder, call.loc, elementType, value);
  YieldOp::create(call.builder, call.loc, value);
  return call.replace({map.getResult()});
}

void lift::addElementwiseRules(Rules &rules) {
  auto add = [&](StringRef name, ElementRule rule) {
    rules[name] = {broadcastRows, [=](TorchCall &call) {
                     return liftElementwise(call, rule);
                   }};
  };
  addScalarRules(add);
  addActivationRules(add);
  addSelectionRules(add);
  for (StringRef name : {"aten.expand", "aten.broadcast_to"})
    rules[name].sizes = expandRows;
  for (StringRef name : getTruthOperators())
    rules[name] = {broadcastRows, [](TorchCall &call) {
                     // It goes with the last that computes it for itself.
                     return call.refuse("rows hold no truth values");
                   }};
}
