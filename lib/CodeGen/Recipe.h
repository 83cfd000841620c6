//===- Recipe.h - how a module is compiled for a machine --------*- C++ -*-===//

#ifndef RGNN_LIB_CODEGEN_RECIPE_H
#define RGNN_LIB_CODEGEN_RECIPE_H

#include "RGNN/CodeGen/Compiler.h"
#include "RGNN/Pipelines/Pipelines.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/Error.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace mlir::rgnn {

/// The options of `rgnn-to-cpu`. Fails on what the pipeline does not know.
llvm::Expected<std::unique_ptr<CPUPipelineOptions>>
parseCPUOptions(llvm::StringRef text);

struct Recipe {
  struct Stage {
    llvm::StringRef name;
    std::function<void(OpPassManager &)> build;
    /// Says what `@forward` runs, where that is seen after the stage.
    std::function<void(ModuleOp, CompileResult &)> report = nullptr;
  };

  /// All options, those that were not given too.
  std::string options;
  /// The processor that runs the code, or its host's side.
  std::string cpu, features;
  /// From captured operators to the llvm dialect.
  std::vector<Stage> stages;
};

/// By options of `rgnn-to-cpu`.
llvm::Expected<Recipe> makeCPURecipe(llvm::StringRef options);

/// By options of `rgnn-to-gpu`. The host's side is for any processor of this
/// one's architecture: nothing but sizes is computed there.
llvm::Expected<Recipe> makeGPURecipe(llvm::StringRef options);

} // namespace mlir::rgnn

#endif // RGNN_LIB_CODEGEN_RECIPE_H
