//===- ManifestTest.cpp - Reading of manifests ----------------------------===//

#include "Module/Manifest.h"
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
            {"graph": 0, "of": "node_of_type", "param": 2}],
  "outputs": [{"dtype": "float32",
               "shape": [{"graph": 0, "of": "dst_pair"},
                         {"input": 0, "dim": 1}, 64]}]})";

static std::string replaced(std::string text, const std::string &from,
                            const std::string &to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

static std::string parseWith(const std::string &from, const std::string &to) {
  const std::string text = replaced(goodText, from, to);
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
  EXPECT_EQ(manifest.sizes[1].of, SizeKind::node_of_type);
  EXPECT_EQ(manifest.sizes[1].param, 2);
  ASSERT_EQ(manifest.outputs.size(), 1u);
  EXPECT_EQ(manifest.outputs[0].shape[0].size.of, SizeKind::dst_pair);
  EXPECT_EQ(manifest.outputs[0].shape[1].kind, Dim::OfInput);
}

TEST(ManifestTest, Parts) {
  const Manifest whole = Manifest::parse(goodText);
  EXPECT_EQ(whole.views[0].part, Part::whole);
  EXPECT_EQ(whole.sizes[0].part, Part::whole);
  EXPECT_EQ(whole.outputs[0].shape[0].size.part, Part::whole);
  const Manifest parts = Manifest::parse(
      replaced(replaced(replaced(goodText, "\"dst_offsets\"",
                                 "\"whole_edge\", \"part\": \"src\""),
                        "\"param\": 2", "\"param\": 2, \"part\": \"dst\""),
               "\"dst_pair\"", "\"dst_pair\", \"part\": \"dst\""));
  EXPECT_EQ(parts.views[0].part, Part::src);
  EXPECT_EQ(parts.views[1].part, Part::whole);
  EXPECT_EQ(parts.sizes[0].part, Part::whole);
  EXPECT_EQ(parts.sizes[1].part, Part::dst);
  EXPECT_EQ(parts.outputs[0].shape[0].size.part, Part::dst);
}

TEST(ManifestTest, NotJson) {
  EXPECT_EQ(messageOf([] {
              Manifest::parse("{");
            }).rfind("manifest: expected JSON: ", 0),
            0u);
}

TEST(ManifestTest, Sums) {
  const char *sum = R"({"sum": [{"input": 0, "dim": 0}, {"value": 3}]})";
  const Manifest manifest =
      Manifest::parse(replaced(goodText, "{\"input\": 0, \"dim\": 0}", sum));
  const Dim &nodes = manifest.graphs[0].numNodes[0];
  ASSERT_EQ(nodes.kind, Dim::Sum);
  ASSERT_EQ(nodes.terms.size(), 2u);
  EXPECT_EQ(nodes.terms[0].kind, Dim::OfInput);
  EXPECT_EQ(nodes.terms[1].value, 3);
  EXPECT_EQ(parseWith("{\"input\": 0, \"dim\": 0}",
                      R"({"sum": [{"input": 0, "dim": 2}]})"),
            "manifest.graphs[0].num_nodes: expected dimensions that input 'x' "
            "has, got [{\"sum\":[{\"dim\":2,\"input\":0}]}]");
}

TEST(ManifestTest, Errors) {
  EXPECT_EQ(parseWith("\"version\": 1", "\"version\": 7"),
            "manifest.version: expected 1, 2, 3, 4, 5 or 6, got 7");
  EXPECT_EQ(parseWith("\"float32\"", "\"float31\""),
            "manifest.inputs[0].dtype: expected the name of an element type, "
            "got 'float31'");
  EXPECT_EQ(parseWith("[-1, 64]", "[-2, 64]"),
            "manifest.inputs[0].shape[0]: expected at least -1, got -2");
  EXPECT_EQ(parseWith("\"edge_index\": [1]", "\"edge_index\": [4]"),
            "manifest.graphs[0].edge_index[0]: expected a number in [0, 4), "
            "got 4");
  EXPECT_EQ(parseWith("\"edge_index\": [1]", "\"edge_index\": [1, 2]"),
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
  EXPECT_EQ(parseWith("\"param\": 96", "\"param\": 96, \"part\": \"edge\""),
            "manifest.views[1].part: expected a part of a graph (whole, src or "
            "dst), got 'edge'");
  EXPECT_EQ(parseWith("\"of\": \"node\"", "\"of\": \"node\", \"part\": 1"),
            "manifest.sizes[0].part: expected a string, got 1");
  EXPECT_EQ(parseWith("\"dst_pair\"", "\"dst_pair\", \"part\": \"\""),
            "manifest.outputs[0].shape[0].part: expected a part of a graph "
            "(whole, src or dst), got ''");
  EXPECT_EQ(parseWith("\"dst_offsets\"", "\"whole_edge\""),
            "manifest.views[0]: expected a part src or dst, which has the "
            "view, got {\"graph\":0,\"kind\":\"whole_edge\",\"param\":0}");
  EXPECT_EQ(
      parseWith("\"dst_offsets\"", "\"whole_offsets\", \"part\": \"whole\""),
      "manifest.views[0]: expected a part src or dst, which has the "
      "view, got {\"graph\":0,\"kind\":\"whole_offsets\",\"param\":0,"
      "\"part\":\"whole\"}");
  EXPECT_EQ(
      parseWith("\"dst_offsets\"", "\"whole_offsets\", \"part\": \"dst\""), "");
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

//===----------------------------------------------------------------------===//
// Variants
//===----------------------------------------------------------------------===//

static std::string variant(const std::string &bound) {
  return replaced(goodText, "\"rgnn_forward\"",
                  "\"rgnn_forward_1\", \"edges_per_node_below\": " + bound);
}

static std::string withVariants(const std::string &variants) {
  return replaced(goodText, "\"version\": 1,",
                  "\"version\": 1, \"variants\": [" + variants + "],");
}

static std::string parseVariants(const std::string &variants) {
  return messageOf([&] { Manifest::parse(withVariants(variants)); });
}

/// The message for a variant with `to` in the place of `from`, without its
/// beginning, the place of the variant.
static std::string parseVariantWith(const std::string &from,
                                    const std::string &to) {
  const std::string message = parseVariants(replaced(variant("3.5"), from, to));
  const std::string place = "manifest.variants[0]";
  return message.rfind(place, 0) == 0 ? message.substr(place.size()) : message;
}

TEST(ManifestTest, Variants) {
  EXPECT_TRUE(Manifest::parse(goodText).variants.empty());
  EXPECT_TRUE(Manifest::parse(withVariants("")).variants.empty());
  const Manifest manifest = Manifest::parse(withVariants(
      replaced(variant("0.25"), "\"shape\": [-1], \"used\": false",
               "\"shape\": [-1]") +
      "," + replaced(variant("3"), "\"param\": 96", "\"param\": 32")));
  EXPECT_EQ(manifest.entry, "rgnn_forward");
  ASSERT_EQ(manifest.variants.size(), 2u);
  EXPECT_EQ(manifest.variants[0].entry, "rgnn_forward_1");
  EXPECT_EQ(manifest.variants[0].edgesPerNodeBelow, 0.25);
  EXPECT_EQ(manifest.variants[1].edgesPerNodeBelow, 3);
  EXPECT_EQ(manifest.variants[1].views[1].param, 32);
  EXPECT_TRUE(manifest.reads(0));
  EXPECT_FALSE(manifest.reads(1));
  EXPECT_TRUE(manifest.reads(2));
}

/// What a field that is left out stands for is the same.
TEST(ManifestTest, VariantsSayTheSameInOtherWords) {
  EXPECT_EQ(parseVariantWith("\"src_type\": [], \"dst_type\": []",
                             "\"total_nodes\": -1"),
            "");
  EXPECT_EQ(parseVariantWith("\"of\": \"dst_pair\"",
                             "\"of\": \"dst_pair\", \"param\": 0"),
            "");
  EXPECT_EQ(parseVariantWith("\"of\": \"dst_pair\"",
                             "\"of\": \"dst_pair\", \"part\": \"whole\""),
            "");
  EXPECT_EQ(parseVariantWith("{\"input\": 0, \"dim\": 1}, 64",
                             "{\"input\": 0, \"dim\": 1}, {\"value\": 64}"),
            "");
}

TEST(ManifestTest, BoundsOfVariants) {
  EXPECT_EQ(parseVariants(variant("3") + "," + variant("2.5")),
            "manifest.variants[1].edges_per_node_below: expected a finite "
            "number above 3, got 2.5");
  EXPECT_EQ(parseVariants(variant("2.5") + "," + variant("2.5")),
            "manifest.variants[1].edges_per_node_below: expected a finite "
            "number above 2.5, got 2.5");
  for (const char *bound : {"0", "-0.0", "-1"})
    EXPECT_EQ(parseVariants(variant(bound)),
              std::string("manifest.variants[0].edges_per_node_below: expected "
                          "a finite number above 0, got ") +
                  bound);
  EXPECT_EQ(parseVariants(variant("\"3\"")),
            "manifest.variants[0].edges_per_node_below: expected a number, got "
            "\"3\"");
  EXPECT_EQ(parseVariants(variant("null")),
            "manifest.variants[0].edges_per_node_below: expected a number, got "
            "null");
  for (const char *bound : {"1e999", "NaN", "Infinity"})
    EXPECT_EQ(
        parseVariants(variant(bound)).rfind("manifest: expected JSON: ", 0), 0u)
        << bound;
  EXPECT_EQ(parseVariantWith("\"edges_per_node_below\"", "\"below\"")
                .rfind(": expected a field 'edges_per_node_below', got ", 0),
            0u);
}

TEST(ManifestTest, VariantsOfSeveralGraphs) {
  const std::string second =
      R"("graphs": [{"edge_index": [], "num_edge_types": 1, "num_nodes": [-1]},)";
  EXPECT_EQ(messageOf([&] {
              Manifest::parse(
                  replaced(withVariants(""), "\"graphs\": [", second));
            }),
            "manifest.variants: expected one graph, whose edges per node "
            "choose, got 2");
  EXPECT_EQ(parseVariantWith("\"graphs\": [", second),
            ".graphs: expected a list of 1, as in manifest, got 2");
}

TEST(ManifestTest, VariantsAreManifests) {
  EXPECT_EQ(parseVariants("7"),
            "manifest.variants[0]: expected a field 'edges_per_node_below', "
            "got 7");
  EXPECT_EQ(parseWith("\"version\": 1,", "\"version\": 1, \"variants\": 7,"),
            "manifest.variants: expected a list, got 7");
  EXPECT_EQ(parseVariantWith("\"version\": 1", "\"version\": 7"),
            ".version: expected 1, 2, 3, 4, 5 or 6, got 7");
  EXPECT_EQ(parseVariantWith("\"version\": 1", "\"variants\": []"),
            ".variants: expected no variants of a variant, got []");
  EXPECT_EQ(
      parseVariantWith("\"graph\": 0, \"kind\"", "\"graph\": 1, \"kind\""),
      ".views[0].graph: expected a number in [0, 1), got 1");
}

TEST(ManifestTest, VariantsOfOtherArguments) {
  EXPECT_EQ(parseVariantWith("{\"name\": \"w\"", R"(
              {"name": "v", "dtype": "float32", "shape": []}, {"name": "w")"),
            ".inputs: expected a list of 4, as in manifest, got 5");
  EXPECT_EQ(parseVariantWith("\"name\": \"x\"", "\"name\": \"y\""),
            ".inputs[0].name: expected \"x\", as in manifest.inputs[0], got "
            "\"y\"");
  EXPECT_EQ(parseVariantWith("\"name\": \"x\", ", ""),
            ".inputs[0].name: expected \"x\", as in manifest.inputs[0], got "
            "none");
  EXPECT_EQ(parseVariantWith("\"dtype\": \"int64\"", "\"dtype\": \"int32\""),
            ".inputs[1].dtype: expected \"int64\", as in manifest.inputs[1], "
            "got \"int32\"");
  EXPECT_EQ(parseVariantWith("[-1, 64]", "[-1, 32]"),
            ".inputs[0].shape[1]: expected 64, as in "
            "manifest.inputs[0].shape[1], got 32");
  EXPECT_EQ(parseVariantWith("[-1, 64]", "[-1, 64, 1]"),
            ".inputs[0].shape: expected a list of 2, as in manifest.inputs[0], "
            "got 3");
}

TEST(ManifestTest, VariantsOfOtherGraphs) {
  const std::string as = ", as in manifest.graphs[0]";
  EXPECT_EQ(parseVariantWith("\"edge_index\": [1]", "\"edge_index\": []"),
            ".graphs[0].edge_index: expected a list of 1" + as + ", got 0");
  EXPECT_EQ(parseVariantWith("\"edge_type\": 2,", ""),
            ".graphs[0].edge_type: expected 2" + as + ", got none");
  EXPECT_EQ(
      parseVariantWith("\"num_edge_types\": 104", "\"num_edge_types\": 9"),
      ".graphs[0].num_edge_types: expected 104" + as + ", got 9");
  EXPECT_EQ(parseVariantWith("[{\"input\": 0, \"dim\": 0}]", "[7]"),
            ".graphs[0].num_nodes[0]: expected {\"dim\":0,\"input\":0}" + as +
                ".num_nodes[0], got 7");
  EXPECT_EQ(parseVariantWith("\"num_edge_types\"",
                             "\"total_nodes\": 9, \"num_edge_types\""),
            ".graphs[0].total_nodes: expected none" + as + ", got 9");
  EXPECT_EQ(parseVariantWith("\"src_type\": [], \"dst_type\": []",
                             "\"src_type\": [0], \"dst_type\": [0]"),
            ".graphs[0].src_type: expected a list of 0" + as + ", got 1");
}

TEST(ManifestTest, VariantsOfOtherOutputs) {
  EXPECT_EQ(parseVariantWith("\"outputs\": [", R"("outputs": [
              {"dtype": "float32", "shape": []},)"),
            ".outputs: expected a list of 1, as in manifest, got 2");
  EXPECT_EQ(parseVariantWith("{\"input\": 0, \"dim\": 1}, 64",
                             "{\"input\": 0, \"dim\": 1}, 65"),
            ".outputs[0].shape[2]: expected 64, as in "
            "manifest.outputs[0].shape[2], got 65");
  EXPECT_EQ(parseVariantWith("\"of\": \"dst_pair\"", "\"of\": \"src_pair\""),
            ".outputs[0].shape[0]: expected {\"graph\":0,\"of\":\"dst_pair\"}, "
            "as in manifest.outputs[0].shape[0], got "
            "{\"graph\":0,\"of\":\"src_pair\"}");
  EXPECT_EQ(parseVariantWith("\"of\": \"dst_pair\"",
                             "\"of\": \"dst_pair\", \"part\": \"src\""),
            ".outputs[0].shape[0]: expected {\"graph\":0,\"of\":\"dst_pair\"}, "
            "as in manifest.outputs[0].shape[0], got "
            "{\"graph\":0,\"of\":\"dst_pair\",\"part\":\"src\"}");
  EXPECT_EQ(
      parseVariantWith("\"outputs\": [{", "\"outputs\": [{\"saved\": true, "),
      ".outputs[0].saved: expected none, as in manifest.outputs[0], got "
      "true");
  EXPECT_EQ(parseVariantWith("\"outputs\": [{\"dtype\": \"float32\"",
                             "\"outputs\": [{\"dtype\": \"float64\""),
            ".outputs[0].dtype: expected \"float32\", as in "
            "manifest.outputs[0], got \"float64\"");
}
