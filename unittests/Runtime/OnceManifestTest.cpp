//===- OnceManifestTest.cpp - Manifests with what is computed once --------===//

#include "Module/Manifest.h"
#include "ModuleTest.h"

using namespace rgnn;
using namespace rgnn::test;

static const char *const onceText = R"({
    "version": 2, "entry": "rgnn_once", "inputs": [],
    "graphs": [{"edge_index": [], "edge_type": -1, "num_edge_types": 2,
                "num_nodes": [-1, -1],
                "src_type": [0, 1], "dst_type": [1, 1]}],
    "views": [{"graph": 0, "kind": "dst_offsets", "part": "src"}],
    "sizes": [{"graph": 0, "of": "edge"}],
    "outputs": [{"dtype": "float32", "shape": [{"graph": 0, "of": "edge"}, 3]},
                {"dtype": "int64", "shape": []}]})";

static std::string function(const std::string &once) {
  return R"({"version": 3, "entry": "rgnn_forward", "once": )" + once + R"(,
  "inputs": [{"name": "x", "dtype": "float32", "shape": [-1, 64]},
             {"name": "a", "dtype": "int64", "shape": [2, -1]},
             {"name": "b", "dtype": "int64", "shape": [2, -1]}],
  "graphs": [{"edge_index": [1, 2], "num_edge_types": 2,
              "num_nodes": [5, {"input": 0, "dim": 0}],
              "src_type": [0, 1], "dst_type": [1, 1]}],
  "views": [], "sizes": [],
  "outputs": [{"dtype": "float32", "shape": [{"graph": 0, "of": "edge"}]}]})";
}

/// The message for a manifest with `to` in the place of `from`.
static std::string parseWith(const std::string &from, const std::string &to) {
  const std::string text = replaced(function(onceText), from, to);
  return messageOf([&] { Manifest::parse(text); });
}

/// The same of `once`, without the beginning of the message.
static std::string parseOnceWith(const std::string &from,
                                 const std::string &to) {
  const std::string text = function(replaced(onceText, from, to));
  const std::string message = messageOf([&] { Manifest::parse(text); });
  const std::string place = "manifest.once";
  return message.rfind(place, 0) == 0 ? message.substr(place.size()) : message;
}

TEST(OnceManifestTest, Fields) {
  EXPECT_EQ(Manifest::parse(function("null")).once, nullptr);
  const Manifest manifest = Manifest::parse(function(onceText));
  EXPECT_EQ(manifest.entry, "rgnn_forward");
  ASSERT_NE(manifest.once, nullptr);
  EXPECT_EQ(manifest.once->entry, "rgnn_once");
  EXPECT_TRUE(manifest.once->workspace.empty());
  ASSERT_EQ(manifest.once->views.size(), 1u);
  EXPECT_EQ(manifest.once->views[0].part, Part::src);
  ASSERT_EQ(manifest.once->outputs.size(), 2u);
  EXPECT_TRUE(manifest.once->outputs[0].shape[0].isDynamic());
  EXPECT_FALSE(manifest.once->outputs[0].shape[1].isDynamic());
  EXPECT_EQ(parseOnceWith("\"edge_type\": -1, ", ""), "");
}

TEST(OnceManifestTest, OfAVariant) {
  auto variant = [](const std::string &once) {
    const std::string text = replaced(function(once), "{\"version\"",
                                      "{\"edges_per_node_below\": 2, "
                                      "\"version\"");
    return replaced(function("null"), "\"version\": 3",
                    "\"version\": 1, \"variants\": [" + text + "]");
  };
  const Manifest manifest = Manifest::parse(variant(onceText));
  EXPECT_EQ(manifest.once, nullptr);
  ASSERT_NE(manifest.variants[0].once, nullptr);
  EXPECT_EQ(manifest.variants[0].once->entry, "rgnn_once");
  EXPECT_EQ(messageOf([&] {
              Manifest::parse(variant(replaced(onceText, "[-1, -1]", "[-1]")));
            }),
            "manifest.variants[0].once.graphs[0].num_nodes: expected a list of "
            "2, as in manifest.variants[0].graphs[0], got 1");
}

TEST(OnceManifestTest, Versions) {
  EXPECT_EQ(parseWith("\"version\": 3", "\"version\": 2"),
            "manifest.version: expected 3, as there is once, got 2");
  EXPECT_EQ(parseWith("\"version\": 3", "\"version\": 1"),
            "manifest.version: expected 3, as there is once, got 1");
  EXPECT_EQ(parseOnceWith("\"version\": 2", "\"version\": 7"),
            ".version: expected 1, 2, 3, 4, 5 or 6, got 7");
}

TEST(OnceManifestTest, Devices) {
  EXPECT_EQ(
      parseWith("\"version\": 3", "\"version\": 3, \"device\": \"cuda\"")
          .rfind("manifest.once: expected none in code for cuda, got {", 0),
      0u);
  EXPECT_EQ(
      parseOnceWith("\"version\": 2", "\"version\": 2, \"device\": \"cuda\""),
      ".device: expected cpu, got \"cuda\"");
  EXPECT_EQ(
      parseOnceWith("\"version\": 2", "\"version\": 2, \"device\": \"cpu\""),
      "");
}

TEST(OnceManifestTest, IsAManifest) {
  EXPECT_EQ(messageOf([] { Manifest::parse(function("7")); }),
            "manifest.once: expected a field 'inputs', got 7");
  EXPECT_EQ(parseOnceWith("\"inputs\": []", "\"inputs\": 7"),
            ".inputs: expected a list, got 7");
  EXPECT_EQ(parseOnceWith("\"dst_offsets\"", "\"offsets\""),
            ".views[0].kind: expected the name of a graph view, got 'offsets'");
  EXPECT_EQ(parseOnceWith("\"version\": 2", "\"variants\": []"),
            ".variants: expected no variants of what is computed once, got []");
  EXPECT_EQ(parseOnceWith("\"version\": 2", "\"once\": {}"),
            ".once: expected no once of what is computed once, got {}");
  EXPECT_EQ(
      parseOnceWith("\"inputs\": []", R"("inputs": [
              {"dtype": "int64", "shape": []}])"),
      ".inputs: expected none, as the values follow from the graph alone, got "
      "[{\"dtype\":\"int64\",\"shape\":[]}]");
}

TEST(OnceManifestTest, NumbersOfGraphs) {
  const std::string second =
      R"("graphs": [{"edge_index": [], "num_edge_types": 1, "num_nodes": [-1]},)";
  EXPECT_EQ(parseOnceWith("\"graphs\": [", second),
            ".graphs: expected a list of 1, got 2");
  std::string text = function(onceText);
  const size_t at = text.rfind("\"graphs\": [");
  text.replace(at, std::string("\"graphs\": [").size(), second);
  EXPECT_EQ(messageOf([&] { Manifest::parse(text); }),
            "manifest.once: expected one graph, of which the values are, got "
            "2");
}

TEST(OnceManifestTest, OfOtherGraphs) {
  const std::string graph = ".graphs[0]", as = ", as in manifest" + graph;
  EXPECT_EQ(parseOnceWith("\"edge_index\": []", "\"edge_index\": [1]"),
            graph + ".edge_index: expected [], as the graph is given, got [1]");
  EXPECT_EQ(parseOnceWith("\"edge_type\": -1", "\"edge_type\": 0"),
            graph + ".edge_type: expected -1, got 0");
  EXPECT_EQ(parseOnceWith("\"num_edge_types\": 2", "\"num_edge_types\": 3"),
            graph + ".num_edge_types: expected 2" + as + ", got 3");
  EXPECT_EQ(parseOnceWith("\"src_type\": [0, 1]", "\"src_type\": [1, 1]"),
            graph + ".src_type[0]: expected 0" + as + ".src_type[0], got 1");
  EXPECT_EQ(parseOnceWith("\"dst_type\": [1, 1]", "\"dst_type\": [1, 0]"),
            graph + ".dst_type[1]: expected 1" + as + ".dst_type[1], got 0");
  EXPECT_EQ(parseOnceWith("\"src_type\": [0, 1], \"dst_type\": [1, 1]",
                          "\"src_type\": [], \"dst_type\": []"),
            graph + ".src_type: expected a list of 2" + as + ", got 0");
  EXPECT_EQ(parseOnceWith("[-1, -1]", "[-1]"),
            graph + ".num_nodes: expected a list of 2" + as + ", got 1");
  EXPECT_EQ(parseOnceWith("[-1, -1]", "[-1, 5]"),
            graph + ".num_nodes[1]: expected -1, got 5");
  EXPECT_EQ(parseOnceWith("[-1, -1]", "[{\"input\": 0, \"dim\": 0}, -1]"),
            graph + ".num_nodes[0]: expected -1, got {\"dim\":0,\"input\":0}");
}

TEST(OnceManifestTest, Outputs) {
  EXPECT_EQ(parseOnceWith("\"dtype\": \"int64\"",
                          "\"saved\": true, \"dtype\": \"int64\""),
            ".outputs[1].saved: expected false, got true");
  EXPECT_EQ(parseOnceWith("\"of\": \"edge\"}, 3", "\"of\": \"edge\"}, -1"),
            ".outputs[0].shape: expected the size of each dimension, got "
            "[{\"graph\":0,\"of\":\"edge\"},-1]");
  EXPECT_EQ(parseOnceWith("\"of\": \"edge\"}, 3",
                          "\"of\": \"edge\"}, {\"input\": 0, \"dim\": 0}"),
            ".outputs[0].shape[1]: expected a number or a size of the graph, "
            "got {\"dim\":0,\"input\":0}");
  EXPECT_EQ(parseOnceWith("\"outputs\"", "\"outputs\": [], \"others\""),
            ".outputs: expected at least one value, got []");
}
