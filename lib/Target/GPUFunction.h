//===- GPUFunction.h - a function as launches of kernels --------*- C++ -*-===//

#ifndef RGNN_LIB_TARGET_GPUFUNCTION_H
#define RGNN_LIB_TARGET_GPUFUNCTION_H

#include "RGNN/Pipelines/Pipelines.h"
#include "RGNN/Reference/Interpreter.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/JSON.h"

namespace mlir::rgnn {

/// A function that was lowered alone to launches. It is called through the
/// simulator, with what the runtime makes of the graphs.
class GPUFunction {
public:
  /// Fails with an error at the op that could not be lowered.
  static FailureOr<GPUFunction> lower(func::FuncOp function,
                                      const GPUPipelineOptions &options);

  /// `@forward`, and its variants for other graphs, which compute the same.
  size_t getNumVariants() const { return entries.size(); }

  /// Runs a variant, and counts its launches. On failure an error was reported.
  FailureOr<SmallVector<reference::Datum>>
  call(size_t variant, ArrayRef<reference::Datum> arguments);
  unsigned getNumLaunches() const { return numLaunches; }

private:
  func::FuncOp function;
  OwningOpRef<ModuleOp> module;
  SmallVector<func::FuncOp> entries;
  /// Of each variant.
  std::vector<llvm::json::Value> manifests;
  unsigned numLaunches = 0;
};

} // namespace mlir::rgnn

#endif // RGNN_LIB_TARGET_GPUFUNCTION_H
