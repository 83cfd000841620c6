//===- Module.h - Loading and calling compiled modules ----------*- C++ -*-===//

#ifndef RGNN_RUNTIME_MODULE_MODULE_H
#define RGNN_RUNTIME_MODULE_MODULE_H

#include "CUDA/Kernels.h"
#include "Module/Library.h"
#include "Module/Manifest.h"
#include "Support/SavedMemory.h"
#include "Support/Workspace.h"
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace rgnn {

class Call;

class Module {
public:
  using Graphs = Graph *const *;

  /// Fails where the library lacks what the manifest names.
  Module(Manifest manifest, Library library);
  ~Module();
  Module(const Module &) = delete;
  Module &operator=(const Module &) = delete;

  /// Whether all views and sizes that a call reads are built, and what is
  /// computed once of the graph is; and doing both.
  bool prepared(Graphs graphs, int32_t numGraphs) const;
  void prepare(Graphs graphs, int32_t numGraphs) const;
  struct MissingView {
    int32_t graph;
    Part part;
    ViewKind kind;
    int64_t param;
  };
  /// The first that a call reads and a graph on a GPU was not given.
  std::optional<MissingView> missingView(Graphs graphs,
                                         int32_t numGraphs) const;
  /// The graphs that a call with these inputs needs.
  std::vector<std::unique_ptr<Graph>> makeGraphs(const DLTensor *const *inputs,
                                                 int32_t numInputs) const;

  /// Checks every argument; the call returns to its module, which may be a
  /// variant of this one, by end() of that.
  Call *begin(Graphs graphs, int32_t numGraphs, const DLTensor *const *inputs,
              int32_t numInputs);
  void end(Call *call) noexcept;

  uint64_t workspaceBytes() const;
  void releaseWorkspace();

  const Manifest manifest;

private:
  friend class Call;

  static uint64_t nextNumber();

  Module(Manifest manifest, std::shared_ptr<const Library> library,
         std::shared_ptr<cuda::KernelsOfDevices> kernels);
  /// What runs on these graphs; null where it is this module itself.
  Module *variantFor(Graphs graphs, int32_t numGraphs) const;

  /// What `once` makes of the graph; made and kept with the graph first if need
  /// be.
  const OnceValues &onceValues(Graph &graph) const;

  /// Its own in this process.
  const uint64_t number = nextNumber();
  const std::shared_ptr<const Library> library;
  /// Null for code that runs on a processor alone; variants share them.
  const std::shared_ptr<cuda::KernelsOfDevices> kernels;
  RgnnEntry entry = nullptr;
  RgnnWorkspaceSize workspaceSize = nullptr;
  /// Those of the manifest, in its order.
  std::vector<std::unique_ptr<Module>> variants;
  /// Of the manifest's `once`; null where there is none.
  std::unique_ptr<Module> once;

  /// Calls that are not under way keep their memory for the next; `calls` are
  /// all there are. `generation` counts the releases.
  mutable std::mutex mutex;
  std::vector<std::unique_ptr<Call>> calls;
  std::vector<Call *> idle;
  uint64_t generation = 0;
  const std::shared_ptr<SavedMemory> savedMemory =
      std::make_shared<SavedMemory>();
};

/// The arguments and the workspace of one call.
class Call {
public:
  explicit Call(Module &module);

  /// Outputs are described, their data is null.
  DLTensor *output(int32_t index);
  int32_t numOutputs() const { return outputs.size(); }
  /// Runs the function of a graph alone, for values to keep with the graph.
  std::unique_ptr<OnceValues> makeValues();
  /// A tensor for a saved output, in memory that the module keeps.
  DLManagedTensorVersioned *makeSaved(int32_t index);
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

  void check(Module::Graphs graphs, int32_t numGraphs,
             const DLTensor *const *inputs, int32_t numInputs);
  void checkInput(const TensorSpec &spec, const DLTensor *tensor);
  void checkDevice(const TensorSpec &spec, const DLTensor &tensor);
  void checkGraph(size_t index);
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
  Workspace workspace;
  /// Of the saved outputs, while the call is under way.
  SavedMemory::Block saved;
  /// Read by workspaceBytes() while the call is under way.
  std::atomic<uint64_t> workspaceBytes{0};
  uint64_t generation = 0;
};

} // namespace rgnn

#endif // RGNN_RUNTIME_MODULE_MODULE_H
