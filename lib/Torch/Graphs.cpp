//===- Graphs.cpp - Graphs of a module's calls, built once ----------------===//

#include "Graphs.h"
#include "Error.h"
#include <tuple>

using namespace rgnn;
using namespace rgnn::libtorch;

static int64_t versionOf(const Tensor &tensor) {
  return callTorch<int64_t>("aten::_version", "", tensor);
}

static bool isInference(const Tensor &tensor) {
  return callTorch<bool>("aten::is_inference", "", tensor);
}

bool GraphCache::Structure::operator==(const Structure &other) const {
  auto fields = [](const Structure &s) {
    return std::tie(s.hasTypes, s.numEdgeTypes, s.srcType, s.dstType,
                    s.isBipartite, s.numNodes);
  };
  return fields(*this) == fields(other);
}

GraphCache::Snapshot::Snapshot(Tensor source)
    : tensor(std::move(source)), data(tensor.const_data_ptr()),
      version(versionOf(tensor)) {}

/// Addresses alone say nothing: memory that is not PyTorch's may be used again
/// under a tensor that is held. Storages are compared by is_set_to.
bool GraphCache::Snapshot::holds(const Tensor &now) const {
  return now.const_data_ptr() == data && tensor.const_data_ptr() == data &&
         callTorch<bool>("aten::is_set_to", "", tensor, now) &&
         versionOf(now) == version && versionOf(tensor) == version;
}

static GraphPointer makeGraph(const GraphSpec &spec,
                              const std::vector<Tensor> &tensors,
                              const std::vector<int64_t> &numNodes) {
  std::vector<DLTensor> edges;
  edges.reserve(spec.edgeIndex.size());
  for (int32_t input : spec.edgeIndex)
    edges.push_back(describe(tensors[input], "edge_index"));
  DLTensor types = {};
  if (spec.edgeType >= 0)
    types = describe(tensors[spec.edgeType], "edge_type");

  RgnnGraphDesc desc = {};
  desc.edge_index = edges.data();
  desc.num_edge_index = static_cast<int32_t>(edges.size());
  desc.edge_type = spec.edgeType >= 0 ? &types : nullptr;
  desc.num_edge_types = spec.numEdgeTypes;
  desc.num_nodes = numNodes.data();
  desc.num_node_types = static_cast<int32_t>(numNodes.size());
  desc.src_type = spec.srcType.empty() ? nullptr : spec.srcType.data();
  desc.dst_type = spec.dstType.empty() ? nullptr : spec.dstType.data();
  RgnnGraph *graph = nullptr;
  check((spec.isBipartite ? rgnn_graph_create_bipartite
                          : rgnn_graph_create)(&desc, &graph));
  return GraphPointer(graph, rgnn_graph_destroy);
}

static int64_t evaluate(const NodeCount &count,
                        const std::vector<Tensor> &tensors) {
  int64_t sum = count.constant;
  for (auto [input, dim] : count.sizes) {
    const Tensor &tensor = tensors[input];
    if (tensor.dim() <= dim)
      fail("input ", input, ": expected rank ", dim + 1, " or more, got ",
           tensor.dim());
    sum += tensor.size(dim);
  }
  return sum;
}

GraphPointer GraphCache::lookup(const Structure &structure,
                                const std::vector<Tensor> &sources) {
  const std::lock_guard<std::mutex> lock(mutex);
  for (auto entry = entries.begin(); entry != entries.end(); ++entry) {
    if (!(entry->structure == structure) ||
        !std::equal(entry->sources.begin(), entry->sources.end(),
                    sources.begin(), sources.end(),
                    [](const Snapshot &then, const Tensor &now) {
                      return then.holds(now);
                    }))
      continue;
    entries.splice(entries.begin(), entries, entry);
    return entry->graph;
  }
  return nullptr;
}

GraphPointer GraphCache::find(const GraphSpec &spec,
                              const std::vector<Tensor> &tensors) {
  Structure structure = {spec.edgeType >= 0, spec.numEdgeTypes, spec.srcType,
                         spec.dstType,       spec.isBipartite,  {}};
  for (const NodeCount &count : spec.numNodes)
    structure.numNodes.push_back(evaluate(count, tensors));
  std::vector<Tensor> sources;
  sources.reserve(spec.edgeIndex.size() + 1);
  for (int32_t input : spec.edgeIndex)
    sources.push_back(tensors[input]);
  if (spec.edgeType >= 0)
    sources.push_back(tensors[spec.edgeType]);

  if (std::any_of(sources.begin(), sources.end(), isInference))
    return makeGraph(spec, tensors, structure.numNodes);
  if (GraphPointer known = lookup(structure, sources))
    return known;
  // Versions from before the edges are read: a change meanwhile is seen later.
  Entry entry = {std::move(structure), {}, nullptr};
  for (const Tensor &source : sources)
    entry.sources.emplace_back(source);
  GraphPointer graph = entry.graph =
      makeGraph(spec, tensors, entry.structure.numNodes);

  // Tensors that nothing else holds are freed when the lock is not.
  std::list<Entry> dropped;
  const std::lock_guard<std::mutex> lock(mutex);
  entries.push_front(std::move(entry));
  if (entries.size() > limit)
    dropped.splice(dropped.begin(), entries, std::prev(entries.end()));
  return graph;
}

void GraphCache::clear() {
  std::list<Entry> dropped;
  const std::lock_guard<std::mutex> lock(mutex);
  dropped.swap(entries);
}
