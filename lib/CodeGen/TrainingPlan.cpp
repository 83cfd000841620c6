//===- TrainingPlan.cpp - a forward and a backward to compile -------------===//

#include "RGNN/CodeGen/TrainingPlan.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
namespace json = llvm::json;

static std::optional<int64_t> getNumber(Attribute attribute) {
  auto number = dyn_cast_if_present<IntegerAttr>(attribute);
  return number ? std::optional(number.getInt()) : std::nullopt;
}

/// The module with `kept` as its only function, named `@forward`.
static std::string printAlone(ModuleOp module, StringRef kept) {
  OwningOpRef<ModuleOp> copy = module.clone();
  for (auto function :
       llvm::make_early_inc_range(copy->getOps<func::FuncOp>()))
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
  json::Array inputs, gradients;
  for (unsigned i = 0; i < backward.getNumArguments(); ++i)
    for (auto [role, name] :
         {std::pair("rgnn.argument", "argument"),
          std::pair("rgnn.result", "result"),
          std::pair("rgnn.gradient_of_result", "gradient")})
      if (auto number = getNumber(backward.getArgAttr(i, role)))
        inputs.push_back(json::Object{{name, *number}});
  for (unsigned i = 0; i < backward.getNumResults(); ++i)
    gradients.push_back(
        getNumber(backward.getResultAttr(i, "rgnn.gradient_of_argument")));
  int64_t numResults = 0;
  for (unsigned i = 0; i < forward.getNumResults(); ++i)
    numResults += !forward.getResultAttr(i, "rgnn.saved");
  std::string text;
  llvm::raw_string_ostream(text)
      << json::Value(json::Object{{"forward", printAlone(module, "forward")},
                                  {"backward",
                                   printAlone(module, "forward_backward")},
                                  {"inputs", std::move(inputs)},
                                  {"gradients", std::move(gradients)},
                                  {"num_results", numResults}});
  return text;
}
