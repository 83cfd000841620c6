//===- GraphPartsTest.cpp - Parts of a graph by edge type -----------------===//

#include "ModuleTest.h"
#include <map>
#include <set>
#include <thread>
#include <tuple>

using namespace rgnn;
using namespace rgnn::test;

namespace {
using Ints = std::vector<int32_t>;

/// What parts of a list of edges are, one edge at a time.
struct ExpectedParts {
  explicit ExpectedParts(const EdgeList &edges) : list(edges) {
    std::map<std::tuple<int64_t, int64_t, size_t>, Edge> sorted;
    for (size_t e = 0; e < edges.edges.size(); ++e)
      sorted[{edges.edges[e].dst, edges.edges[e].type, e}] = edges.edges[e];
    list.edges.clear();
    for (const auto &edge : sorted)
      list.edges.push_back(edge.second);
    std::map<int64_t, std::set<int64_t>> sources, destinations;
    for (const Edge &edge : list.edges) {
      sources[edge.type].insert(edge.src);
      destinations[edge.type].insert(edge.dst);
    }
    for (size_t p = 0; p < list.edges.size(); ++p) {
      const int64_t type = list.edges[p].type;
      const bool isSrc = sources[type].size() <= destinations[type].size();
      positions[isSrc ? Part::src : Part::dst].push_back(
          static_cast<int32_t>(p));
    }
  }

  /// The edges of a part as a list of their own.
  EdgeList edgesOf(Part part) {
    EdgeList edges = {"", list.numNodes, list.numTypes, {}};
    for (int32_t position : positions[part])
      edges.edges.push_back(list.edges[position]);
    return edges;
  }

  /// By position.
  EdgeList list;
  std::map<Part, Ints> positions;
};

class GraphParts : public testing::TestWithParam<EdgeList> {
protected:
  std::unique_ptr<Graph> graph = GetParam().make();
  ExpectedParts expected{GetParam()};
};

std::vector<EdgeList> graphsToPart() {
  std::vector<EdgeList> graphs = awkwardGraphs();
  graphs.push_back({"ties", {6}, 3, {{0, 1, 2}, {3, 4, 0}, {2, 5, 2}}});
  graphs.push_back({"only dst", {5}, 2, {{4, 0, 1}, {2, 0, 1}, {3, 0, 1}}});
  return graphs;
}
} // namespace

TEST_P(GraphParts, AreEdgesByPosition) {
  for (Part part : {Part::src, Part::dst}) {
    const Ints positions = values(graph->part(part), ViewKind::whole_edge);
    EXPECT_EQ(positions, expected.positions[part]);
    Ints identity;
    for (size_t i = 0; i < positions.size(); ++i)
      identity.push_back(static_cast<int32_t>(i));
    EXPECT_EQ(values(graph->part(part), ViewKind::edge_id), identity);
  }
}

TEST_P(GraphParts, AreGroupedByPositionOfTheWhole) {
  for (Part part : {Part::src, Part::dst}) {
    const Ints &positions = expected.positions[part];
    Ints offsets;
    for (size_t p = 0; p <= expected.list.edges.size(); ++p) {
      int32_t before = 0;
      for (int32_t position : positions)
        before += static_cast<size_t>(position) < p;
      offsets.push_back(before);
    }
    EXPECT_EQ(values(graph->part(part), ViewKind::whole_offsets), offsets);
    EXPECT_EQ(offsets.back(), graph->part(part).numEdges);
  }
}

TEST_P(GraphParts, HaveTheViewsOfTheirEdges) {
  for (Part part : {Part::src, Part::dst}) {
    const std::unique_ptr<Graph> direct = expected.edgesOf(part).make();
    for (ViewKind kind : kindsOfWhole()) {
      // Every view can be the first that is asked for.
      const std::unique_ptr<Graph> fresh = GetParam().make<int32_t>();
      for (int64_t param : {3, 64}) {
        EXPECT_EQ(values(graph->part(part), kind, param),
                  values(*direct, kind, param))
            << partName(part) << " " << viewName(kind);
        EXPECT_EQ(values(fresh->part(part), kind, param),
                  values(*direct, kind, param))
            << partName(part) << " " << viewName(kind);
      }
    }
    for (SizeKind kind :
         {SizeKind::node, SizeKind::edge, SizeKind::edge_type_count,
          SizeKind::node_type_count, SizeKind::dst_pair, SizeKind::src_pair,
          SizeKind::node_of_type})
      EXPECT_EQ(graph->part(part).size(kind), direct->size(kind));
  }
}

INSTANTIATE_TEST_SUITE_P(Awkward, GraphParts, testing::ValuesIn(graphsToPart()),
                         nameOf);

TEST(GraphPartsTest, ByUniqueEnds) {
  // Type 0: two sources, three destinations. Type 1: two and one; the third
  // edge is there twice. Type 2: a tie. Type 3: no edges.
  const EdgeList list = {"",
                         {4},
                         4,
                         {{0, 0, 2},
                          {2, 3, 1},
                          {1, 3, 1},
                          {1, 3, 1},
                          {0, 1, 0},
                          {0, 2, 0},
                          {1, 3, 0}}};
  const std::unique_ptr<Graph> graph = list.make();
  EXPECT_EQ(values(*graph, ViewKind::etype_of_edge),
            (Ints{2, 0, 0, 0, 1, 1, 1}));
  Graph &src = graph->part(Part::src), &dst = graph->part(Part::dst);
  EXPECT_EQ(values(src, ViewKind::whole_edge), (Ints{0, 1, 2, 3}));
  EXPECT_EQ(values(dst, ViewKind::whole_edge), (Ints{4, 5, 6}));
  EXPECT_EQ(values(src, ViewKind::whole_offsets),
            (Ints{0, 1, 2, 3, 4, 4, 4, 4}));
  EXPECT_EQ(values(dst, ViewKind::whole_offsets),
            (Ints{0, 0, 0, 0, 0, 1, 2, 3}));
  EXPECT_EQ(values(src, ViewKind::src_of_edge), (Ints{0, 0, 0, 1}));
  EXPECT_EQ(values(dst, ViewKind::src_of_edge), (Ints{2, 1, 1}));
  EXPECT_EQ(values(dst, ViewKind::etype_offsets), (Ints{0, 0, 3, 3, 3}));
}

TEST(GraphPartsTest, Heterogeneous) {
  // Types of 2, 0 and 3 nodes; edges 0 -> 2, 2 -> 2, which goes to one node,
  // and none 1 -> 0.
  Tensor<int64_t> first{{0, 1, 1, 2, 0, 0}, {2, 3}};
  Tensor<int64_t> second{{0, 1, 2, 0, 0, 0}, {2, 3}};
  Tensor<int64_t> third{{}, {2, 0}};
  const DLTensor tensors[] = {first.dl(), second.dl(), third.dl()};
  const int64_t numNodes[] = {2, 0, 3};
  const int32_t srcType[] = {0, 2, 1}, dstType[] = {2, 2, 0};
  RgnnGraphDesc desc = {tensors, 3, nullptr, 3, numNodes, 3, srcType, dstType};
  Graph graph(desc);
  Graph &src = graph.part(Part::src), &dst = graph.part(Part::dst);
  EXPECT_EQ(values(src, ViewKind::whole_edge), (Ints{0, 1, 5}));
  EXPECT_EQ(values(src, ViewKind::dst_of_edge), (Ints{2, 2, 4}));
  EXPECT_EQ(values(src, ViewKind::whole_offsets), (Ints{0, 1, 2, 2, 2, 2, 3}));
  EXPECT_EQ(values(dst, ViewKind::whole_edge), (Ints{2, 3, 4}));
  EXPECT_EQ(values(dst, ViewKind::whole_offsets), (Ints{0, 0, 0, 1, 2, 3, 3}));
  EXPECT_EQ(values(dst, ViewKind::src_of_edge), (Ints{2, 3, 4}));
  EXPECT_EQ(values(dst, ViewKind::ntype_offsets), (Ints{0, 2, 2, 5}));
  EXPECT_EQ(dst.srcTypes(), (Ints{0, 2, 1}));
}

TEST(GraphPartsTest, BuiltOnceFromManyThreads) {
  const std::unique_ptr<Graph> graph = randomEdges(5, 200, 9, 4000).make();
  std::vector<std::vector<const void *>> seen(8);
  std::vector<std::thread> threads;
  threads.reserve(seen.size());
  for (size_t t = 0; t < seen.size(); ++t)
    threads.emplace_back([&, t] {
      auto ask = [&](Part part) {
        Graph &built = graph->part(part);
        return std::vector<const void *>{
            &built, built.view(ViewKind::src_pair_edges).data,
            built.view(ViewKind::whole_offsets).data};
      };
      const int32_t *ofWhole = nullptr;
      if (t % 4 < 2)
        ofWhole = graph->view(ViewKind::edge_position).data;
      auto first = ask(t % 2 ? Part::src : Part::dst);
      auto second = ask(t % 2 ? Part::dst : Part::src);
      if (t % 2 == 0)
        first.swap(second);
      seen[t] = first;
      seen[t].insert(seen[t].end(), second.begin(), second.end());
      seen[t].push_back(ofWhole ? ofWhole
                                : graph->view(ViewKind::edge_position).data);
    });
  for (std::thread &thread : threads)
    thread.join();
  for (const auto &pointers : seen)
    EXPECT_EQ(pointers, seen[0]);
  EXPECT_NE(seen[0][0], seen[0][3]);
}

TEST(GraphPartsTest, CountedInBytes) {
  const std::unique_ptr<Graph> graph = randomEdges(6, 10, 2, 100).make();
  EXPECT_EQ(graph->findPart(Part::src), nullptr);
  EXPECT_EQ(&graph->part(Part::whole), graph.get());
  graph->part(Part::src);
  const uint64_t before = graph->bytes();
  Graph &dst = graph->part(Part::dst);
  EXPECT_EQ(graph->findPart(Part::dst), &dst);
  EXPECT_EQ(dst.bytes(), 4 * sizeof(int32_t) * dst.numEdges);
  EXPECT_EQ(graph->bytes(), before + dst.bytes());
  dst.view(ViewKind::ntype_of_node);
  EXPECT_EQ(dst.bytes(), sizeof(int32_t) * (4 * dst.numEdges + 12));
  dst.view(ViewKind::whole_offsets);
  EXPECT_EQ(dst.bytes(), sizeof(int32_t) * (4 * dst.numEdges + 12 + 101));
  EXPECT_EQ(graph->bytes(), before + dst.bytes());
}

TEST(GraphPartsTest, Errors) {
  const std::unique_ptr<Graph> graph = randomEdges(6, 10, 2, 100).make();
  Graph &src = graph->part(Part::src);
  EXPECT_EQ(messageOf([&] { graph->view(ViewKind::whole_edge); }),
            "whole_edge: expected a part of a graph, got a whole one");
  EXPECT_EQ(messageOf([&] { graph->view(ViewKind::whole_offsets); }),
            "whole_offsets: expected a part of a graph, got a whole one");
  EXPECT_EQ(&src.part(Part::whole), &src);
  EXPECT_EQ(messageOf([&] { src.part(Part::dst); }),
            "expected a whole graph to take part dst of, got its part src");
  EXPECT_EQ(messageOf([] { parsePart("edges"); }),
            "expected a part of a graph (whole, src or dst), got 'edges'");
}

TEST(GraphPartsTest, ThroughC) {
  const std::unique_ptr<Graph> graph = randomEdges(6, 10, 2, 100).make();
  auto *whole = reinterpret_cast<RgnnGraph *>(graph.get());
  RgnnGraph *part = nullptr;
  ASSERT_EQ(rgnn_graph_part(whole, "dst", &part), RGNN_OK);
  int64_t edges = 0;
  RgnnView view = {};
  EXPECT_EQ(rgnn_graph_size(part, "edge", 0, &edges), RGNN_OK);
  EXPECT_EQ(rgnn_graph_view(part, "whole_edge", 0, &view), RGNN_OK);
  EXPECT_EQ(view.data, graph->part(Part::dst).view(ViewKind::whole_edge).data);
  EXPECT_EQ(view.rows, edges);
  EXPECT_EQ(rgnn_graph_part(whole, "both", &part), RGNN_INVALID_INPUT);
  EXPECT_STREQ(rgnn_last_error(),
               "expected a part of a graph (whole, src or dst), got 'both'");
}

//===----------------------------------------------------------------------===//
// Calls of modules that read parts
//===----------------------------------------------------------------------===//

namespace {
/// All views and sizes of sumManifest, of one part.
struct PartModuleTest : ModuleTest {
  static std::string ofPart(const std::string &name, std::string manifest) {
    const std::string part = ", \"part\": \"" + name + "\"";
    for (const char *field :
         {"\"kind\": \"dst_offsets\"", "\"kind\": \"src_of_edge\"",
          "\"sizes\": [{\"graph\": 0, \"of\": \"node\"",
          "\"shape\": [{\"graph\": 0, \"of\": \"node\""})
      manifest = replaced(manifest, field, std::string(field).append(part));
    return manifest;
  }

  std::vector<float> sumsOf(Part part) const {
    std::vector<float> sums(4 * list.totalNodes());
    for (const Edge &edge : ExpectedParts(list).edgesOf(part).edges)
      for (int i = 0; i < 4; ++i)
        sums[edge.dst * 4 + i] += x.values[edge.src * 4 + i];
    return sums;
  }
};
} // namespace

TEST_F(PartModuleTest, Runs) {
  for (Part part : {Part::src, Part::dst}) {
    load(ofPart(partName(part), sumManifest));
    std::vector<float> result;
    EXPECT_EQ(call(result), "");
    EXPECT_EQ(result, sumsOf(part));
    EXPECT_NE(result, expected());
  }
}

TEST_F(PartModuleTest, ReadsSizes) {
  // That of rgnn_forward_1, which expects as many edges as the views have rows.
  std::string manifest = ofPart("dst", sumManifest);
  manifest = replaced(manifest, "\"rgnn_forward\"", "\"rgnn_forward_1\"");
  manifest = replaced(manifest, "forward_workspace", "forward_1_workspace");
  manifest = replaced(manifest, "dst_offsets", "src_of_edge");
  manifest = replaced(manifest, "src_of_edge\", \"part\": \"dst\"}],",
                      "dst_of_edge\", \"part\": \"dst\"}],");
  load(replaced(manifest, "\"of\": \"node\"", "\"of\": \"edge\""));
  std::vector<float> result, sums = sumsOf(Part::dst);
  EXPECT_EQ(call(result), "");
  for (float &sum : sums)
    sum = -sum;
  EXPECT_EQ(result, sums);
}

TEST_F(PartModuleTest, MakesGraphsOfSizesOfParts) {
  load(replaced(sumManifest, "\"src_type\": []", R"("src_type": []},
             {"edge_index": [1], "edge_type": 2, "num_edge_types": 5,
              "num_nodes": [{"graph": 0, "of": "edge", "part": "dst"}],
              "src_type": [])"));
  const auto made =
      reinterpret_cast<Module *>(module)->makeGraphs(inputs.data(), 3);
  ASSERT_EQ(made.size(), 2u);
  EXPECT_EQ(made[1]->numNodes, made[0]->part(Part::dst).numEdges);
}

TEST_F(PartModuleTest, PreparesThePart) {
  load(ofPart("src", sumManifest));
  EXPECT_FALSE(rgnn_module_prepared(module, graphs.data(), 1));
  EXPECT_EQ(graph->findPart(Part::src), nullptr);
  graph->view(ViewKind::dst_offsets);
  EXPECT_FALSE(rgnn_module_prepared(module, graphs.data(), 1));
  EXPECT_EQ(rgnn_module_prepare(module, graphs.data(), 1), RGNN_OK);
  EXPECT_TRUE(rgnn_module_prepared(module, graphs.data(), 1));
  EXPECT_EQ(graph->findPart(Part::dst), nullptr);
}

TEST_F(PartModuleTest, RefusesAPartAsItsGraph) {
  load(ofPart("src", sumManifest));
  graphs[0] = reinterpret_cast<RgnnGraph *>(&graph->part(Part::dst));
  inputs[1] = inputs[2] = nullptr;
  EXPECT_EQ(message(),
            "expected a whole graph to take part src of, got its part dst");
}
