//===- GraphErrorsTest.cpp - What a graph refuses, and how it says so -----===//

#include "TestGraphs.h"
#include <gtest/gtest.h>

using namespace rgnn;
using namespace rgnn::test;

namespace {
/// A good description of three nodes and two edges, to be spoilt.
struct GraphErrors : testing::Test {
  GraphErrors() {
    desc.edge_index = &indexTensor;
    desc.num_edge_index = 1;
    desc.edge_type = &typeTensor;
    desc.num_edge_types = 2;
    desc.num_nodes = numNodes.data();
    desc.num_node_types = 1;
  }

  std::string message() {
    return messageOf([&] { Graph graph(desc); });
  }

  Tensor<int64_t> index{{0, 1, 1, 2}, {2, 2}}, type{{0, 1}, {2}};
  DLTensor indexTensor = index.dl(), typeTensor = type.dl();
  std::vector<int64_t> numNodes = {3, 4};
  int32_t types[2] = {0, 1};
  RgnnGraphDesc desc = {};
};
} // namespace

TEST_F(GraphErrors, None) { EXPECT_EQ(message(), ""); }

TEST_F(GraphErrors, NodeIndexTooLarge) {
  index.values[1] = 3;
  EXPECT_EQ(message(),
            "edge_index: expected node indices in [0, 3), got 3 at edge 1");
}

TEST_F(GraphErrors, NodeIndexNegative) {
  index.values[2] = -1;
  EXPECT_EQ(message(),
            "edge_index: expected node indices in [0, 3), got -1 at edge 0");
}

TEST_F(GraphErrors, NodeIndexBeyond32Bits) {
  index.values[3] = int64_t(1) << 32;
  EXPECT_EQ(message(), "edge_index: expected node indices in [0, 3), got "
                       "4294967296 at edge 1");
}

TEST_F(GraphErrors, EdgeType) {
  type.values[1] = -1;
  EXPECT_EQ(message(), "edge_type: expected types in [0, 2), got -1 at edge 1");
}

TEST_F(GraphErrors, EdgeTypeLength) {
  type.shape[0] = 1;
  EXPECT_EQ(message(),
            "edge_type: expected one type for each of 2 edges, got 1");
}

TEST_F(GraphErrors, ElementType) {
  indexTensor.dtype = {kDLFloat, 32, 1};
  EXPECT_EQ(message(), "edge_index: expected int64 or int32, got float32");
  indexTensor.dtype = {kDLInt, 16, 1};
  EXPECT_EQ(message(), "edge_index: expected int64 or int32, got int16");
  indexTensor.dtype = {kDLInt, 64, 1};
  typeTensor.dtype = {kDLBool, 8, 1};
  EXPECT_EQ(message(), "edge_type: expected int64 or int32, got bool");
}

TEST_F(GraphErrors, Shape) {
  index.shape = {4, 1};
  EXPECT_EQ(message(), "edge_index: expected shape [2, E], got [4, 1]");
  index.shape = {2, 2};
  type.shape = {2, 1};
  typeTensor = type.dl();
  EXPECT_EQ(message(), "edge_type: expected shape [E], got [2, 1]");
}

TEST_F(GraphErrors, Device) {
  indexTensor.device = {kDLCUDA, 1};
  EXPECT_EQ(message(), "edge_type: expected a tensor on cuda:1, as the first "
                       "edge_index, got one on cpu");
  indexTensor.device = {kDLMetal, 0};
  EXPECT_EQ(
      message().rfind("edge_index: expected a tensor on cpu, got one on", 0),
      0u);
}

TEST_F(GraphErrors, NoData) {
  indexTensor.data = nullptr;
  EXPECT_EQ(message(),
            "edge_index: expected a tensor with data, got one without (a fake "
            "tensor, or a subclass that keeps its data elsewhere)");
}

TEST_F(GraphErrors, Sizes) {
  numNodes[0] = -3;
  EXPECT_EQ(message(), "num_nodes: expected sizes of 0 or more, got -3 for "
                       "node type 0");
  numNodes[0] = int64_t(1) << 31;
  EXPECT_EQ(message(), "num_nodes: expected at most 2147483647 nodes in all, "
                       "got more: 2147483648 of node type 0 after 0");
  desc.num_node_types = 0;
  EXPECT_EQ(message(), "num_nodes: expected the number of nodes of at least "
                       "one node type, got none");
}

TEST_F(GraphErrors, TooManyEdges) {
  index.shape[1] = int64_t(1) << 31;
  EXPECT_EQ(message(), "edge_index: expected at most 2147483647 edges in all, "
                       "got more: 2147483648 after 0");
}

TEST_F(GraphErrors, NumEdgeTypes) {
  desc.num_edge_types = -1;
  EXPECT_EQ(message(), "num_edge_types: expected a number in [0, 2147483648), "
                       "got -1");
  desc.num_edge_types = 0;
  desc.edge_type = nullptr;
  EXPECT_EQ(message(),
            "num_edge_types: expected at least 1 for 2 edges, got 0");
}

TEST_F(GraphErrors, NoEdgeIndex) {
  desc.num_edge_index = 0;
  EXPECT_EQ(message(), "edge_index: expected at least one tensor, got none");
}

TEST_F(GraphErrors, Heterogeneous) {
  const DLTensor tensors[] = {indexTensor, indexTensor};
  desc.edge_index = tensors;
  desc.num_edge_index = 2;
  EXPECT_EQ(message(), "edge_type: expected none beside several edge_index, "
                       "whose place is their type, got one");
  desc.edge_type = nullptr;
  desc.num_edge_types = 3;
  EXPECT_EQ(message(),
            "num_edge_types: expected 2, one for each edge_index, got 3");
  desc.num_edge_types = 2;
  desc.num_node_types = 2;
  EXPECT_EQ(message(), "src_type, dst_type: expected the node types that each "
                       "edge_index connects, got none");
  desc.src_type = types;
  EXPECT_EQ(message(), "src_type, dst_type: expected both or neither, got one");
  desc.dst_type = types;
  types[1] = 2;
  EXPECT_EQ(message(), "src_type: expected node types in [0, 2), got 2 for "
                       "edge type 1");
  types[1] = 1;
  EXPECT_EQ(message(), "");
  numNodes[1] = 2;
  EXPECT_EQ(message(), "edge_index[1]: expected destination indices in [0, 2), "
                       "got 2 at edge 1");
  numNodes[1] = 1;
  EXPECT_EQ(message(), "edge_index[1]: expected source indices in [0, 1), got "
                       "1 at edge 1");
}

TEST_F(GraphErrors, Tiles) {
  Graph graph(desc);
  EXPECT_EQ(messageOf([&] { graph.view(ViewKind::etype_tiles, 0); }),
            "etype_tiles: expected tiles of at least 1 row, got 0");
}

TEST_F(GraphErrors, Names) {
  EXPECT_EQ(messageOf([] { parseViewKind("edges"); }),
            "expected the name of a graph view, got 'edges'");
  EXPECT_EQ(messageOf([] { parseSizeKind("nodes"); }),
            "expected the name of a graph size, got 'nodes'");
}

TEST(GraphKinds, WordsOfEarlierFiles) {
  EXPECT_EQ(parseSizeKind("edge_type"), SizeKind::edge_type_count);
  EXPECT_EQ(parseSizeKind("node_type"), SizeKind::node_of_type);
}

TEST_F(GraphErrors, NodeType) {
  Graph graph(desc);
  EXPECT_EQ(messageOf([&] { graph.size(SizeKind::node_of_type, 1); }),
            "node_of_type: expected a node type in [0, 1), got 1");
}

TEST_F(GraphErrors, ThroughC) {
  index.values[0] = 9;
  RgnnGraph *graph = nullptr;
  EXPECT_EQ(rgnn_graph_create(&desc, &graph), RGNN_INVALID_INPUT);
  EXPECT_STREQ(rgnn_last_error(),
               "edge_index: expected node indices in [0, 3), got 9 at edge 0");
  EXPECT_EQ(graph, nullptr);
  rgnn_graph_destroy(graph);
}
