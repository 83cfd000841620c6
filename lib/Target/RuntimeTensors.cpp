//===- RuntimeTensors.cpp - tensors and graphs for the runtime ------------===//

#include "RuntimeTensors.h"

#include "llvm/ADT/APFloat.h"

#include <cstring>

using namespace mlir;
using namespace mlir::rgnn;
namespace json = llvm::json;

//===----------------------------------------------------------------------===//
// Tensors in memory
//===----------------------------------------------------------------------===//

size_t rgnn::getElementSize(Type type) {
  return type.isIndex() ? 8 : llvm::divideCeil(type.getIntOrFloatBitWidth(), 8);
}

static APFloat convert(APFloat value, const llvm::fltSemantics &semantics) {
  bool losesInfo;
  value.convert(semantics, APFloat::rmNearestTiesToEven, &losesInfo);
  return value;
}

/// The bits of a number of `type`, the lowest first.
static uint64_t encode(double value, Type type) {
  if (auto floatType = dyn_cast<FloatType>(type))
    return convert(APFloat(value), floatType.getFloatSemantics())
        .bitcastToAPInt()
        .getZExtValue();
  return static_cast<int64_t>(value);
}

static double decode(uint64_t bits, Type type) {
  if (auto floatType = dyn_cast<FloatType>(type))
    return convert(APFloat(floatType.getFloatSemantics(),
                           APInt(floatType.getWidth(), bits)),
                   APFloat::IEEEdouble())
        .convertToDouble();
  if (type.isInteger(1))
    return bits & 1;
  return llvm::SignExtend64(bits, 8 * getElementSize(type));
}

RuntimeTensor::RuntimeTensor(const reference::Tensor &tensor, Type elementType)
    : elementType(elementType), shape(tensor.shape) {
  size_t size = getElementSize(elementType);
  bytes.resize(tensor.values.size() * size);
  for (auto [index, value] : llvm::enumerate(tensor.values)) {
    uint64_t bits = encode(value, elementType);
    std::memcpy(&bytes[index * size], &bits, size);
  }
}

DLTensor RuntimeTensor::getView() {
  DLDataTypeCode code = elementType.isBF16()          ? kDLBfloat
                        : isa<FloatType>(elementType) ? kDLFloat
                        : elementType.isInteger(1)    ? kDLBool
                                                      : kDLInt;
  DLTensor view = {};
  view.data = bytes.data();
  view.device = {kDLCPU, 0};
  view.ndim = shape.size();
  view.dtype = {static_cast<uint8_t>(code),
                static_cast<uint8_t>(8 * getElementSize(elementType)), 1};
  view.shape = shape.data();
  return view;
}

reference::Tensor rgnn::decodeTensor(ArrayRef<char> bytes,
                                     ArrayRef<int64_t> shape,
                                     Type elementType) {
  size_t size = getElementSize(elementType);
  reference::Tensor tensor{SmallVector<int64_t>(shape), {}};
  for (; !bytes.empty(); bytes = bytes.drop_front(size)) {
    uint64_t bits = 0;
    std::memcpy(&bits, bytes.data(), size);
    tensor.values.push_back(decode(bits, elementType));
  }
  return tensor;
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

static std::vector<int32_t> getIntegers(const json::Object &spec,
                                        StringRef name) {
  std::vector<int32_t> integers;
  for (const json::Value &value : *spec.getArray(name))
    integers.push_back(*value.getAsInteger());
  return integers;
}

/// A number of nodes: itself, a size of an input, or a sum.
static int64_t getSize(const json::Value &size, ArrayRef<DLTensor> inputs) {
  const json::Object &object = *size.getAsObject();
  if (const json::Array *terms = object.getArray("sum"))
    return llvm::sum_of(llvm::map_range(*terms, [&](const json::Value &term) {
      return getSize(term, inputs);
    }));
  if (std::optional<int64_t> value = object.getInteger("value"))
    return *value;
  return inputs[*object.getInteger("input")].shape[*object.getInteger("dim")];
}

static RuntimePtr<RgnnGraph> createGraph(const RgnnGraphDesc &desc,
                                         bool isBipartite) {
  RgnnGraph *graph = nullptr;
  (isBipartite ? rgnn_graph_create_bipartite : rgnn_graph_create)(&desc,
                                                                  &graph);
  return RuntimePtr<RgnnGraph>(graph);
}

RuntimePtr<RgnnGraph> rgnn::makeGraph(const json::Object &spec,
                                      ArrayRef<DLTensor> inputs) {
  std::vector<DLTensor> edges;
  for (int32_t input : getIntegers(spec, "edge_index"))
    edges.push_back(inputs[input]);
  std::vector<int64_t> nodes;
  for (const json::Value &size : *spec.getArray("num_nodes"))
    nodes.push_back(getSize(size, inputs));
  std::vector<int32_t> src = getIntegers(spec, "src_type"),
                       dst = getIntegers(spec, "dst_type");
  RgnnGraphDesc desc = {};
  desc.edge_index = edges.data();
  desc.num_edge_index = edges.size();
  if (int64_t input = *spec.getInteger("edge_type"); input >= 0)
    desc.edge_type = &inputs[input];
  desc.num_edge_types = *spec.getInteger("num_edge_types");
  desc.num_nodes = nodes.data();
  desc.num_node_types = nodes.size();
  desc.src_type = src.empty() ? nullptr : src.data();
  desc.dst_type = dst.empty() ? nullptr : dst.data();
  return createGraph(desc, spec.getBoolean("bipartite").value_or(false));
}

RuntimePtr<RgnnGraph> rgnn::makeGraph(const json::Object &spec,
                                      const reference::Graph &graph,
                                      MLIRContext *context) {
  Type type = IntegerType::get(context, 64);
  auto numEdges = static_cast<int64_t>(graph.getSrc().size());
  reference::Tensor ends{{2, numEdges}, {}}, types{{numEdges}, {}};
  llvm::append_range(ends.values, graph.getSrc());
  llvm::append_range(ends.values, graph.getDst());
  llvm::append_range(types.values, graph.getEType());
  RuntimeTensor endTensor(ends, type), typeTensor(types, type);
  DLTensor edgeIndex = endTensor.getView(), edgeType = typeTensor.getView();
  RgnnGraphDesc desc = {};
  desc.edge_index = &edgeIndex;
  desc.num_edge_index = 1;
  desc.edge_type = &edgeType;
  desc.num_edge_types = *spec.getInteger("num_edge_types");
  desc.num_nodes = graph.getNodesOfType()->data();
  desc.num_node_types = graph.getNodesOfType()->size();
  return createGraph(desc, graph.getNodeSets() == NodeSets::Bipartite);
}
