//===- Module.h - Loading and calling compiled modules ----------*- C++ -*-===//

#ifndef RGNN_RUNTIME_MODULE_MODULE_H
#define RGNN_RUNTIME_MODULE_MODULE_H

#include "CUDA/Kernels.h"
#include "Graph/Graph.h"
#include "Module/Library.h"
#include "Module/Manifest.h"
#include "Support/MemoryPool.h"
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

  /// Calls that are not under way are used again; `calls` are all there are.
  /// `generation` counts the releases.
  mutable std::mutex mutex;
  std::vector<std::unique_ptr<Call>> calls;
  std::vector<Call *> idle;
  uint64_t generation = 0;
  const std::shared_ptr<MemoryPool> savedMemory =
      std::make_shared<MemoryPool>();
};

} // namespace rgnn

#endif // RGNN_RUNTIME_MODULE_MODULE_H
