//===- RuntimeArguments.h - what a manifest asks for ------------*- C++ -*-===//

#ifndef RGNN_LIB_TARGET_RUNTIMEARGUMENTS_H
#define RGNN_LIB_TARGET_RUNTIMEARGUMENTS_H

#include "RGNN/Reference/GPUSimulator.h"
#include "RGNN/Reference/Interpreter.h"
#include "rgnn/runtime.h"

#include "llvm/Support/JSON.h"

#include <memory>

namespace mlir::rgnn {

/// The elements of a tensor in the format of its type, and back.
simulator::Datum encode(const reference::Tensor &tensor, Type elementType);
reference::Tensor decode(const simulator::Datum &datum, Type elementType);

/// The arguments of a function on buffers, in the order of `manifest`: sizes
/// and views, which the runtime makes of the graphs, inputs that are read, and
/// outputs.
class RuntimeArguments {
public:
  /// `function` is the one that the manifest was made of. Fails with an error
  /// there where the runtime refuses a graph.
  static FailureOr<RuntimeArguments> make(func::FuncOp function,
                                          ArrayRef<reference::Datum> arguments,
                                          const llvm::json::Object &manifest);

  SmallVector<simulator::Datum> data;
  size_t numOutputs = 0; // the last of them

private:
  struct GraphDeleter {
    void operator()(RgnnGraph *graph) const { rgnn_graph_destroy(graph); }
  };
  using GraphPtr = std::unique_ptr<RgnnGraph, GraphDeleter>;

  GraphPtr makeGraph(const llvm::json::Object &spec);
  static GraphPtr makeGraph(const llvm::json::Object &spec,
                            const reference::Graph &graph, Type indexType);
  /// A size as the manifest says it: a number, or one of a graph or an input.
  int64_t getSize(const llvm::json::Value &size) const;

  void addSizes(const llvm::json::Object &manifest);
  void addViews(const llvm::json::Object &manifest);
  void addInputs(const llvm::json::Object &manifest);
  void addOutputs(const llvm::json::Object &manifest, TypeRange types);

  SmallVector<simulator::Datum> inputs;
  SmallVector<Type> inputTypes;
  std::vector<GraphPtr> graphs;
};

} // namespace mlir::rgnn

#endif // RGNN_LIB_TARGET_RUNTIMEARGUMENTS_H
