//===- TrainingPlan.cpp - a forward and a backward to compile -------------===//

#include "RGNN/CodeGen/TrainingPlan.h"
#include "RGNN/Dialect/RGNN/IR/DiscardableAttributes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
namespace json = llvm::json;

/// The numbers of the results whose gradients `value` is computed from.
static json::Array findSources(func::FuncOp backward, Value value) {
  SetVector<int64_t> numbers;
  SetVector<Value> reached;
  reached.insert(value);
  for (size_t i = 0; i < reached.size(); ++i) {
    if (Operation *op = reached[i].getDefiningOp()) {
      if (!isa<tensor::DimOp>(op)) // A size does not change with elements.
        reached.insert_range(op->getOperands());
      continue;
    }
    unsigned index = cast<BlockArgument>(reached[i]).getArgNumber();
    if (auto number = backward.getArgAttrOfType<IntegerAttr>(
            index, rgnn::kGradientOfResultAttr))
      numbers.insert(number.getInt());
  }
  json::Array sources;
  for (int64_t number : numbers)
    sources.push_back(number);
  return sources;
}

/// The module with `kept` as its only function, named `@forward`.
static std::string printAlone(ModuleOp module, StringRef kept) {
  OwningOpRef<ModuleOp> copy = module.clone();
  for (auto function : llvm::make_early_inc_range(copy->getOps<func::FuncOp>()))
    if (function.getName() != kept)
      function.erase();
  copy->lookupSymbol<func::FuncOp>(kept).setName("forward");
  std::string text;
  llvm::raw_string_ostream stream(text);
  copy->print(stream, OpPrintingFlags().enableDebugInfo());
  return text;
}

FailureOr<std::string> rgnn::describeTraining(ModuleOp module) {
  auto forward = module.lookupSymbol<func::FuncOp>("forward"),
       backward = module.lookupSymbol<func::FuncOp>("forward_backward");
  if (!forward || !backward)
    return module.emitError("expected functions @forward and "
                            "@forward_backward, got ")
           << (forward ? "no backward" : "none");
  json::Array inputs, gradients, sources;
  for (unsigned i = 0; i < backward.getNumArguments(); ++i)
    for (auto [role, name] :
         {std::pair(rgnn::kArgumentAttr, "argument"),
          std::pair(rgnn::kResultAttr, "result"),
          std::pair(rgnn::kGradientOfResultAttr, "gradient")})
      if (auto number = backward.getArgAttrOfType<IntegerAttr>(i, role))
        inputs.push_back(json::Object{{name, number.getInt()}});
  Operation *end = backward.getBody().front().getTerminator();
  for (unsigned i = 0; i < backward.getNumResults(); ++i) {
    gradients.push_back(
        backward
            .getResultAttrOfType<IntegerAttr>(i, rgnn::kGradientOfArgumentAttr)
            .getInt());
    sources.push_back(findSources(backward, end->getOperand(i)));
  }
  int64_t numResults = 0;
  for (unsigned i = 0; i < forward.getNumResults(); ++i)
    numResults += !forward.getResultAttr(i, rgnn::kSavedAttr);
  std::string text;
  llvm::raw_string_ostream(text) << json::Value(
      json::Object{{"forward", printAlone(module, "forward")},
                   {"backward", printAlone(module, "forward_backward")},
                   {"inputs", std::move(inputs)},
                   {"gradients", std::move(gradients)},
                   {"of", std::move(sources)},
                   {"num_results", numResults}});
  return text;
}
