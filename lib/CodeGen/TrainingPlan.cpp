//===- TrainingPlan.cpp - a forward and a backward to compile -------------===//

#include "RGNN/CodeGen/TrainingPlan.h"
#include "RGNN/Dialect/RGNN/IR/DiscardableAttributes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
namespace json = llvm::json;

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
  for (unsigned i = 0; i < backward.getNumResults(); ++i) {
    gradients.push_back(
        backward
            .getResultAttrOfType<IntegerAttr>(i, rgnn::kGradientOfArgumentAttr)
            .getInt());
    auto changes =
        backward.getResultAttrOfType<DenseI64ArrayAttr>(i, rgnn::kChangesAttr);
    if (!changes)
      return backward.emitError("expected rgnn.changes of each result, as "
                                "rgnn-note-changes makes it, got none of ")
             << i;
    sources.push_back(json::Array(changes.asArrayRef()));
    backward.removeResultAttr(
        i, StringAttr::get(module.getContext(), rgnn::kChangesAttr));
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
