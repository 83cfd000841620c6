//===- ManifestTest.cpp - Reading of manifests ----------------------------===//

#include "Manifest.h"
#include "TestGraphs.h"
#include <gtest/gtest.h>

using namespace rgnn;
using namespace rgnn::test;

static const char *const goodText = R"({
  "version": 1, "entry": "rgnn_forward", "workspace": "rgnn_forward_workspace",
  "inputs": [
    {"name": "x", "dtype": "float32", "shape": [-1, 64]},
    {"name": "edge_index", "dtype": "int64", "shape": [2, -1], "used": false},
    {"name": "edge_type", "dtype": "int64", "shape": [-1], "used": false},
    {"name": "w", "dtype": "bfloat16", "shape": [{"graph": 0, "of": "edge"}]}],
  "graphs": [{"edge_index": [1], "edge_type": 2, "num_edge_types": 104,
              "num_nodes": [{"input": 0, "dim": 0}],
              "src_type": [], "dst_type": []}],
  "views": [{"graph": 0, "kind": "dst_offsets", "param": 0},
            {"graph": 0, "kind": "etype_tiles", "param": 96}],
  "sizes": [{"graph": 0, "of": "node"},
            {"graph": 0, "of": "node_type", "param": 2}],
  "outputs": [{"dtype": "float32",
               "shape": [{"graph": 0, "of": "dst_pair"},
                         {"input": 0, "dim": 1}, 64]}]})";

static std::string parseWith(const std::string &from, const std::string &to) {
  std::string text = goodText;
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
  return messageOf([&] { Manifest::parse(text); });
}

TEST(ManifestTest, Fields) {
  const Manifest manifest = Manifest::parse(goodText);
  EXPECT_EQ(manifest.entry, "rgnn_forward");
  EXPECT_EQ(manifest.workspace, "rgnn_forward_workspace");
  ASSERT_EQ(manifest.inputs.size(), 4u);
  EXPECT_EQ(manifest.inputs[0].name, "x");
  EXPECT_TRUE(manifest.inputs[0].used);
  EXPECT_FALSE(manifest.inputs[1].used);
  EXPECT_EQ(manifest.inputs[0].shape[0].kind, Dim::Any);
  EXPECT_EQ(manifest.inputs[0].shape[1].kind, Dim::Fixed);
  EXPECT_EQ(manifest.inputs[0].shape[1].value, 64);
  EXPECT_EQ(manifest.inputs[3].shape[0].kind, Dim::OfGraph);
  ASSERT_EQ(manifest.graphs.size(), 1u);
  EXPECT_EQ(manifest.graphs[0].edgeIndex, std::vector<int32_t>{1});
  EXPECT_EQ(manifest.graphs[0].edgeType, 2);
  EXPECT_EQ(manifest.graphs[0].numEdgeTypes, 104);
  EXPECT_EQ(manifest.graphs[0].numNodes[0].kind, Dim::OfInput);
  ASSERT_EQ(manifest.views.size(), 2u);
  EXPECT_EQ(manifest.views[1].kind, ViewKind::etype_tiles);
  EXPECT_EQ(manifest.views[1].param, 96);
  ASSERT_EQ(manifest.sizes.size(), 2u);
  EXPECT_EQ(manifest.sizes[1].of, SizeKind::node_type);
  EXPECT_EQ(manifest.sizes[1].param, 2);
  ASSERT_EQ(manifest.outputs.size(), 1u);
  EXPECT_EQ(manifest.outputs[0].shape[0].size.of, SizeKind::dst_pair);
  EXPECT_EQ(manifest.outputs[0].shape[1].kind, Dim::OfInput);
}

TEST(ManifestTest, NotJson) {
  EXPECT_EQ(messageOf([] {
              Manifest::parse("{");
            }).rfind("manifest: expected JSON: ", 0),
            0u);
}

TEST(ManifestTest, Errors) {
  EXPECT_EQ(parseWith("\"version\": 1", "\"version\": 2"),
            "manifest.version: expected 1, got 2");
  EXPECT_EQ(parseWith("\"float32\"", "\"float31\""),
            "manifest.inputs[0].dtype: expected the name of an element type, "
            "got 'float31'");
  EXPECT_EQ(parseWith("[-1, 64]", "[-2, 64]"),
            "manifest.inputs[0].shape[0]: expected at least -1, got -2");
  EXPECT_EQ(parseWith("\"edge_index\": [1]", "\"edge_index\": [4]"),
            "manifest.graphs[0].edge_index[0]: expected a number in [0, 4), "
            "got 4");
  EXPECT_EQ(parseWith("\"edge_index\": [1]", "\"edge_index\": [2]"),
            "manifest.inputs[2].shape: expected rank 2 of edges or their "
            "types, got [-1]");
  EXPECT_EQ(parseWith("\"edge_type\": 2", "\"edge_type\": 0"),
            "manifest.inputs[0].shape: expected rank 1 of edges or their "
            "types, got [-1,64]");
  EXPECT_EQ(parseWith("\"src_type\": []", "\"src_type\": [-1]"),
            "manifest.graphs[0].src_type[0]: expected a number in [0, "
            "2147483647), got -1");
  EXPECT_EQ(parseWith("dst_offsets", "offsets"),
            "manifest.views[0].kind: expected the name of a graph view, got "
            "'offsets'");
  EXPECT_EQ(parseWith("\"graph\": 0, \"kind\"", "\"graph\": 1, \"kind\""),
            "manifest.views[0].graph: expected a number in [0, 1), got 1");
  EXPECT_EQ(parseWith("\"of\": \"node\"", "\"of\": \"nodes\""),
            "manifest.sizes[0].of: expected the name of a graph size, got "
            "'nodes'");
  EXPECT_EQ(parseWith("{\"input\": 0, \"dim\": 1}", "-1"),
            "manifest.outputs[0].shape: expected the size of each dimension, "
            "got [{\"graph\":0,\"of\":\"dst_pair\"},-1,64]");
  EXPECT_EQ(
      parseWith("{\"input\": 0, \"dim\": 1}", "{\"input\":0,\"dim\":2}"),
      "manifest.outputs[0].shape: expected dimensions that input 'x' "
      "has, got [{\"graph\":0,\"of\":\"dst_pair\"},{\"dim\":2,\"input\":0},"
      "64]");
  EXPECT_EQ(parseWith("\"entry\"", "\"start\"")
                .rfind("manifest: expected a field 'entry', got ", 0),
            0u);
  EXPECT_EQ(parseWith("[{\"edge_index\"", "7, \"rest\": [{\"edge_index\""),
            "manifest.graphs: expected a list, got 7");
  EXPECT_EQ(parseWith("\"used\": false", "\"used\": 3"),
            "manifest.inputs[1].used: expected true or false, got 3");
  EXPECT_EQ(parseWith("\"num_edge_types\": 104", "\"num_edge_types\": 1e300"),
            "manifest.graphs[0].num_edge_types: expected an integer, got "
            "1e+300");
}
