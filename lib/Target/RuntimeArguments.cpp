//===- RuntimeArguments.cpp - what a manifest asks for --------------------===//

#include "RuntimeArguments.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/APFloat.h"

#include <cstring>

using namespace mlir;
using namespace mlir::rgnn;
namespace json = llvm::json;

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

/// Bytes of an element; a bool has one of its own.
static size_t getElementSize(Type type) {
  return type.isIndex() ? 8 : llvm::divideCeil(type.getIntOrFloatBitWidth(), 8);
}

static APFloat convert(APFloat value, const llvm::fltSemantics &semantics) {
  bool losesInfo;
  value.convert(semantics, APFloat::rmNearestTiesToEven, &losesInfo);
  return value;
}

static uint64_t encodeNumber(double value, Type type) {
  if (auto floatType = dyn_cast<FloatType>(type))
    return convert(APFloat(value), floatType.getFloatSemantics())
        .bitcastToAPInt()
        .getZExtValue();
  return static_cast<int64_t>(value);
}

static double decodeNumber(uint64_t bits, Type type) {
  if (auto floatType = dyn_cast<FloatType>(type))
    return convert(APFloat(floatType.getFloatSemantics(),
                           APInt(floatType.getWidth(), bits)),
                   APFloat::IEEEdouble())
        .convertToDouble();
  if (type.isInteger(1))
    return bits & 1;
  return llvm::SignExtend64(bits, 8 * getElementSize(type));
}

simulator::Datum rgnn::encode(const reference::Tensor &tensor,
                              Type elementType) {
  size_t size = getElementSize(elementType);
  simulator::Datum datum{tensor.shape,
                         std::vector<char>(tensor.values.size() * size)};
  for (auto [index, value] : llvm::enumerate(tensor.values)) {
    uint64_t bits = encodeNumber(value, elementType);
    std::memcpy(&datum.bytes[index * size], &bits, size);
  }
  return datum;
}

reference::Tensor rgnn::decode(const simulator::Datum &datum,
                               Type elementType) {
  size_t size = getElementSize(elementType);
  reference::Tensor tensor{datum.shape, {}};
  for (size_t begin = 0; begin < datum.bytes.size(); begin += size) {
    uint64_t bits = 0;
    std::memcpy(&bits, &datum.bytes[begin], size);
    tensor.values.push_back(decodeNumber(bits, elementType));
  }
  return tensor;
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

static DLTensor getView(simulator::Datum &datum, Type elementType) {
  DLTensor view = {};
  view.data = datum.bytes.data();
  view.device = {kDLCPU, 0};
  view.ndim = datum.shape.size();
  view.dtype = {kDLInt, static_cast<uint8_t>(8 * getElementSize(elementType)),
                1};
  view.shape = datum.shape.data();
  return view;
}

static std::vector<int32_t> getIntegers(const json::Object &spec,
                                        StringRef name) {
  std::vector<int32_t> integers;
  for (const json::Value &value : *spec.getArray(name))
    integers.push_back(*value.getAsInteger());
  return integers;
}

RuntimeArguments::GraphPtr
RuntimeArguments::makeGraph(const json::Object &spec) {
  auto viewInput = [&](int64_t input) {
    return getView(inputs[input], inputTypes[input]);
  };
  std::vector<DLTensor> edges;
  for (int32_t input : getIntegers(spec, "edge_index"))
    edges.push_back(viewInput(input));
  std::vector<int64_t> nodes;
  for (const json::Value &size : *spec.getArray("num_nodes"))
    nodes.push_back(getSize(size));
  std::vector<int32_t> src = getIntegers(spec, "src_type"),
                       dst = getIntegers(spec, "dst_type");
  RgnnGraphDesc desc = {};
  desc.edge_index = edges.data();
  desc.num_edge_index = edges.size();
  DLTensor types;
  if (int64_t input = *spec.getInteger("edge_type"); input >= 0) {
    types = viewInput(input);
    desc.edge_type = &types;
  }
  desc.num_edge_types = *spec.getInteger("num_edge_types");
  desc.num_nodes = nodes.data();
  desc.num_node_types = nodes.size();
  desc.src_type = src.empty() ? nullptr : src.data();
  desc.dst_type = dst.empty() ? nullptr : dst.data();
  RgnnGraph *graph = nullptr;
  rgnn_graph_create(&desc, &graph);
  return GraphPtr(graph);
}

RuntimeArguments::GraphPtr
RuntimeArguments::makeGraph(const json::Object &spec,
                            const reference::Graph &graph, Type indexType) {
  auto numEdges = static_cast<int64_t>(graph.getSrc().size());
  reference::Tensor ends{{2, numEdges}, {}}, types{{numEdges}, {}};
  llvm::append_range(ends.values, graph.getSrc());
  llvm::append_range(ends.values, graph.getDst());
  llvm::append_range(types.values, graph.getEType());
  simulator::Datum endData = encode(ends, indexType),
                   typeData = encode(types, indexType);
  DLTensor edgeIndex = getView(endData, indexType),
           edgeType = getView(typeData, indexType);
  RgnnGraphDesc desc = {};
  desc.edge_index = &edgeIndex;
  desc.num_edge_index = 1;
  desc.edge_type = &edgeType;
  desc.num_edge_types = *spec.getInteger("num_edge_types");
  desc.num_nodes = graph.getNodesOfType()->data();
  desc.num_node_types = graph.getNodesOfType()->size();
  RgnnGraph *made = nullptr;
  rgnn_graph_create(&desc, &made);
  return GraphPtr(made);
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

int64_t RuntimeArguments::getSize(const json::Value &size) const {
  if (std::optional<int64_t> value = size.getAsInteger())
    return *value;
  const json::Object &object = *size.getAsObject();
  if (std::optional<int64_t> value = object.getInteger("value"))
    return *value;
  if (std::optional<int64_t> input = object.getInteger("input"))
    return inputs[*input].shape[*object.getInteger("dim")];
  int64_t rows = 0;
  [[maybe_unused]] int32_t status =
      rgnn_graph_size(graphs[*object.getInteger("graph")].get(),
                      object.getString("of")->str().c_str(),
                      object.getInteger("param").value_or(0), &rows);
  assert(status == RGNN_OK && "the compiler writes names that are known");
  return rows;
}

void RuntimeArguments::addSizes(const json::Object &manifest) {
  for (const json::Value &size : *manifest.getArray("sizes")) {
    int64_t value = getSize(size);
    simulator::Datum &datum = data.emplace_back();
    datum.bytes.resize(sizeof(value));
    std::memcpy(datum.bytes.data(), &value, sizeof(value));
  }
}

void RuntimeArguments::addViews(const json::Object &manifest) {
  for (const json::Value &value : *manifest.getArray("views")) {
    const json::Object &spec = *value.getAsObject();
    RgnnView view = {};
    [[maybe_unused]] int32_t status =
        rgnn_graph_view(graphs[*spec.getInteger("graph")].get(),
                        spec.getString("kind")->str().c_str(),
                        *spec.getInteger("param"), &view);
    assert(status == RGNN_OK && "the compiler writes names that are known");
    simulator::Datum &datum = data.emplace_back();
    datum.shape.push_back(view.rows);
    if (view.columns > 1)
      datum.shape.push_back(view.columns);
    const char *bytes = reinterpret_cast<const char *>(view.data);
    datum.bytes.assign(bytes,
                       bytes + view.rows * view.columns * sizeof(int32_t));
  }
}

void RuntimeArguments::addInputs(const json::Object &manifest) {
  for (auto [spec, input] :
       llvm::zip_equal(*manifest.getArray("inputs"), inputs))
    if (spec.getAsObject()->getBoolean("used").value_or(true))
      data.push_back(input);
}

void RuntimeArguments::addOutputs(const json::Object &manifest,
                                  TypeRange types) {
  for (auto [spec, type] :
       llvm::zip_equal(*manifest.getArray("outputs"), types)) {
    simulator::Datum &datum = data.emplace_back();
    datum.isInput = false;
    size_t bytes = getElementSize(getElementTypeOrSelf(type));
    for (const json::Value &size : *spec.getAsObject()->getArray("shape")) {
      datum.shape.push_back(getSize(size));
      bytes *= datum.shape.back();
    }
    datum.bytes.resize(bytes);
    ++numOutputs;
  }
}

FailureOr<RuntimeArguments>
RuntimeArguments::make(func::FuncOp function,
                       ArrayRef<reference::Datum> arguments,
                       const json::Object &manifest) {
  RuntimeArguments result;
  SmallVector<const reference::Graph *> given;
  for (auto [argument, type] :
       llvm::zip_equal(arguments, function.getArgumentTypes()))
    if (const auto *tensor = std::get_if<reference::Tensor>(&argument)) {
      result.inputTypes.push_back(getElementTypeOrSelf(type));
      result.inputs.push_back(encode(*tensor, result.inputTypes.back()));
    } else {
      given.push_back(
          std::get<std::shared_ptr<const reference::Graph>>(argument).get());
    }
  Type indexType = IntegerType::get(function.getContext(), 64);
  for (auto [index, value] : llvm::enumerate(*manifest.getArray("graphs"))) {
    const json::Object &spec = *value.getAsObject();
    result.graphs.push_back(index < given.size()
                                ? makeGraph(spec, *given[index], indexType)
                                : result.makeGraph(spec));
    if (!result.graphs.back())
      return function.emitError() << rgnn_last_error();
  }
  result.addSizes(manifest);
  result.addViews(manifest);
  result.addInputs(manifest);
  result.addOutputs(manifest, function.getResultTypes());
  return result;
}
