//===- TestGraphs.h - Awkward graphs for the tests --------------*- C++ -*-===//

#ifndef RGNN_UNITTESTS_RUNTIME_TESTGRAPHS_H
#define RGNN_UNITTESTS_RUNTIME_TESTGRAPHS_H

#include "Graph/Graph.h"
#include "Support/Error.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

namespace rgnn::test {

/// A contiguous tensor over a vector.
template <typename T>
struct Tensor {
  std::vector<T> values;
  std::vector<int64_t> shape;

  DLTensor dl() {
    DLTensor tensor = {};
    tensor.data = values.data();
    tensor.device = {kDLCPU, 0};
    tensor.ndim = static_cast<int32_t>(shape.size());
    tensor.dtype = {
        static_cast<uint8_t>(std::is_integral<T>::value ? kDLInt : kDLFloat),
        sizeof(T) * 8, 1};
    tensor.shape = shape.data();
    return tensor;
  }
};

struct Edge {
  int64_t src, dst, type;
};

/// A graph as plain edges, numbered over all nodes.
struct EdgeList {
  std::string name;
  std::vector<int64_t> numNodes;
  int64_t numTypes;
  std::vector<Edge> edges;

  int64_t totalNodes() const {
    int64_t total = 0;
    for (int64_t nodes : numNodes)
      total += nodes;
    return total;
  }

  template <typename T = int64_t>
  Tensor<T> edgeIndex() const {
    Tensor<T> tensor;
    tensor.shape = {2, static_cast<int64_t>(edges.size())};
    for (const Edge &edge : edges)
      tensor.values.push_back(static_cast<T>(edge.src));
    for (const Edge &edge : edges)
      tensor.values.push_back(static_cast<T>(edge.dst));
    return tensor;
  }

  template <typename T = int64_t>
  Tensor<T> edgeType() const {
    Tensor<T> tensor;
    tensor.shape = {static_cast<int64_t>(edges.size())};
    for (const Edge &edge : edges)
      tensor.values.push_back(static_cast<T>(edge.type));
    return tensor;
  }

  template <typename T = int64_t>
  std::unique_ptr<Graph> make() const {
    Tensor<T> index = edgeIndex<T>(), type = edgeType<T>();
    const DLTensor indexTensor = index.dl(), typeTensor = type.dl();
    RgnnGraphDesc desc = {};
    desc.edge_index = &indexTensor;
    desc.num_edge_index = 1;
    desc.edge_type = &typeTensor;
    desc.num_edge_types = numTypes;
    desc.num_nodes = numNodes.data();
    desc.num_node_types = static_cast<int32_t>(numNodes.size());
    return std::make_unique<Graph>(desc);
  }
};

inline EdgeList randomEdges(unsigned seed, int64_t nodes, int64_t types,
                            int64_t edges) {
  std::mt19937 random(seed);
  EdgeList list{"random" + std::to_string(seed), {nodes}, types, {}};
  for (int64_t e = 0; e < edges; ++e)
    list.edges.push_back({static_cast<int64_t>(random() % nodes),
                          static_cast<int64_t>(random() % nodes),
                          static_cast<int64_t>(random() % types)});
  return list;
}

inline std::vector<EdgeList> awkwardGraphs() {
  return {
      {"no nodes", {0}, 3, {}},
      {"no types", {2}, 0, {}},
      {"no edges", {5}, 3, {}},
      {"one node", {1}, 1, {}},
      {"one node, loops", {1}, 2, {{0, 0, 1}, {0, 0, 0}, {0, 0, 1}}},
      {"isolated nodes", {9}, 2, {{3, 5, 1}, {5, 3, 0}, {3, 7, 1}}},
      {"self loops", {3}, 1, {{0, 0, 0}, {1, 1, 0}, {2, 2, 0}, {0, 1, 0}}},
      {"duplicates", {4}, 2, {{1, 2, 1}, {1, 2, 1}, {1, 2, 0}, {1, 2, 1}}},
      {"empty types", {4}, 7, {{1, 2, 5}, {2, 1, 2}, {0, 3, 5}, {3, 0, 2}}},
      {"empty node types", {0, 3, 0, 2}, 2, {{0, 4, 1}, {3, 2, 0}, {4, 4, 0}}},
      {"all to one", {4}, 3, {{0, 2, 2}, {1, 2, 1}, {2, 2, 0}, {3, 2, 2}}},
      randomEdges(1, 20, 4, 100),
      randomEdges(2, 300, 13, 200),
      randomEdges(3, 7, 1, 90),
  };
}

inline std::vector<int32_t> values(Graph &graph, ViewKind kind,
                                   int64_t param = 0) {
  const RgnnView view = graph.view(kind, param);
  return {view.data, view.data + view.rows * view.columns};
}

/// All kinds of views that a whole graph has.
inline std::vector<ViewKind> kindsOfWhole() {
  std::vector<ViewKind> kinds;
  for (size_t i = 0; i < numViewKinds; ++i)
    if (!isOfPartsOnly(static_cast<ViewKind>(i)))
      kinds.push_back(static_cast<ViewKind>(i));
  return kinds;
}

/// As the name of a test.
inline std::string nameOf(const testing::TestParamInfo<EdgeList> &info) {
  std::string name = info.param.name;
  name.erase(std::remove_if(name.begin(), name.end(),
                            [](unsigned char c) { return !std::isalnum(c); }),
             name.end());
  return name;
}

/// The message with which `body` fails, or "" where it does not.
template <typename Body>
std::string messageOf(Body body) {
  try {
    body();
  } catch (const Error &error) {
    return error.what();
  }
  return "";
}

} // namespace rgnn::test

#endif // RGNN_UNITTESTS_RUNTIME_TESTGRAPHS_H
