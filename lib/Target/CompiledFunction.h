//===- CompiledFunction.h - a function as machine code ----------*- C++ -*-===//

#ifndef RGNN_LIB_TARGET_COMPILEDFUNCTION_H
#define RGNN_LIB_TARGET_COMPILEDFUNCTION_H

#include "RGNN/Reference/Interpreter.h"
#include "rgnn/runtime.h"

#include "llvm/Support/JSON.h"

#include <memory>
#include <optional>

namespace mlir::rgnn {

/// Frees what the runtime made.
struct RuntimeDeleter {
  void operator()(RgnnModule *module) const { rgnn_module_unload(module); }
  void operator()(RgnnGraph *graph) const { rgnn_graph_destroy(graph); }
  void operator()(RgnnCall *call) const { rgnn_call_end(call); }
};
template <typename T>
using RuntimePtr = std::unique_ptr<T, RuntimeDeleter>;

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
  /// The graph that the caller of a captured model makes of its inputs.
  RuntimePtr<RgnnGraph> makeGraph(const llvm::json::Object &spec,
                                  ArrayRef<DLTensor> inputs);
  /// The graph of an argument that is one.
  RuntimePtr<RgnnGraph> makeGraph(const llvm::json::Object &spec,
                                  const reference::Graph &graph);

  func::FuncOp function;
  RuntimePtr<RgnnModule> module;
  llvm::json::Value manifest = nullptr;
};

} // namespace mlir::rgnn

#endif // RGNN_LIB_TARGET_COMPILEDFUNCTION_H
