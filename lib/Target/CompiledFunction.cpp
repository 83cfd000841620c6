//===- CompiledFunction.cpp - a function as machine code ------------------===//

#include "CompiledFunction.h"
#include "RGNN/CodeGen/Compiler.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/FileSystem.h"

#include <cstring>

using namespace mlir;
using namespace mlir::rgnn;
using reference::Datum;
namespace json = llvm::json;

//===----------------------------------------------------------------------===//
// Tensors in memory
//===----------------------------------------------------------------------===//

/// Bytes of an element; a bool has one of its own.
static size_t getElementSize(Type type) {
  return llvm::divideCeil(type.getIntOrFloatBitWidth(), 8);
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
  unsigned width = type.getIntOrFloatBitWidth();
  if (auto floatType = dyn_cast<FloatType>(type))
    return convert(APFloat(floatType.getFloatSemantics(), APInt(width, bits)),
                   APFloat::IEEEdouble())
        .convertToDouble();
  return width == 1 ? bits & 1 : llvm::SignExtend64(bits, width);
}

namespace {
/// A tensor as compiled code takes it.
struct Buffer {
  Buffer(const reference::Tensor &tensor, Type elementType);
  /// Valid as long as this.
  DLTensor getView();

  Type elementType;
  SmallVector<int64_t> shape;
  std::vector<char> bytes;
};
} // namespace

Buffer::Buffer(const reference::Tensor &tensor, Type elementType)
    : elementType(elementType), shape(tensor.shape) {
  size_t size = getElementSize(elementType);
  bytes.resize(tensor.values.size() * size);
  for (auto [index, value] : llvm::enumerate(tensor.values)) {
    uint64_t bits = encode(value, elementType);
    std::memcpy(&bytes[index * size], &bits, size);
  }
}

DLTensor Buffer::getView() {
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

static Datum decodeTensor(ArrayRef<char> bytes, ArrayRef<int64_t> shape,
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
// Calls
//===----------------------------------------------------------------------===//

static std::vector<int32_t> getIntegers(const json::Object &spec,
                                        StringRef name) {
  std::vector<int32_t> integers;
  for (const json::Value &value : *spec.getArray(name))
    integers.push_back(*value.getAsInteger());
  return integers;
}

/// A number of nodes: itself, or a size of an input.
static int64_t getSize(const json::Value &size, ArrayRef<DLTensor> inputs) {
  const json::Object &object = *size.getAsObject();
  if (std::optional<int64_t> value = object.getInteger("value"))
    return *value;
  return inputs[*object.getInteger("input")].shape[*object.getInteger("dim")];
}

static RuntimePtr<RgnnGraph> createGraph(const RgnnGraphDesc &desc) {
  RgnnGraph *graph = nullptr;
  rgnn_graph_create(&desc, &graph);
  return RuntimePtr<RgnnGraph>(graph);
}

RuntimePtr<RgnnGraph> CompiledFunction::makeGraph(const json::Object &spec,
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
  return createGraph(desc);
}

RuntimePtr<RgnnGraph>
CompiledFunction::makeGraph(const json::Object &spec,
                            const reference::Graph &graph) {
  Type type = IntegerType::get(function.getContext(), 64);
  auto numEdges = static_cast<int64_t>(graph.getSrc().size());
  reference::Tensor ends{{2, numEdges}, {}}, types{{numEdges}, {}};
  llvm::append_range(ends.values, graph.getSrc());
  llvm::append_range(ends.values, graph.getDst());
  llvm::append_range(types.values, graph.getEType());
  Buffer endBuffer(ends, type), typeBuffer(types, type);
  DLTensor edgeIndex = endBuffer.getView(), edgeType = typeBuffer.getView();
  RgnnGraphDesc desc = {};
  desc.edge_index = &edgeIndex;
  desc.num_edge_index = 1;
  desc.edge_type = &edgeType;
  desc.num_edge_types = *spec.getInteger("num_edge_types");
  desc.num_nodes = graph.getNodesOfType()->data();
  desc.num_node_types = graph.getNodesOfType()->size();
  return createGraph(desc);
}

std::optional<SmallVector<Datum>>
CompiledFunction::call(ArrayRef<Datum> arguments) {
  std::vector<Buffer> buffers;
  SmallVector<const reference::Graph *> given;
  for (auto [argument, type] :
       llvm::zip(arguments, function.getArgumentTypes()))
    if (const auto *tensor = std::get_if<reference::Tensor>(&argument))
      buffers.emplace_back(*tensor, getElementTypeOrSelf(type));
    else
      given.push_back(
          std::get<std::shared_ptr<const reference::Graph>>(argument).get());
  std::vector<DLTensor> inputs;
  std::vector<const DLTensor *> inputPointers;
  inputs.reserve(buffers.size());
  inputPointers.reserve(buffers.size());
  for (Buffer &buffer : buffers)
    inputPointers.push_back(&inputs.emplace_back(buffer.getView()));

  std::vector<RuntimePtr<RgnnGraph>> graphs;
  std::vector<RgnnGraph *> graphPointers;
  for (const json::Value &value : *manifest.getAsObject()->getArray("graphs")) {
    const json::Object &spec = *value.getAsObject();
    size_t index = graphs.size();
    graphs.push_back(index < given.size() ? makeGraph(spec, *given[index])
                                          : makeGraph(spec, inputs));
    if (!graphs.back())
      return std::nullopt;
    graphPointers.push_back(graphs.back().get());
  }
  RgnnCall *begun = nullptr;
  if (rgnn_call_begin(module.get(), graphPointers.data(), graphPointers.size(),
                      inputPointers.data(), inputPointers.size(), &begun))
    return std::nullopt;
  RuntimePtr<RgnnCall> call(begun);

  // What the code does not write stays NaN, or -1.
  std::vector<std::vector<char>> outputs;
  std::vector<void *> outputPointers;
  for (auto [index, type] : llvm::enumerate(function.getResultTypes())) {
    const DLTensor &output = *rgnn_call_output(begun, index);
    size_t size = getElementSize(getElementTypeOrSelf(type));
    for (int64_t dim : ArrayRef(output.shape, output.ndim))
      size *= dim;
    outputs.emplace_back(size, '\xff');
    outputPointers.push_back(outputs.back().data());
  }
  if (rgnn_call_run(begun, outputPointers.data(), outputPointers.size()))
    return std::nullopt;
  SmallVector<Datum> results;
  for (auto [index, type] : llvm::enumerate(function.getResultTypes())) {
    const DLTensor &output = *rgnn_call_output(begun, index);
    results.push_back(decodeTensor(outputs[index],
                                   ArrayRef(output.shape, output.ndim),
                                   getElementTypeOrSelf(type)));
  }
  return results;
}

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

/// The module of `function` with it alone, under the compiler's name for an
/// entry; the text remembers where each op came from.
static std::string printAlone(func::FuncOp function) {
  OwningOpRef<ModuleOp> module(function->getParentOfType<ModuleOp>().clone());
  for (auto other :
       llvm::make_early_inc_range(module->getOps<func::FuncOp>())) {
    if (other.getName() != function.getName()) {
      other.erase();
      continue;
    }
    other.setName("forward");
    other.setPublic();
  }
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream, OpPrintingFlags().enableDebugInfo());
  return text;
}

FailureOr<CompiledFunction>
CompiledFunction::compile(func::FuncOp function, llvm::StringRef pipeline) {
  CompileOptions options;
  options.pipeline = pipeline.str();
  options.cache = false;
  llvm::Expected<CompileResult> compiled =
      compileToSharedObject(printAlone(function), options);
  if (!compiled)
    return function.emitError("not compiled: ")
           << llvm::toString(compiled.takeError());
  CompiledFunction result;
  result.function = function;
  RgnnModule *module = nullptr;
  int32_t status = rgnn_module_load(compiled->path.c_str(),
                                    compiled->manifest.c_str(), &module);
  llvm::sys::fs::remove(compiled->path);
  if (status)
    return function.emitError("not loaded: ") << rgnn_last_error();
  result.module.reset(module);
  // The runtime has read it, so that it is valid.
  result.manifest = llvm::cantFail(json::parse(compiled->manifest));
  return result;
}
