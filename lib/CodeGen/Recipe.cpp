//===- Recipe.cpp - how a module is compiled for a machine ----------------===//

#include "Recipe.h"
#include "Kernels.h"
#include "RGNN/CodeGen/Target.h"

#include "llvm/ADT/Twine.h"
#include "llvm/TargetParser/Host.h"

using namespace mlir;
using namespace mlir::rgnn;
using llvm::StringRef;

template <typename... Values>
static llvm::Error refuse(StringRef pipeline, const Values &...values) {
  std::string text = ("options of " + pipeline + ": ").str();
  llvm::raw_string_ostream stream(text);
  (stream << ... << values);
  return llvm::createStringError(
      std::make_error_code(std::errc::invalid_argument), llvm::Twine(text));
}

template <typename Options>
static llvm::Expected<std::unique_ptr<Options>> parse(StringRef pipeline,
                                                      StringRef text) {
  auto options = std::make_unique<Options>();
  std::string message;
  llvm::raw_string_ostream stream(message);
  if (failed(options->parseFromString(text, stream)))
    return refuse(pipeline, StringRef(message).rtrim());
  if (Refusal refusal = getRefusal(*options))
    return refuse(pipeline, refusal.getReason());
  return options;
}

llvm::Expected<std::unique_ptr<CPUPipelineOptions>>
rgnn::parseCPUOptions(StringRef text) {
  return parse<CPUPipelineOptions>("rgnn-to-cpu", text);
}

template <typename Options>
static std::string printed(const Options &options) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  const_cast<Options &>(options).print(stream);
  return text;
}

/// What the code of every machine goes through at the end.
static void addHostStages(Recipe &recipe,
                          std::shared_ptr<CPUPipelineOptions> options) {
  recipe.cpu = options->cpu;
  recipe.features = options->features;
  recipe.stages.push_back(
      {"runtime-interface", [options](OpPassManager &manager) {
         buildRuntimeInterfacePipeline(manager, *options);
       }});
  recipe.stages.push_back({"llvm-dialect", [options](OpPassManager &manager) {
                             buildLowerToLLVMPipeline(manager, *options);
                           }});
}

llvm::Expected<Recipe> rgnn::makeCPURecipe(StringRef text) {
  auto parsed = parseCPUOptions(text);
  if (!parsed)
    return parsed.takeError();
  std::shared_ptr<CPUPipelineOptions> options = std::move(*parsed);
  Recipe recipe;
  recipe.options = "rgnn-to-cpu" + printed(*options);
  if (options->start == "captured") {
    recipe.stages.push_back({"hetkernel",
                             [options](OpPassManager &manager) {
                               buildRGNNToHetKernelPipeline(manager, *options);
                             },
                             reportKernels});
    recipe.stages.push_back({"buffers", [options](OpPassManager &manager) {
                               buildHetKernelToBuffersPipeline(manager,
                                                               *options);
                             }});
  }
  addHostStages(recipe, options);
  return recipe;
}

llvm::Expected<Recipe> rgnn::makeGPURecipe(StringRef text) {
  auto parsed = parse<GPUPipelineOptions>("rgnn-to-gpu", text);
  if (!parsed)
    return parsed.takeError();
  std::shared_ptr<GPUPipelineOptions> options = std::move(*parsed);
  Recipe recipe;
  recipe.options = "rgnn-to-gpu" + printed(*options);
  recipe.stages.push_back({"buffers", [options](OpPassManager &manager) {
                             buildRGNNToGPUKernelsPipeline(manager, *options);
                           }});
  recipe.stages.push_back({"nvvm",
                           [options](OpPassManager &manager) {
                             buildKernelsToNVVMPipeline(manager, *options);
                           },
                           reportLaunches});
  auto host = std::make_shared<CPUPipelineOptions>();
  host->cpu = getPortableCPU(llvm::Triple(llvm::sys::getProcessTriple())).str();
  addHostStages(recipe, host);
  return recipe;
}
