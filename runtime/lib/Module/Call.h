//===- Call.h - One call of a compiled module -------------------*- C++ -*-===//

#ifndef RGNN_RUNTIME_MODULE_CALL_H
#define RGNN_RUNTIME_MODULE_CALL_H

#include "Module/Module.h"
#include <atomic>
#include <memory>
#include <vector>

namespace rgnn {

/// The arguments and the workspace of one call.
class Call {
public:
  explicit Call(Module &module);

  /// Outputs are described, their data is null.
  DLTensor *output(int32_t index);
  int32_t numOutputs() const { return outputs.size(); }
  /// Runs the function of a graph alone, for values to keep with the graph.
  std::unique_ptr<OnceValues> makeValues();
  /// A tensor for an output, in memory that is used again: that of saved ones
  /// is the module's. Null for a small result.
  DLManagedTensorVersioned *makeOutput(int32_t index);
  void run(void *const *data, int32_t numData);

  /// Bytes of memory on the GPU that runOnGPU() works in.
  uint64_t workspaceSize() const;
  /// Launches the kernels on a stream and returns; `workspace` is theirs until
  /// they are done.
  void runOnGPU(void *const *data, int32_t numData, void *workspace,
                cuda::Stream stream);

  Module &module;

private:
  friend class Module;
  friend class RecordedCall;

  void check(Module::Graphs graphs, int32_t numGraphs,
             const DLTensor *const *inputs, int32_t numInputs);
  void checkInput(const TensorSpec &spec, const DLTensor *tensor);
  void checkDevice(const TensorSpec &spec, const DLTensor &tensor);
  int deviceWithoutTensors() const;
  void checkGraph(size_t index);
  void checkSize(const TensorSpec &spec, const DLTensor &input, size_t dim,
                 const Dim &size) const;
  void packArguments();
  void packOutputs(void *const *data, int32_t numData);
  const void *viewData(Graph &graph, const RgnnView &view) const;
  int64_t sizeOf(const GraphSize &size) const;
  /// The value of a dimension that is not Any.
  int64_t evaluate(const Dim &dim) const;
  /// -1 where the input is absent.
  int64_t inputDim(int32_t input, int32_t dim) const;

  Module::Graphs graphs = nullptr;
  const DLTensor *const *inputs = nullptr;
  /// Of a module for GPUs: the one that the inputs are on; -1 before any.
  int device = -1;
  std::vector<uint64_t> words;
  size_t firstOutputWord = 0;
  std::vector<DLTensor> outputs;
  std::vector<int64_t> outputShapes;
  /// While the call is under way: its temporaries, and the saved outputs.
  MemoryPool::Block workspace;
  MemoryPool::Block saved;
  /// What it worked in last. Read by workspaceBytes() while it is under way.
  std::atomic<uint64_t> workspaceBytes{0};
  uint64_t generation = 0;
};

/// How messages name an input.
std::string quoted(const TensorSpec &spec);

/// Fails where `data` begins at no multiple of what threads of a GPU read and
/// write at once, which are several numbers.
void checkAligned(const void *data, const std::string &name);

} // namespace rgnn

#endif // RGNN_RUNTIME_MODULE_CALL_H
