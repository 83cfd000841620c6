//===- FallbackPlan.cpp - what PyTorch runs around compiled regions -------===//

#include "RGNN/CodeGen/FallbackPlan.h"

#include "RGNN/Dialect/RGNN/IR/RGNN.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace mlir::rgnn;
namespace json = llvm::json;

/// As Python reads it back, digit for digit.
static std::string printed(double number) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.17g", number);
  return text;
}

/// An argument of a captured operator.
static FailureOr<json::Value> describeArgument(TorchOp op, Attribute argument) {
  if (auto operand = dyn_cast<OperandAttr>(argument))
    return json::Value(json::Object{{"operand", operand.getIndex()}});
  if (isa<UnitAttr>(argument))
    return json::Value(nullptr);
  if (auto flag = dyn_cast<BoolAttr>(argument))
    return json::Value(flag.getValue());
  if (auto integer = dyn_cast<IntegerAttr>(argument))
    return json::Value(integer.getInt());
  // As text: JSON has neither infinities nor NaN.
  if (auto number = dyn_cast<FloatAttr>(argument))
    return json::Value(
        json::Object{{"float", printed(number.getValueAsDouble())}});
  if (auto text = dyn_cast<StringAttr>(argument))
    return json::Value(text.getValue());
  if (auto list = dyn_cast<ArrayAttr>(argument)) {
    json::Array values;
    for (Attribute element : list) {
      FailureOr<json::Value> value = describeArgument(op, element);
      if (failed(value))
        return failure();
      values.push_back(std::move(*value));
    }
    return json::Value(std::move(values));
  }
  return op.emitOpError() << "cannot be described: argument " << argument;
}

static std::string describePlace(Location location) {
  auto place = location->findInstanceOf<FileLineColLoc>();
  return place ? llvm::formatv("{0}:{1}", place.getFilename().getValue(),
                               place.getLine())
                     .str()
               : "";
}

/// A module with the region as `@forward`, and the schemas.
static std::string printRegion(ModuleOp module, func::FuncOp region) {
  OwningOpRef<ModuleOp> alone = ModuleOp::create(module.getLoc());
  OpBuilder builder = OpBuilder::atBlockEnd(alone->getBody());
  for (SchemaOp schema : module.getOps<SchemaOp>())
    builder.clone(*schema);
  auto function = cast<func::FuncOp>(builder.clone(*region));
  function.setName("forward");
  function.setPublic();
  std::string text;
  llvm::raw_string_ostream stream(text);
  alone->print(stream, OpPrintingFlags().enableDebugInfo());
  return text;
}

FailureOr<std::string> rgnn::describeFallback(ModuleOp module) {
  auto forward = module.lookupSymbol<func::FuncOp>("forward");
  if (!forward || !forward.getBody().hasOneBlock())
    return module.emitError("expected a function @forward of one block");
  // Without captured operators there is nothing to plan.
  if (forward.getBody().getOps<TorchOp>().empty())
    return std::string(R"({"regions": [], "steps": []})");
  llvm::DenseMap<Value, int64_t> numbers;
  auto number = [&](ValueRange values) {
    json::Array list;
    for (Value value : values)
      list.push_back(numbers.try_emplace(value, numbers.size()).first->second);
    return list;
  };
  number(forward.getArguments());
  json::Array steps, regions;
  for (Operation &op : forward.getBody().front().without_terminator()) {
    json::Object step;
    if (auto call = dyn_cast<func::CallOp>(op)) {
      step["region"] = static_cast<int64_t>(regions.size());
      auto region = module.lookupSymbol<func::FuncOp>(call.getCallee());
      regions.push_back(printRegion(module, region));
    } else if (auto torch = dyn_cast<TorchOp>(op)) {
      json::Array arguments;
      for (Attribute argument : torch.getArgs()) {
        FailureOr<json::Value> value = describeArgument(torch, argument);
        if (failed(value))
          return failure();
        arguments.push_back(std::move(*value));
      }
      step["torch"] = torch.getName();
      step["args"] = std::move(arguments);
      step["where"] = describePlace(torch.getLoc());
    } else {
      return op.emitOpError("expected calls and captured operators only");
    }
    step["inputs"] = number(op.getOperands());
    step["outputs"] = number(op.getResults());
    steps.push_back(std::move(step));
  }
  json::Object plan{
      {"num_inputs", static_cast<int64_t>(forward.getNumArguments())},
      {"results",
       number(forward.getBody().front().getTerminator()->getOperands())},
      {"steps", std::move(steps)},
      {"regions", std::move(regions)}};
  std::string text;
  llvm::raw_string_ostream(text) << json::Value(std::move(plan));
  return text;
}
