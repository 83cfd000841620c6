//===- Manifest.cpp - What a compiled module says of itself ---------------===//

#include "Manifest.h"
#include "Error.h"
#include "Tensor.h"
#include <nlohmann/json.hpp>

using namespace rgnn;
using nlohmann::json;

namespace {
/// Reads one manifest; `where` is the place in it, for messages.
class Reader {
public:
  explicit Reader(Manifest &manifest) : manifest(manifest) {}

  void read(const json &root);

private:
  TensorSpec readTensor(const json &value, const std::string &where);
  Dim readDim(const json &value, const std::string &where);
  GraphSize readSize(const json &value, const std::string &where);
  GraphSpec readGraph(const json &value, const std::string &where);

  const json &field(const json &value, const char *name,
                    const std::string &where) {
    if (!value.is_object() || !value.contains(name))
      fail(RGNN_LOAD_FAILED, "manifest: expected a field '", name, "' in ",
           where, ", got ", value.dump());
    return value.at(name);
  }

  template <typename T>
  T get(const json &value, const char *name, const std::string &where) {
    const json &member = field(value, name, where);
    try {
      return member.get<T>();
    } catch (const json::exception &error) {
      fail(RGNN_LOAD_FAILED, "manifest: '", name, "' in ", where,
           " cannot be read: ", error.what());
    }
  }

  template <typename T>
  T get(const json &value, const char *name, const std::string &where,
        T otherwise) {
    return value.is_object() && value.contains(name)
               ? get<T>(value, name, where)
               : otherwise;
  }

  int32_t index(const json &value, const char *name, const std::string &where,
                size_t count) {
    return checkIndex(get<int64_t>(value, name, where), name, where, count);
  }

  int32_t checkIndex(int64_t index, const char *name, const std::string &where,
                     size_t count) {
    if (index < 0 || index >= static_cast<int64_t>(count))
      fail(RGNN_LOAD_FAILED, "manifest: expected '", name, "' of ", where,
           " in [0, ", count, "), got ", index);
    return static_cast<int32_t>(index);
  }

  Manifest &manifest;
  size_t numInputs = 0, numGraphs = 0;
};
} // namespace

GraphSize Reader::readSize(const json &value, const std::string &where) {
  GraphSize size;
  size.graph = index(value, "graph", where, numGraphs);
  size.of = parseSizeKind(get<std::string>(value, "of", where));
  size.param = get<int64_t>(value, "param", where, 0);
  return size;
}

Dim Reader::readDim(const json &value, const std::string &where) {
  Dim dim;
  if (value.is_number_integer()) {
    dim.value = value.get<int64_t>();
    if (dim.value < -1)
      fail(RGNN_LOAD_FAILED,
           "manifest: expected a size of 0 or more, or -1, "
           "in ",
           where, ", got ", dim.value);
    dim.kind = dim.value == -1 ? Dim::Any : Dim::Fixed;
  } else if (value.is_object() && value.contains("input")) {
    dim.kind = Dim::OfInput;
    dim.input = index(value, "input", where, numInputs);
    // The rank of the input may not be known yet: checked by the caller.
    dim.dim = static_cast<int32_t>(get<int64_t>(value, "dim", where));
  } else if (value.is_object() && value.contains("value")) {
    dim.kind = Dim::Fixed;
    dim.value = get<int64_t>(value, "value", where);
  } else {
    dim.kind = Dim::OfGraph;
    dim.size = readSize(value, where);
  }
  return dim;
}

TensorSpec Reader::readTensor(const json &value, const std::string &where) {
  TensorSpec spec;
  spec.name = get<std::string>(value, "name", where, where);
  spec.dtype = parseDtype(get<std::string>(value, "dtype", where));
  spec.used = get<bool>(value, "used", where, true);
  spec.saved = get<bool>(value, "saved", where, false);
  const json &shape = field(value, "shape", where);
  if (!shape.is_array())
    fail(RGNN_LOAD_FAILED, "manifest: expected a list as 'shape' in ", where,
         ", got ", shape.dump());
  for (const json &dim : shape)
    spec.shape.push_back(readDim(dim, where));
  return spec;
}

GraphSpec Reader::readGraph(const json &value, const std::string &where) {
  GraphSpec spec;
  for (int64_t input : get<std::vector<int64_t>>(value, "edge_index", where))
    spec.edgeIndex.push_back(checkIndex(input, "edge_index", where, numInputs));
  const auto edgeType = get<int64_t>(value, "edge_type", where, -1);
  spec.edgeType =
      edgeType == -1 ? -1 : checkIndex(edgeType, "edge_type", where, numInputs);
  spec.numEdgeTypes = get<int64_t>(value, "num_edge_types", where);
  for (const json &nodes : field(value, "num_nodes", where))
    spec.numNodes.push_back(readDim(nodes, where));
  spec.totalNodes = get<int64_t>(value, "total_nodes", where, -1);
  spec.srcType = get<std::vector<int32_t>>(value, "src_type", where, {});
  spec.dstType = get<std::vector<int32_t>>(value, "dst_type", where, {});
  if (spec.numNodes.empty())
    fail(RGNN_LOAD_FAILED, "manifest: expected num_nodes in ", where, ", got ",
         value.dump());
  return spec;
}

void Reader::read(const json &root) {
  const auto version = get<int64_t>(root, "version", "manifest");
  if (version != 1)
    fail(RGNN_LOAD_FAILED, "manifest: expected version 1, got ", version);
  manifest.entry = get<std::string>(root, "entry", "manifest");
  manifest.workspace = get<std::string>(root, "workspace", "manifest", "");

  auto list = [&](const char *name) {
    json value = field(root, name, "manifest");
    if (!value.is_array())
      fail(RGNN_LOAD_FAILED, "manifest: expected a list as '", name, "', got ",
           value.dump());
    return value;
  };
  auto place = [](const char *name, size_t i) {
    return std::string(name) + " " + std::to_string(i);
  };
  const json inputs = list("inputs"), graphs = list("graphs");
  numInputs = inputs.size();
  numGraphs = graphs.size();
  for (const json &input : inputs)
    manifest.inputs.push_back(
        readTensor(input, place("input", manifest.inputs.size())));
  for (const json &graph : graphs)
    manifest.graphs.push_back(
        readGraph(graph, place("graph", manifest.graphs.size())));
  for (const json &view : list("views")) {
    const std::string where = place("view", manifest.views.size());
    manifest.views.push_back(
        {index(view, "graph", where, numGraphs),
         parseViewKind(get<std::string>(view, "kind", where)),
         get<int64_t>(view, "param", where, 0)});
  }
  for (const json &size : list("sizes"))
    manifest.sizes.push_back(
        readSize(size, place("size", manifest.sizes.size())));
  for (const json &output : list("outputs"))
    manifest.outputs.push_back(
        readTensor(output, place("output", manifest.outputs.size())));

  auto check = [&](const Dim &dim, const std::string &where) {
    if (dim.kind == Dim::OfInput)
      checkIndex(dim.dim, "dim", where,
                 manifest.inputs[dim.input].shape.size());
  };
  for (const auto *tensors : {&manifest.inputs, &manifest.outputs})
    for (const TensorSpec &spec : *tensors)
      for (const Dim &dim : spec.shape)
        check(dim, spec.name);
  for (const TensorSpec &spec : manifest.outputs)
    for (const Dim &dim : spec.shape)
      if (dim.kind == Dim::Any)
        fail(RGNN_LOAD_FAILED,
             "manifest: expected the size of each dimension "
             "of ",
             spec.name, ", got -1");
  for (const GraphSpec &spec : manifest.graphs) {
    for (const Dim &dim : spec.numNodes)
      check(dim, "num_nodes");
    auto expectRank = [&](int32_t input, size_t rank) {
      if (manifest.inputs[input].shape.size() != rank)
        fail(RGNN_LOAD_FAILED, "manifest: expected rank ", rank, " of input '",
             manifest.inputs[input].name, "', got ",
             manifest.inputs[input].shape.size());
    };
    for (int32_t input : spec.edgeIndex)
      expectRank(input, 2);
    if (spec.edgeType >= 0)
      expectRank(spec.edgeType, 1);
  }
}

Manifest Manifest::parse(const std::string &text) {
  Manifest manifest;
  json root;
  try {
    root = json::parse(text);
  } catch (const json::exception &error) {
    fail(RGNN_LOAD_FAILED, "manifest: expected JSON: ", error.what());
  }
  try {
    Reader(manifest).read(root);
  } catch (const Error &error) {
    throw Error(RGNN_LOAD_FAILED, error.what());
  }
  return manifest;
}
