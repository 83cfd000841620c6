//===- RuntimeTensors.h - tensors and graphs for the runtime ----*- C++ -*-===//

#ifndef RGNN_LIB_TARGET_RUNTIMETENSORS_H
#define RGNN_LIB_TARGET_RUNTIMETENSORS_H

#include "RGNN/Reference/Interpreter.h"
#include "rgnn/runtime.h"

#include "llvm/Support/JSON.h"

#include <memory>

namespace mlir::rgnn {

/// Frees what the runtime made.
struct RuntimeDeleter {
  void operator()(RgnnModule *module) const { rgnn_module_unload(module); }
  void operator()(RgnnGraph *graph) const { rgnn_graph_destroy(graph); }
  void operator()(RgnnCall *call) const { rgnn_call_end(call); }
};
template <typename T>
using RuntimePtr = std::unique_ptr<T, RuntimeDeleter>;

/// Bytes of an element in memory; a bool has one of its own.
size_t getElementSize(Type type);

/// A tensor whose elements have the format of their type.
struct RuntimeTensor {
  RuntimeTensor(const reference::Tensor &tensor, Type elementType);
  /// Valid as long as this.
  DLTensor getView();

  Type elementType;
  SmallVector<int64_t> shape;
  std::vector<char> bytes;
};

/// The tensor that `bytes` hold.
reference::Tensor decodeTensor(ArrayRef<char> bytes, ArrayRef<int64_t> shape,
                               Type elementType);

/// The graph that the caller of a captured model makes of its inputs, as a
/// graph in a manifest says; null where the runtime refuses.
RuntimePtr<RgnnGraph> makeGraph(const llvm::json::Object &spec,
                                ArrayRef<DLTensor> inputs);
/// The graph of an argument that is one.
RuntimePtr<RgnnGraph> makeGraph(const llvm::json::Object &spec,
                                const reference::Graph &graph,
                                MLIRContext *context);

} // namespace mlir::rgnn

#endif // RGNN_LIB_TARGET_RUNTIMETENSORS_H
