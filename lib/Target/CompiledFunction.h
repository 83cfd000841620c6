//===- CompiledFunction.h - a function as machine code ----------*- C++ -*-===//

#ifndef RGNN_LIB_TARGET_COMPILEDFUNCTION_H
#define RGNN_LIB_TARGET_COMPILEDFUNCTION_H

#include "RuntimeTensors.h"

#include <optional>

namespace mlir::rgnn {

/// A function that was compiled alone for this processor and loaded. It is
/// called through the C interface of the runtime, as a program without Python
/// does it.
class CompiledFunction {
public:
  /// `pipeline` are options of rgnn-to-cpu. Fails with an error at the
  /// function.
  static FailureOr<CompiledFunction> compile(func::FuncOp function,
                                             llvm::StringRef pipeline);

  /// Runs it. Nothing where the runtime refused: rgnn_last_error() says why.
  std::optional<SmallVector<reference::Datum>>
  call(ArrayRef<reference::Datum> arguments);

private:
  func::FuncOp function;
  RuntimePtr<RgnnModule> module;
  llvm::json::Value manifest = nullptr;
};

} // namespace mlir::rgnn

#endif // RGNN_LIB_TARGET_COMPILEDFUNCTION_H
