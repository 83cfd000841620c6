//===- Manifest.cpp - What a compiled module says of itself ---------------===//

#include "Module/ManifestReader.h"
#include "Support/Tensor.h"
#include <algorithm>

using namespace rgnn;

/// Version 2 has parts of graphs, version 3 what is computed once, version 4
/// bipartite graphs, version 5 rows of several graphs, version 6 sums of sizes.
static constexpr int64_t readVersion = 6;

static int64_t integerOr(const JsonNode &node, const char *name,
                         int64_t otherwise) {
  const auto field = node.find(name);
  return field ? field->integer() : otherwise;
}

static bool booleanOr(const JsonNode &node, const char *name, bool otherwise) {
  const auto field = node.find(name);
  return field ? field->boolean() : otherwise;
}

std::string rgnn::stringOr(const JsonNode &node, const char *name,
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

GraphSize ManifestReader::readSize(const JsonNode &node) const {
  return {node["graph"].index(graphs.size()), node["of"].parsed(parseSizeKind),
          integerOr(node, "param", 0), readPart(node)};
}

ViewSpec ManifestReader::readView(const JsonNode &node) const {
  const ViewSpec view = {node["graph"].index(graphs.size()),
                         node["kind"].parsed(parseViewKind),
                         integerOr(node, "param", 0), readPart(node)};
  if (view.part == Part::whole && isOfPartsOnly(view.kind))
    node.fail("a part src or dst, which has the view");
  return view;
}

Dim ManifestReader::readDim(const JsonNode &node) const {
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
  } else if (const auto terms = node.find("sum")) {
    dim.kind = Dim::Sum;
    for (const JsonNode &term : terms->list())
      dim.terms.push_back(readDim(term));
  } else {
    dim.kind = Dim::OfGraph;
    dim.size = readSize(node);
  }
  return dim;
}

TensorSpec ManifestReader::readTensor(const JsonNode &node) const {
  TensorSpec spec;
  spec.name = stringOr(node, "name", node.place());
  spec.dtype = node["dtype"].parsed(parseDtype);
  spec.used = booleanOr(node, "used", true);
  spec.saved = booleanOr(node, "saved", false);
  for (const JsonNode &dim : node["shape"].list())
    spec.shape.push_back(readDim(dim));
  if (const auto more = node.find("more_rows"))
    for (const JsonNode &rows : more->list())
      spec.moreRows.push_back(readDim(rows));
  return spec;
}

GraphSpec ManifestReader::readGraph(const JsonNode &node) const {
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
  spec.isBipartite = booleanOr(node, "bipartite", false);
  return spec;
}

KernelSpec ManifestReader::readKernel(const JsonNode &node) const {
  KernelSpec kernel;
  kernel.name = node["name"].string();
  kernel.dtype = stringOr(node, "dtype", "");
  kernel.file = stringOr(node, "file", "");
  kernel.line = integerOr(node, "line", 0);
  const auto traffic = node.find("traffic");
  if (!traffic)
    return kernel;
  for (const JsonNode &size : (*traffic)["sizes"].list())
    kernel.sizes.push_back(readDim(size));
  checkDims(kernel.sizes, (*traffic)["sizes"]);
  const auto readForm = [&](const JsonNode &form) {
    KernelSpec::Form numbers;
    for (const JsonNode &number : form.list())
      numbers.push_back(number.integer());
    if (numbers.size() != kernel.sizes.size() + 1)
      form.fail("a factor for each size and a constant");
    return numbers;
  };
  kernel.rows = readForm((*traffic)["rows"]);
  kernel.innerRows = readForm((*traffic)["inner_rows"]);
  kernel.bytesRead = readForm((*traffic)["bytes_read"]);
  kernel.bytesWritten = readForm((*traffic)["bytes_written"]);
  kernel.operations = readForm((*traffic)["operations"]);
  for (const JsonNode &buffer : (*traffic)["buffers"].list()) {
    const std::vector<JsonNode> forms = buffer.list();
    if (forms.size() != 2)
      buffer.fail("bytes that are read and bytes that there are");
    kernel.buffers.emplace_back(readForm(forms[0]), readForm(forms[1]));
  }
  kernel.isKnown = true;
  return kernel;
}

void ManifestReader::checkDims(const std::vector<Dim> &dims,
                               const JsonNode &node) const {
  for (const Dim &dim : dims) {
    checkDims(dim.terms, node);
    if (dim.kind == Dim::OfInput &&
        static_cast<size_t>(dim.dim) >= manifest.inputs[dim.input].shape.size())
      node.fail("dimensions that input '" + manifest.inputs[dim.input].name +
                "' has");
  }
}

bool ManifestReader::areEnds(const GraphSpec &graph) const {
  return manifest.inputs[graph.edgeIndex[0]].shape.size() == 1;
}

void ManifestReader::checkRank(int32_t input, size_t rank) const {
  if (manifest.inputs[input].shape.size() != rank)
    inputs[input]["shape"].fail("rank " + std::to_string(rank) +
                                " of edges or their types");
}

//===----------------------------------------------------------------------===//
// Whole manifests
//===----------------------------------------------------------------------===//

Manifest ManifestReader::read() {
  if (const JsonNode version = root["version"];
      version.integer() < 1 || version.integer() > readVersion)
    version.fail("1, 2, 3, 4, 5 or 6");
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
      checkRank(input, areEnds(graph) ? 1 : 2);
    if (graph.edgeType >= 0)
      checkRank(graph.edgeType, 1);
    const size_t ends = graph.srcType.size();
    if (ends != graph.dstType.size() ||
        (ends && !graph.edgeIndex.empty() && ends != graph.edgeIndex.size()))
      graphs[i].fail("a src_type and a dst_type for each edge_index, or none");
  }
  if (const auto kernels = root.find("kernels"))
    for (const JsonNode &kernel : kernels->list())
      manifest.kernels.push_back(readKernel(kernel));
  if (const auto variants = root.find("variants"))
    readVariants(*variants);
  if (const auto once = root.find("once"))
    readOnce(*once);
  return std::move(manifest);
}

Manifest Manifest::read(const JsonNode &root) {
  return ManifestReader(root).read();
}

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
