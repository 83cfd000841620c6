//===- NestedManifests.cpp - Manifests that are in another one ------------===//

#include "Module/ManifestReader.h"
#include "Support/Tensor.h"
#include <cmath>

using namespace rgnn;

namespace {
/// Two objects: the one in the nested manifest must say what that of the
/// function says.
struct Same {
  const JsonNode &nested, &function;

  /// The field `name`, as it was read.
  template <typename T>
  void field(const char *name, const T &got, const T &expected) const {
    if (got == expected)
      return;
    auto text = [&](const JsonNode &node) {
      const auto field = node.find(name);
      return field ? field->text() : "none";
    };
    failLoad(nested.place(), ".", name, ": expected ", text(function),
             ", as in ", function.place(), ", got ", text(nested));
  }

  /// Lists, element by element: the text of a whole one may be cut.
  template <typename T>
  void field(const char *name, const std::vector<T> &got,
             const std::vector<T> &expected) const {
    count(name, got.size(), expected.size());
    for (size_t i = 0; i < got.size(); ++i)
      if (!(got[i] == expected[i])) {
        const JsonNode element = function[name].list()[i];
        nested[name].list()[i].fail(element.text() + ", as in " +
                                    element.place());
      }
  }

  void count(const char *name, size_t got, size_t expected) const {
    if (got != expected)
      failLoad(nested.place(), ".", name, ": expected a list of ", expected,
               ", as in ", function.place(), ", got ", got);
  }

  /// `used` may differ.
  void tensor(const TensorSpec &got, const TensorSpec &expected) const {
    // As written: one that is left out is the place in the spec.
    field("name", stringOr(nested, "name", ""), stringOr(function, "name", ""));
    field("dtype", got.dtype, expected.dtype);
    field("shape", got.shape, expected.shape);
    field("saved", got.saved, expected.saved);
  }

  void graph(const GraphSpec &got, const GraphSpec &expected) const {
    field("edge_index", got.edgeIndex, expected.edgeIndex);
    field("edge_type", got.edgeType, expected.edgeType);
    field("num_nodes", got.numNodes, expected.numNodes);
    field("total_nodes", got.totalNodes, expected.totalNodes);
    edgeTypes(got, expected);
  }

  void edgeTypes(const GraphSpec &got, const GraphSpec &expected) const {
    field("num_edge_types", got.numEdgeTypes, expected.numEdgeTypes);
    field("src_type", got.srcType, expected.srcType);
    field("dst_type", got.dstType, expected.dstType);
    field("bipartite", got.isBipartite, expected.isBipartite);
  }

  template <typename Spec>
  void all(const char *name, const std::vector<Spec> &got,
           const std::vector<Spec> &expected,
           void (Same::*check)(const Spec &, const Spec &) const) const {
    count(name, got.size(), expected.size());
    const auto nodes = nested[name].list(), others = function[name].list();
    for (size_t i = 0; i < got.size(); ++i)
      (Same{nodes[i], others[i]}.*check)(got[i], expected[i]);
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Variants
//===----------------------------------------------------------------------===//

void ManifestReader::checkVariant(const Manifest &variant,
                                  const JsonNode &node) const {
  const Same same{node, root};
  same.field("device", variant.onGPU, manifest.onGPU);
  same.all("inputs", variant.inputs, manifest.inputs, &Same::tensor);
  same.all("graphs", variant.graphs, manifest.graphs, &Same::graph);
  same.all("outputs", variant.outputs, manifest.outputs, &Same::tensor);
}

void ManifestReader::readVariants(const JsonNode &variants) {
  if (graphs.size() != 1)
    failLoad(variants.place(),
             ": expected one graph, whose edges per node choose, got ",
             graphs.size());
  double least = 0;
  std::string leastText = "0";
  for (const JsonNode &node : variants.list()) {
    if (const auto nested = node.find("variants"))
      nested->fail("no variants of a variant");
    const JsonNode bound = node["edges_per_node_below"];
    const double below = bound.number();
    if (!std::isfinite(below) || below <= least)
      bound.fail("a finite number above " + leastText);
    least = below;
    leastText = bound.text();
    Manifest variant = ManifestReader(node).read();
    checkVariant(variant, node);
    variant.edgesPerNodeBelow = below;
    manifest.variants.push_back(std::move(variant));
  }
}

//===----------------------------------------------------------------------===//
// What is computed once for each graph
//===----------------------------------------------------------------------===//

/// What must be so before the manifest is read: a place among no inputs would
/// fail with another message.
static void checkOnce(const JsonNode &once) {
  for (const char *name : {"once", "variants"})
    if (const auto nested = once.find(name))
      nested->fail("no " + std::string(name) + " of what is computed once");
  if (const JsonNode inputs = once["inputs"]; !inputs.list().empty())
    inputs.fail("none, as the values follow from the graph alone");
  const std::vector<JsonNode> graphs = once["graphs"].list();
  if (graphs.size() != 1)
    failLoad(once.place(), ".graphs: expected a list of 1, got ",
             graphs.size());
  if (const JsonNode edges = graphs[0]["edge_index"]; !edges.list().empty())
    edges.fail("[], as the graph is given");
  if (const auto type = graphs[0].find("edge_type"))
    type->expect(-1);
  for (const JsonNode &nodes : graphs[0]["num_nodes"].list())
    if (!nodes.isInteger() || nodes.integer() != -1)
      nodes.fail("-1");
  const std::vector<JsonNode> outputs = once["outputs"].list();
  if (outputs.empty())
    once["outputs"].fail("at least one value");
  for (const JsonNode &output : outputs)
    for (const JsonNode &dim : output["shape"].list())
      if (dim.find("input"))
        dim.fail("a number or a size of the graph");
}

void ManifestReader::readOnce(const JsonNode &once) {
  if (const JsonNode version = root["version"]; version.integer() < 3)
    version.fail("3, as there is once");
  if (manifest.onGPU)
    once.fail("none in code for cuda");
  if (graphs.size() != 1)
    failLoad(once.place(),
             ": expected one graph, of which the values are, got ",
             graphs.size());
  checkOnce(once);
  Manifest nested = ManifestReader(once).read();
  if (nested.onGPU)
    once["device"].fail("cpu");
  const JsonNode graph = once["graphs"].list()[0];
  const Same same{graph, graphs[0]};
  same.edgeTypes(nested.graphs[0], manifest.graphs[0]);
  same.count("num_nodes", nested.graphs[0].numNodes.size(),
             manifest.graphs[0].numNodes.size());
  for (size_t i = 0; i < nested.outputs.size(); ++i)
    if (nested.outputs[i].saved)
      once["outputs"].list()[i]["saved"].fail("false");
  manifest.once = std::make_shared<const Manifest>(std::move(nested));
}
