//===- Manifest.cpp - What a compiled module says of itself ---------------===//

#include "Manifest.h"
#include "Error.h"
#include "Json.h"
#include "Tensor.h"
#include <algorithm>
#include <cmath>

using namespace rgnn;

/// Version 2 has parts of graphs.
static constexpr int64_t readVersion = 2;

namespace {
class Reader {
public:
  explicit Reader(const JsonNode &root)
      : root(root), inputs(root["inputs"].list()),
        graphs(root["graphs"].list()) {}

  Manifest read();

private:
  TensorSpec readTensor(const JsonNode &node) const;
  Dim readDim(const JsonNode &node) const;
  GraphSize readSize(const JsonNode &node) const;
  ViewSpec readView(const JsonNode &node) const;
  GraphSpec readGraph(const JsonNode &node) const;
  void checkDims(const std::vector<Dim> &dims, const JsonNode &node) const;
  void checkRank(int32_t input, size_t rank) const;
  void readVariants(const JsonNode &variants);
  void checkVariant(const Manifest &variant, const JsonNode &node) const;

  const JsonNode root;
  const std::vector<JsonNode> inputs, graphs;
  Manifest manifest;
};
} // namespace

static int64_t integerOr(const JsonNode &node, const char *name,
                         int64_t otherwise) {
  const auto field = node.find(name);
  return field ? field->integer() : otherwise;
}

static bool booleanOr(const JsonNode &node, const char *name, bool otherwise) {
  const auto field = node.find(name);
  return field ? field->boolean() : otherwise;
}

static std::string stringOr(const JsonNode &node, const char *name,
                            const std::string &otherwise) {
  const auto field = node.find(name);
  return field ? field->string() : otherwise;
}

/// Types of nodes; the graph that is made of them checks that they exist.
static std::vector<int32_t> readTypes(const JsonNode &node, const char *name) {
  std::vector<int32_t> types;
  if (const auto field = node.find(name))
    for (const JsonNode &type : field->list())
      types.push_back(type.index(maxIndex));
  return types;
}

static Part readPart(const JsonNode &node) {
  const auto field = node.find("part");
  return field ? field->parsed(parsePart) : Part::whole;
}

GraphSize Reader::readSize(const JsonNode &node) const {
  return {node["graph"].index(graphs.size()), node["of"].parsed(parseSizeKind),
          integerOr(node, "param", 0), readPart(node)};
}

ViewSpec Reader::readView(const JsonNode &node) const {
  const ViewSpec view = {node["graph"].index(graphs.size()),
                         node["kind"].parsed(parseViewKind),
                         integerOr(node, "param", 0), readPart(node)};
  if (view.part == Part::whole && isOfPartsOnly(view.kind))
    node.fail("a part src or dst, which has the view");
  return view;
}

Dim Reader::readDim(const JsonNode &node) const {
  Dim dim;
  if (node.isInteger()) {
    dim.value = node.integer(-1);
    dim.kind = dim.value == -1 ? Dim::Any : Dim::Fixed;
  } else if (const auto input = node.find("input")) {
    dim.kind = Dim::OfInput;
    dim.input = input->index(inputs.size());
    // Of an input that may come later: its rank is known in the end.
    dim.dim = node["dim"].index(maxIndex);
  } else if (const auto value = node.find("value")) {
    dim.kind = Dim::Fixed;
    dim.value = value->integer(0);
  } else {
    dim.kind = Dim::OfGraph;
    dim.size = readSize(node);
  }
  return dim;
}

TensorSpec Reader::readTensor(const JsonNode &node) const {
  TensorSpec spec;
  spec.name = stringOr(node, "name", node.place());
  spec.dtype = node["dtype"].parsed(parseDtype);
  spec.used = booleanOr(node, "used", true);
  spec.saved = booleanOr(node, "saved", false);
  for (const JsonNode &dim : node["shape"].list())
    spec.shape.push_back(readDim(dim));
  return spec;
}

GraphSpec Reader::readGraph(const JsonNode &node) const {
  GraphSpec spec;
  for (const JsonNode &input : node["edge_index"].list())
    spec.edgeIndex.push_back(input.index(inputs.size()));
  spec.edgeType = integerOr(node, "edge_type", -1) == -1
                      ? -1
                      : node["edge_type"].index(inputs.size());
  spec.numEdgeTypes = node["num_edge_types"].integer();
  for (const JsonNode &nodes : node["num_nodes"].list())
    spec.numNodes.push_back(readDim(nodes));
  if (spec.numNodes.empty())
    node["num_nodes"].fail("the number of nodes of at least one type");
  spec.totalNodes = integerOr(node, "total_nodes", -1);
  spec.srcType = readTypes(node, "src_type");
  spec.dstType = readTypes(node, "dst_type");
  return spec;
}

void Reader::checkDims(const std::vector<Dim> &dims,
                       const JsonNode &node) const {
  for (const Dim &dim : dims)
    if (dim.kind == Dim::OfInput &&
        static_cast<size_t>(dim.dim) >= manifest.inputs[dim.input].shape.size())
      node.fail("dimensions that input '" + manifest.inputs[dim.input].name +
                "' has");
}

void Reader::checkRank(int32_t input, size_t rank) const {
  if (manifest.inputs[input].shape.size() != rank)
    inputs[input]["shape"].fail("rank " + std::to_string(rank) +
                                " of edges or their types");
}

//===----------------------------------------------------------------------===//
// Variants
//===----------------------------------------------------------------------===//

namespace {
/// Two objects of which a variant must say what its function says.
struct Same {
  const JsonNode &variant, &function;

  /// The field `name`, as it was read.
  template <typename T>
  void field(const char *name, const T &got, const T &expected) const {
    if (got == expected)
      return;
    auto text = [&](const JsonNode &node) {
      const auto field = node.find(name);
      return field ? field->text() : "none";
    };
    failLoad(variant.place(), ".", name, ": expected ", text(function),
             ", as in ", function.place(), ", got ", text(variant));
  }

  /// Lists, element by element: the text of a whole one may be cut.
  template <typename T>
  void field(const char *name, const std::vector<T> &got,
             const std::vector<T> &expected) const {
    count(name, got.size(), expected.size());
    for (size_t i = 0; i < got.size(); ++i)
      if (!(got[i] == expected[i])) {
        const JsonNode element = function[name].list()[i];
        variant[name].list()[i].fail(element.text() + ", as in " +
                                     element.place());
      }
  }

  void count(const char *name, size_t got, size_t expected) const {
    if (got != expected)
      failLoad(variant.place(), ".", name, ": expected a list of ", expected,
               ", as in ", function.place(), ", got ", got);
  }

  /// `used` may differ.
  void tensor(const TensorSpec &got, const TensorSpec &expected) const {
    // As written: one that is left out is the place in the spec.
    field("name", stringOr(variant, "name", ""),
          stringOr(function, "name", ""));
    field("dtype", got.dtype, expected.dtype);
    field("shape", got.shape, expected.shape);
    field("saved", got.saved, expected.saved);
  }

  void graph(const GraphSpec &got, const GraphSpec &expected) const {
    field("edge_index", got.edgeIndex, expected.edgeIndex);
    field("edge_type", got.edgeType, expected.edgeType);
    field("num_edge_types", got.numEdgeTypes, expected.numEdgeTypes);
    field("num_nodes", got.numNodes, expected.numNodes);
    field("total_nodes", got.totalNodes, expected.totalNodes);
    field("src_type", got.srcType, expected.srcType);
    field("dst_type", got.dstType, expected.dstType);
  }

  template <typename Spec>
  void all(const char *name, const std::vector<Spec> &got,
           const std::vector<Spec> &expected,
           void (Same::*check)(const Spec &, const Spec &) const) const {
    count(name, got.size(), expected.size());
    const auto nodes = variant[name].list(), others = function[name].list();
    for (size_t i = 0; i < got.size(); ++i)
      (Same{nodes[i], others[i]}.*check)(got[i], expected[i]);
  }
};
} // namespace

void Reader::checkVariant(const Manifest &variant, const JsonNode &node) const {
  const Same same{node, root};
  same.field("device", variant.onGPU, manifest.onGPU);
  same.all("inputs", variant.inputs, manifest.inputs, &Same::tensor);
  same.all("graphs", variant.graphs, manifest.graphs, &Same::graph);
  same.all("outputs", variant.outputs, manifest.outputs, &Same::tensor);
}

void Reader::readVariants(const JsonNode &variants) {
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
    Manifest variant = Reader(node).read();
    checkVariant(variant, node);
    variant.edgesPerNodeBelow = below;
    manifest.variants.push_back(std::move(variant));
  }
}

//===----------------------------------------------------------------------===//
// Whole manifests
//===----------------------------------------------------------------------===//

Manifest Reader::read() {
  if (const JsonNode version = root["version"];
      version.integer() < 1 || version.integer() > readVersion)
    version.fail("1 or 2");
  manifest.entry = root["entry"].string();
  manifest.workspace = stringOr(root, "workspace", "");
  if (const auto device = root.find("device")) {
    manifest.onGPU = device->string() == "cuda";
    if (!manifest.onGPU && device->string() != "cpu")
      device->fail("cpu or cuda");
  }
  for (const JsonNode &input : inputs)
    manifest.inputs.push_back(readTensor(input));
  for (const JsonNode &graph : graphs)
    manifest.graphs.push_back(readGraph(graph));
  for (const JsonNode &view : root["views"].list())
    manifest.views.push_back(readView(view));
  for (const JsonNode &size : root["sizes"].list())
    manifest.sizes.push_back(readSize(size));
  const std::vector<JsonNode> outputs = root["outputs"].list();
  for (const JsonNode &output : outputs)
    manifest.outputs.push_back(readTensor(output));

  for (size_t i = 0; i < inputs.size(); ++i)
    checkDims(manifest.inputs[i].shape, inputs[i]["shape"]);
  for (size_t i = 0; i < outputs.size(); ++i) {
    checkDims(manifest.outputs[i].shape, outputs[i]["shape"]);
    for (const Dim &dim : manifest.outputs[i].shape)
      if (dim.kind == Dim::Any)
        outputs[i]["shape"].fail("the size of each dimension");
  }
  for (size_t i = 0; i < graphs.size(); ++i) {
    const GraphSpec &graph = manifest.graphs[i];
    checkDims(graph.numNodes, graphs[i]["num_nodes"]);
    for (int32_t input : graph.edgeIndex)
      checkRank(input, 2);
    if (graph.edgeType >= 0)
      checkRank(graph.edgeType, 1);
    const size_t ends = graph.srcType.size();
    if (ends != graph.dstType.size() ||
        (ends && !graph.edgeIndex.empty() && ends != graph.edgeIndex.size()))
      graphs[i].fail("a src_type and a dst_type for each edge_index, or none");
  }
  if (const auto variants = root.find("variants"))
    readVariants(*variants);
  return std::move(manifest);
}

Manifest Manifest::read(const JsonNode &root) { return Reader(root).read(); }

Manifest Manifest::parse(const std::string &text) {
  return read(JsonDocument(text, "manifest").root());
}

size_t Manifest::numResults() const {
  return std::count_if(outputs.begin(), outputs.end(),
                       [](const TensorSpec &output) { return !output.saved; });
}

bool Manifest::reads(size_t input) const {
  return inputs[input].used || std::any_of(variants.begin(), variants.end(),
                                           [&](const Manifest &variant) {
                                             return variant.inputs[input].used;
                                           });
}
