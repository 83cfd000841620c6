//===- GraphViewsTest.cpp - Views against plain recomputation -------------===//

#include "TestGraphs.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <thread>

using namespace rgnn;
using namespace rgnn::test;

namespace {
using Ints = std::vector<int32_t>;

class GraphViews : public testing::TestWithParam<EdgeList> {
protected:
  void SetUp() override {
    for (size_t e = 0; e < list.edges.size(); ++e)
      order.push_back(static_cast<int32_t>(e));
    sort(order, [&](int32_t e) { return key(e); });
    for (size_t p = 0; p < order.size(); ++p)
      byType.push_back(static_cast<int32_t>(p));
    sort(byType, [&](int32_t p) { return at(p).type; });
  }

  /// By (key, item).
  template <typename Key>
  static void sort(Ints &items, Key key) {
    std::sort(items.begin(), items.end(), [&](int32_t a, int32_t b) {
      return std::make_pair(key(a), a) < std::make_pair(key(b), b);
    });
  }

  std::pair<int64_t, int64_t> key(int32_t e) const {
    return {list.edges[e].dst, list.edges[e].type};
  }
  /// Row numbers sorted by key, and the first of each of `count` keys.
  template <typename Key>
  static std::pair<Ints, Ints> group(size_t rows, int64_t count, Key key) {
    Ints sorted, offsets(count + 1);
    for (size_t row = 0; row < rows; ++row)
      sorted.push_back(static_cast<int32_t>(row));
    sort(sorted, key);
    for (int64_t k = 0; k <= count; ++k)
      for (int32_t row : sorted)
        offsets[k] += key(row) < k;
    return {sorted, offsets};
  }

  static Ints invert(const Ints &order) {
    Ints places(order.size());
    for (size_t i = 0; i < order.size(); ++i)
      places[order[i]] = static_cast<int32_t>(i);
    return places;
  }

  const Edge &at(int32_t position) const { return list.edges[order[position]]; }

  /// A field of the edges at the positions given.
  template <typename Field>
  Ints collect(const Ints &positions, Field field) const {
    Ints result;
    for (int32_t position : positions)
      result.push_back(static_cast<int32_t>(field(position)));
    return result;
  }

  /// Cuts rows of these types into tiles, one row at a time.
  static Ints tiles(const Ints &types, int64_t rowsPerTile) {
    Ints result;
    for (size_t row = 0; row < types.size(); ++row) {
      const bool fresh =
          result.empty() || result[result.size() - 3] != types[row] ||
          int64_t(row) - result[result.size() - 2] == rowsPerTile;
      if (fresh)
        result.insert(result.end(), {types[row], int32_t(row), int32_t(row)});
      result.back() = static_cast<int32_t>(row + 1);
    }
    return result;
  }

  const EdgeList list = GetParam();
  std::unique_ptr<Graph> graph = list.make();
  /// Original index by position, and positions by (type, position).
  Ints order, byType;
};
} // namespace

TEST_P(GraphViews, EdgesByPosition) {
  Ints positions = byType;
  std::sort(positions.begin(), positions.end());
  EXPECT_EQ(values(*graph, ViewKind::edge_id), order);
  EXPECT_EQ(values(*graph, ViewKind::edge_position), invert(order));
  EXPECT_EQ(values(*graph, ViewKind::src_of_edge),
            collect(positions, [&](int32_t p) { return at(p).src; }));
  EXPECT_EQ(values(*graph, ViewKind::dst_of_edge),
            collect(positions, [&](int32_t p) { return at(p).dst; }));
  EXPECT_EQ(values(*graph, ViewKind::etype_of_edge),
            collect(positions, [&](int32_t p) { return at(p).type; }));

  Ints offsets(list.totalNodes() + 1);
  for (int64_t node = 0; node <= list.totalNodes(); ++node)
    for (const Edge &edge : list.edges)
      offsets[node] += edge.dst < node;
  EXPECT_EQ(values(*graph, ViewKind::dst_offsets), offsets);
}

/// The same before edges are sorted, and after.
TEST_P(GraphViews, EdgesByNumber) {
  auto expectAsGiven = [&](Graph &graph) {
    Ints ids(list.edges.size());
    for (size_t e = 0; e < ids.size(); ++e)
      ids[e] = static_cast<int32_t>(e);
    auto field = [&](auto of) {
      return collect(ids, [&](int32_t e) { return of(list.edges[e]); });
    };
    EXPECT_EQ(values(graph, ViewKind::src_of_id),
              field([](const Edge &edge) { return edge.src; }));
    EXPECT_EQ(values(graph, ViewKind::dst_of_id),
              field([](const Edge &edge) { return edge.dst; }));
    EXPECT_EQ(values(graph, ViewKind::etype_of_id),
              field([](const Edge &edge) { return edge.type; }));
  };
  expectAsGiven(*graph);
  const std::unique_ptr<Graph> sorted = list.make();
  sorted->view(ViewKind::edge_id);
  expectAsGiven(*sorted);
}

TEST_P(GraphViews, EdgesByType) {
  EXPECT_EQ(values(*graph, ViewKind::etype_edges), byType);
  EXPECT_EQ(values(*graph, ViewKind::etype_offsets),
            group(order.size(), list.numTypes, [&](int32_t p) {
              return at(p).type;
            }).second);
  EXPECT_EQ(values(*graph, ViewKind::etype_src),
            collect(byType, [&](int32_t p) { return at(p).src; }));
  EXPECT_EQ(values(*graph, ViewKind::etype_dst),
            collect(byType, [&](int32_t p) { return at(p).dst; }));
  EXPECT_EQ(values(*graph, ViewKind::etype_edge_id),
            collect(byType, [&](int32_t p) { return order[p]; }));
  const Ints types = collect(byType, [&](int32_t p) { return at(p).type; });
  for (int64_t rows : {int64_t(1), int64_t(3), int64_t(64), INT64_MAX})
    EXPECT_EQ(values(*graph, ViewKind::etype_tiles, rows), tiles(types, rows));
}

TEST_P(GraphViews, EdgesBySource) {
  Ints bySource = byType;
  sort(bySource, [&](int32_t p) { return at(p).src; });
  EXPECT_EQ(values(*graph, ViewKind::src_edges), bySource);
  Ints offsets(list.totalNodes() + 1);
  for (int64_t node = 0; node <= list.totalNodes(); ++node)
    for (const Edge &edge : list.edges)
      offsets[node] += edge.src < node;
  EXPECT_EQ(values(*graph, ViewKind::src_offsets), offsets);
}

TEST_P(GraphViews, DestinationPairs) {
  std::map<std::pair<int64_t, int64_t>, int32_t> runs;
  for (const Edge &edge : list.edges)
    runs[{edge.dst, edge.type}] = 0;
  int32_t numRuns = 0;
  for (auto &run : runs)
    run.second = numRuns++;
  EXPECT_EQ(graph->size(SizeKind::dst_pair), numRuns);

  const Ints pairs = values(*graph, ViewKind::dst_pair_of_edge);
  const Ints offsets = values(*graph, ViewKind::dst_pair_offsets);
  ASSERT_EQ(pairs.size(), list.edges.size());
  ASSERT_EQ(offsets.size(), size_t(numRuns) + 1);
  EXPECT_EQ(offsets.back(), int64_t(list.edges.size()));
  for (size_t p = 0; p < pairs.size(); ++p) {
    EXPECT_EQ(pairs[p], (runs[{at(p).dst, at(p).type}]));
    EXPECT_LE(offsets[pairs[p]], int64_t(p));
    EXPECT_GT(offsets[pairs[p] + 1], int64_t(p));
  }

  std::map<std::pair<int64_t, int64_t>, int32_t> sorted;
  for (const auto &run : runs)
    sorted[{run.first.second, run.first.first}] = run.second;
  Ints types, nodes, runOf;
  for (const auto &pair : sorted) {
    types.push_back(static_cast<int32_t>(pair.first.first));
    nodes.push_back(static_cast<int32_t>(pair.first.second));
    runOf.push_back(pair.second);
  }
  EXPECT_EQ(values(*graph, ViewKind::dst_pair_etype), types);
  EXPECT_EQ(values(*graph, ViewKind::dst_pair_node), nodes);
  EXPECT_EQ(values(*graph, ViewKind::dst_pair_runs), runOf);
  EXPECT_EQ(values(*graph, ViewKind::dst_pair_tiles, 2), tiles(types, 2));
  EXPECT_EQ(values(*graph, ViewKind::dst_pair_rank), invert(runOf));
  EXPECT_EQ(values(*graph, ViewKind::dst_pair_etype_offsets),
            group(types.size(), list.numTypes, [&](int32_t pair) {
              return types[pair];
            }).second);

  Ints firstRuns(list.totalNodes() + 1);
  for (int64_t node = 0; node <= list.totalNodes(); ++node)
    for (const auto &run : runs)
      firstRuns[node] += run.first.first < node;
  EXPECT_EQ(values(*graph, ViewKind::dst_pair_dst_offsets), firstRuns);
}

TEST_P(GraphViews, Tables) {
  const Ints bySource = values(*graph, ViewKind::src_pair_edges);
  for (bool isSrc : {true, false}) {
    const Ints &edges = isSrc ? bySource : byType;
    const Ints offsets = values(*graph, isSrc ? ViewKind::src_table_offsets
                                              : ViewKind::dst_table_offsets);
    ASSERT_EQ(int64_t(offsets.size()), list.numTypes * list.totalNodes() + 1);
    EXPECT_EQ(offsets.back(), int64_t(edges.size()));
    for (int64_t row = 0; row + 1 < int64_t(offsets.size()); ++row)
      for (int32_t slot = offsets[row]; slot < offsets[row + 1]; ++slot) {
        const Edge &edge = at(edges[slot]);
        EXPECT_EQ(edge.type * list.totalNodes() + (isSrc ? edge.src : edge.dst),
                  row);
      }
  }
}

TEST_P(GraphViews, SourcePairs) {
  std::map<std::pair<int64_t, int64_t>, int32_t> pairs;
  for (const Edge &edge : list.edges)
    pairs[{edge.type, edge.src}] = 0;
  Ints types, nodes;
  for (auto &pair : pairs) {
    pair.second = static_cast<int32_t>(types.size());
    types.push_back(static_cast<int32_t>(pair.first.first));
    nodes.push_back(static_cast<int32_t>(pair.first.second));
  }
  EXPECT_EQ(graph->size(SizeKind::src_pair), int64_t(pairs.size()));
  EXPECT_EQ(values(*graph, ViewKind::src_pair_etype), types);
  EXPECT_EQ(values(*graph, ViewKind::src_pair_node), nodes);
  EXPECT_EQ(values(*graph, ViewKind::src_pair_tiles, 2), tiles(types, 2));
  const Ints pairOfEdge = values(*graph, ViewKind::src_pair_of_edge);
  ASSERT_EQ(pairOfEdge.size(), list.edges.size());
  for (size_t p = 0; p < pairOfEdge.size(); ++p)
    EXPECT_EQ(pairOfEdge[p], (pairs[{at(p).type, at(p).src}]));

  const auto [edges, offsets] = group(pairOfEdge.size(), int64_t(pairs.size()),
                                      [&](int32_t p) { return pairOfEdge[p]; });
  EXPECT_EQ(values(*graph, ViewKind::src_pair_edges), edges);
  EXPECT_EQ(values(*graph, ViewKind::src_pair_offsets), offsets);
  const auto [ofNodes, nodeOffsets] =
      group(nodes.size(), list.totalNodes(),
            [&](int32_t pair) { return nodes[pair]; });
  EXPECT_EQ(values(*graph, ViewKind::src_pair_src_pairs), ofNodes);
  EXPECT_EQ(values(*graph, ViewKind::src_pair_src_offsets), nodeOffsets);
  EXPECT_EQ(values(*graph, ViewKind::src_pair_etype_offsets),
            group(types.size(), list.numTypes, [&](int32_t pair) {
              return types[pair];
            }).second);
}

TEST_P(GraphViews, NodeTypes) {
  Ints types;
  for (size_t type = 0; type < list.numNodes.size(); ++type) {
    EXPECT_EQ(graph->size(SizeKind::node_of_type, type), list.numNodes[type]);
    types.insert(types.end(), list.numNodes[type], static_cast<int32_t>(type));
  }
  EXPECT_EQ(values(*graph, ViewKind::ntype_tiles, 2), tiles(types, 2));
  EXPECT_EQ(values(*graph, ViewKind::ntype_of_node), types);
  EXPECT_EQ(
      values(*graph, ViewKind::ntype_offsets),
      group(types.size(), int64_t(list.numNodes.size()), [&](int32_t node) {
        return types[node];
      }).second);
}

/// Every view can be the first that is asked for, and int32 edges serve too.
TEST_P(GraphViews, AnyOrder) {
  for (ViewKind kind : kindsOfWhole()) {
    std::unique_ptr<Graph> fresh = list.make<int32_t>();
    EXPECT_EQ(values(*fresh, kind, 3), values(*graph, kind, 3))
        << viewName(kind);
  }
}

INSTANTIATE_TEST_SUITE_P(Awkward, GraphViews,
                         testing::ValuesIn(awkwardGraphs()), nameOf);

TEST(GraphViewsTest, Heterogeneous) {
  // Types of 2, 0 and 3 nodes; edges 0 -> 2, 2 -> 2, and none 1 -> 0.
  Tensor<int64_t> first{{0, 1, 1, 2, 0, 0}, {2, 3}};
  Tensor<int64_t> second{{0, 2}, {2, 1}};
  Tensor<int64_t> third{{}, {2, 0}};
  const DLTensor tensors[] = {first.dl(), second.dl(), third.dl()};
  const int64_t numNodes[] = {2, 0, 3};
  const int32_t srcType[] = {0, 2, 1}, dstType[] = {2, 2, 0};
  RgnnGraphDesc desc = {tensors, 3, nullptr, 3, numNodes, 3, srcType, dstType};
  Graph graph(desc);
  EXPECT_EQ(graph.numNodes, 5);
  EXPECT_EQ(graph.numEdges, 4);
  EXPECT_EQ(values(graph, ViewKind::edge_id), (Ints{1, 2, 0, 3}));
  EXPECT_EQ(values(graph, ViewKind::src_of_edge), (Ints{1, 1, 0, 2}));
  EXPECT_EQ(values(graph, ViewKind::dst_of_edge), (Ints{2, 2, 4, 4}));
  EXPECT_EQ(values(graph, ViewKind::etype_of_edge), (Ints{0, 0, 0, 1}));
}

TEST(GraphViewsTest, OneTypeWithoutEdgeType) {
  Tensor<int64_t> index{{0, 1, 1, 0}, {2, 2}};
  const DLTensor tensor = index.dl();
  const int64_t numNodes = 2;
  RgnnGraphDesc desc = {&tensor, 1, nullptr, 1, &numNodes, 1, nullptr, nullptr};
  Graph graph(desc);
  EXPECT_EQ(values(graph, ViewKind::etype_of_edge), (Ints{0, 0}));
}

TEST(GraphViewsTest, BipartiteOfListsOfEnds) {
  Tensor<int64_t> from{{0, 6, 6, 2}, {4}}, to{{1, 0, 1, 1}, {4}};
  const DLTensor tensors[] = {from.dl(), to.dl()};
  const int64_t numNodes[] = {7, 2};
  RgnnGraphDesc desc = {tensors, 2, nullptr, 1, numNodes, 2, nullptr, nullptr};
  Graph graph(desc, /*isBipartite=*/true);
  EXPECT_EQ(values(graph, ViewKind::src_of_id), (Ints{0, 6, 6, 2}));
  EXPECT_EQ(values(graph, ViewKind::dst_offsets), (Ints{0, 1, 4}));
  EXPECT_EQ(values(graph, ViewKind::src_of_edge), (Ints{6, 0, 6, 2}));
  EXPECT_EQ(values(graph, ViewKind::src_offsets),
            (Ints{0, 1, 1, 2, 2, 2, 2, 4}));
  EXPECT_EQ(graph.size(SizeKind::node_of_type, 0), 7);
  EXPECT_EQ(graph.size(SizeKind::node_of_type, 1), 2);
}

TEST(GraphViewsTest, AnyStrides) {
  // The transpose of a [E, 2] tensor, and every second element of another.
  Tensor<int64_t> index{{0, 1, 2, 0, 1, 2}, {2, 3}};
  Tensor<int64_t> type{{1, 9, 0, 9, 1, 9}, {3}};
  DLTensor indexTensor = index.dl(), typeTensor = type.dl();
  int64_t indexStrides[] = {1, 2}, typeStride = 2;
  indexTensor.strides = indexStrides;
  typeTensor.strides = &typeStride;
  const int64_t numNodes = 3;
  RgnnGraphDesc desc = {&indexTensor, 1, &typeTensor, 2,
                        &numNodes,    1, nullptr,     nullptr};
  Graph graph(desc);
  EXPECT_EQ(values(graph, ViewKind::edge_id), (Ints{1, 0, 2}));
  EXPECT_EQ(values(graph, ViewKind::src_of_edge), (Ints{2, 0, 1}));
  EXPECT_EQ(values(graph, ViewKind::etype_of_edge), (Ints{0, 1, 1}));
}

TEST(GraphViewsTest, KeepsNothingOfTheInput) {
  EdgeList list{"", {3}, 1, {{0, 1, 0}, {1, 2, 0}}};
  Tensor<int64_t> index = list.edgeIndex();
  const DLTensor tensor = index.dl();
  RgnnGraphDesc desc = {&tensor, 1,       nullptr, 1, list.numNodes.data(),
                        1,       nullptr, nullptr};
  Graph graph(desc);
  std::fill(index.values.begin(), index.values.end(), 1000);
  EXPECT_EQ(values(graph, ViewKind::src_of_edge), (Ints{0, 1}));
}

TEST(GraphViewsTest, BuildsOnceFromManyThreads) {
  std::unique_ptr<Graph> graph = randomEdges(5, 200, 9, 4000).make();
  const std::vector<ViewKind> kinds = kindsOfWhole();
  std::vector<std::vector<const int32_t *>> seen(8);
  std::vector<std::thread> threads;
  for (size_t t = 0; t < seen.size(); ++t)
    threads.emplace_back([&, t] {
      for (size_t i = 0; i < kinds.size(); ++i)
        seen[t].push_back(
            graph->view(kinds[(i + 3 * t) % kinds.size()], 16).data);
      std::rotate(seen[t].begin(), seen[t].end() - (3 * t) % kinds.size(),
                  seen[t].end());
    });
  for (std::thread &thread : threads)
    thread.join();
  for (const auto &pointers : seen)
    EXPECT_EQ(pointers, seen[0]);
}

TEST(GraphViewsTest, CountsItsBytes) {
  std::unique_ptr<Graph> graph = randomEdges(6, 10, 2, 100).make();
  EXPECT_EQ(graph->bytes(), 3u * 100 * sizeof(int32_t));
  graph->view(ViewKind::dst_offsets);
  EXPECT_EQ(graph->bytes(), (3u * 100 + 11) * sizeof(int32_t));
}
