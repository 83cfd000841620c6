//===- Graph.h - A typed graph and its views --------------------*- C++ -*-===//
//
// A graph checks and copies its edges once. The arrays that kernels walk are
// built when first asked for and then never change, so that reading one costs
// an atomic load.
//
//===----------------------------------------------------------------------===//

#ifndef RGNN_RUNTIME_GRAPH_GRAPH_H
#define RGNN_RUNTIME_GRAPH_GRAPH_H

#include "Graph/GraphInput.h"
#include "Graph/Kinds.h"
#include "rgnn/runtime.h"
#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace rgnn {

namespace cuda {
class DeviceViews;
}
struct OnceValues;

class Graph {
public:
  /// Fails with what was expected and what came.
  explicit Graph(const RgnnGraphDesc &desc, bool isBipartite = false)
      : Graph(GraphInput(desc, isBipartite)) {}
  ~Graph();
  Graph(const Graph &) = delete;
  Graph &operator=(const Graph &) = delete;

  /// Builds what is needed. O(E + N + types) for each array.
  RgnnView view(ViewKind kind, int64_t param = 0);
  int64_t size(SizeKind kind, int64_t param = 0);

  /// A part with the nodes and edge types of this graph, which owns it. Its
  /// edges as given are this graph's by position, so that its own positions
  /// have the same order. Built once; fails on a part of a part.
  Graph &part(Part part);
  /// Null where it is not built.
  const Graph *findPart(Part part) const {
    return parts[static_cast<size_t>(part)].load(std::memory_order_acquire);
  }

  /// The same without building: false where it would have to.
  bool findView(ViewKind kind, int64_t param, RgnnView &view) const;
  bool findSize(SizeKind kind, int64_t param, int64_t &size) const;

  /// A view of a graph on a GPU, which must live as long.
  void setView(ViewKind kind, int64_t param, const RgnnView &view);
  /// The view that a size is read from.
  static ViewKind viewOfSize(SizeKind kind);

  /// The copies of views on a GPU.
  cuda::DeviceViews &onDevice(int device);

  /// Values that the module of this number made of the graph alone; null where
  /// it has not.
  const OnceValues *findValues(uint64_t module) const;
  /// Keeps them unless others of the module came first; gives those that are
  /// kept.
  const OnceValues &keepValues(std::unique_ptr<OnceValues> made);

  /// With those of the parts.
  uint64_t bytes() const;
  int64_t numNodeTypes() const { return ntypeOffsets.size() - 1; }
  int64_t numNodesOf(size_t type) const {
    return ntypeOffsets[type + 1] - ntypeOffsets[type];
  }
  /// Number of edges of each edge_index, as given.
  const std::vector<int64_t> &edgeCounts() const { return listEdges; }
  const std::vector<int32_t> &srcTypes() const { return srcType; }
  const std::vector<int32_t> &dstTypes() const { return dstType; }

  /// Fixed at construction. numEdges is 0 for a part on a GPU, whose size()
  /// follows from the views that it is given.
  int64_t numNodes = 0;
  /// How many nodes sources and destinations count: all, or those of a side of
  /// a bipartite graph.
  int64_t numSrcNodes = 0, numDstNodes = 0;
  bool isBipartite = false;
  int64_t numEdges = 0;
  int64_t numEdgeTypes = 0;
  /// The GPU whose memory edges and views are in; -1 for the processor's.
  int32_t device = -1;

private:
  /// A built view; those of one kind form a list that only grows.
  struct Entry {
    RgnnView view;
    int64_t param;
    IntArray storage;
    Entry *next;
  };

  explicit Graph(GraphInput input);
  /// Of a whole graph, whose lock is held.
  Graph(Graph &whole, Part part);

  void deleteValues();

  void checkKind(ViewKind kind) const;

  IntArray allocate(int64_t count);
  void keep(ViewKind kind, IntArray data, int64_t rows, int64_t param = 0);
  void add(std::unique_ptr<Entry> entry, ViewKind kind);
  /// A view, or its data, built first if need be; the lock is held.
  RgnnView needView(ViewKind kind);
  const int32_t *need(ViewKind kind) { return needView(kind).data; }
  void build(ViewKind kind, int64_t param);
  /// Knows how each view is made (ViewBuilders.cpp).
  struct ViewBuilder;

  /// The part that each edge type is of.
  std::vector<Part> partOfTypes();

  /// Edges as given, until they are sorted. `rawType` is null where all types
  /// are 0.
  IntArray rawSrc, rawDst, rawType;
  std::vector<int64_t> listEdges;
  std::vector<int32_t> srcType, dstType;
  /// First node of each node type; one more at the end.
  std::vector<int64_t> ntypeOffsets;

  const Part ownPart = Part::whole;
  /// Of a part: the number of edges of the whole.
  const int64_t numWholeEdges = 0;
  /// By Part; the first is this graph itself.
  std::array<std::atomic<Graph *>, 3> parts = {this};

  std::array<std::atomic<Entry *>, numViewKinds> entries = {};
  /// Of all modules; a list that only grows.
  std::atomic<OnceValues *> values{nullptr};
  std::mutex mutex;
  std::map<int, std::unique_ptr<cuda::DeviceViews>> devices;
  std::atomic<uint64_t> numBytes{0};
};

} // namespace rgnn

#endif // RGNN_RUNTIME_GRAPH_GRAPH_H
