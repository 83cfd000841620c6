//===- RuntimeArguments.h - what a manifest asks for ------------*- C++ -*-===//

#ifndef RGNN_LIB_TARGET_RUNTIMEARGUMENTS_H
#define RGNN_LIB_TARGET_RUNTIMEARGUMENTS_H

#include "RGNN/Reference/GPUSimulator.h"
#include "RuntimeTensors.h"

namespace mlir::rgnn {

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
  /// The graph, or part of one, that a size or a view is of.
  RgnnGraph *getGraph(const llvm::json::Object &spec) const;
  /// A size as the manifest says it: a number, or one of a graph or an input.
  int64_t getSize(const llvm::json::Value &size) const;

  void addSizes(const llvm::json::Object &manifest);
  void addViews(const llvm::json::Object &manifest);
  void addInputs(const llvm::json::Object &manifest);
  void addOutputs(const llvm::json::Object &manifest, TypeRange types);

  std::vector<RuntimeTensor> inputs;
  std::vector<RuntimePtr<RgnnGraph>> graphs;
};

} // namespace mlir::rgnn

#endif // RGNN_LIB_TARGET_RUNTIMEARGUMENTS_H
