//===- Graphs.h - Graphs of a module's calls, built once --------*- C++ -*-===//

#ifndef RGNN_LIB_TORCH_GRAPHS_H
#define RGNN_LIB_TORCH_GRAPHS_H

#include "Manifest.h"
#include "Tensors.h"

#include <list>
#include <memory>
#include <mutex>

namespace rgnn::libtorch {

using GraphPointer = std::shared_ptr<RgnnGraph>;

/// The graphs of the last calls, found again by the tensors of edges that they
/// were made of: the same storage, place in it and version. Tensors of
/// inference mode have no version, so that what is made of them is not kept.
class GraphCache {
public:
  /// Keeps the graphs of a few calls, each of which has up to `graphsOfCall`.
  explicit GraphCache(size_t graphsOfCall) : limit(4 * graphsOfCall) {}

  /// The graph that a call's tensors make, with the views that other functions
  /// had built. Fails where an index is out of range.
  GraphPointer find(const GraphSpec &spec, const std::vector<Tensor> &tensors);

  void clear();

private:
  /// What graphs are equal by, but for their edges.
  struct Structure {
    bool hasTypes;
    int64_t numEdgeTypes;
    std::vector<int32_t> srcType, dstType;
    bool isBipartite;
    std::vector<int64_t> numNodes;

    bool operator==(const Structure &other) const;
  };

  /// A tensor as it was. It is held, so that no other gets its memory.
  struct Snapshot {
    explicit Snapshot(Tensor tensor);
    bool holds(const Tensor &now) const;

    Tensor tensor;
    const void *data;
    int64_t version;
  };

  struct Entry {
    Structure structure;
    std::vector<Snapshot> sources;
    GraphPointer graph;
  };

  GraphPointer lookup(const Structure &structure,
                      const std::vector<Tensor> &sources);

  const size_t limit;
  std::mutex mutex;
  /// The last used comes first.
  std::list<Entry> entries;
};

} // namespace rgnn::libtorch

#endif // RGNN_LIB_TORCH_GRAPHS_H
