//===- CheckCall.cpp - Checking one call ----------------------------------===//
//
// The checks are what stands between a wrong argument and a write to a wrong
// address: compiled code trusts the words it is given. They read numbers only;
// text is made where one fails.
//
//===----------------------------------------------------------------------===//

#include "CUDA/Driver.h"
#include "Module/Call.h"
#include "Support/Error.h"
#include "Support/Tensor.h"

using namespace rgnn;

std::string rgnn::quoted(const TensorSpec &spec) {
  return "input '" + spec.name + "'";
}

/// Rank, element type and fixed sizes; sizes that depend on others come later,
/// when the rank of each input is known to be right.
void Call::checkInput(const TensorSpec &spec, const DLTensor *tensor) {
  if (!tensor) {
    if (spec.used)
      failInput(quoted(spec), ": expected a tensor, got none");
    return;
  }
  if (!(tensor->dtype == spec.dtype))
    failInput(quoted(spec), ": expected ", dtypeName(spec.dtype), ", got ",
              dtypeName(tensor->dtype));
  if (tensor->ndim != static_cast<int32_t>(spec.shape.size()))
    failInput(quoted(spec), ": expected rank ", spec.shape.size(),
              ", got shape ", shapeText(*tensor));
  int64_t elements = 1;
  for (int32_t i = 0; i < tensor->ndim; ++i) {
    const Dim &dim = spec.shape[i];
    if (dim.kind == Dim::Fixed && tensor->shape[i] != dim.value)
      failInput(quoted(spec), ": expected ", dim.value, " in dimension ", i,
                ", got shape ", shapeText(*tensor));
    elements *= tensor->shape[i];
  }
  if (!spec.used)
    return;
  if (module.manifest.onGPU)
    checkDevice(spec, *tensor);
  else if (tensor->device.device_type != kDLCPU || (!tensor->data && elements))
    checkReadable(*tensor, quoted(spec));
  if (!isContiguous(*tensor))
    failInput(quoted(spec),
              ": expected a contiguous tensor, got other strides "
              "for shape ",
              shapeText(*tensor));
}

void rgnn::checkAligned(const void *data, const std::string &name) {
  if (!isAlignedForGPU(data))
    failInput(name, ": expected data that begins at a multiple of ",
              gpuAlignment, " bytes, got ",
              reinterpret_cast<uintptr_t>(data) % gpuAlignment, " more");
}

/// All inputs that a module for GPUs reads are on one.
void Call::checkDevice(const TensorSpec &spec, const DLTensor &tensor) {
  if (tensor.device.device_type != kDLCUDA)
    failInput(quoted(spec), ": expected a tensor on cuda, got one on ",
              deviceName(tensor.device));
  if (device == -1)
    device = tensor.device.device_id;
  if (tensor.device.device_id != device)
    failInput(quoted(spec), ": expected a tensor on cuda:", device,
              ", as those before it, got one on ", deviceName(tensor.device));
  if (!tensor.data && numElements(tensor) > 0)
    failInput(quoted(spec), ": expected a tensor with data, got one without");
  if (numElements(tensor) > 0)
    checkAligned(tensorData<void>(tensor), quoted(spec));
}

/// Where a call is that reads no tensor, such as of gradients that are zeros:
/// that of its graphs, else the thread's own.
int Call::deviceWithoutTensors() const {
  for (size_t i = 0; i < module.manifest.graphs.size(); ++i)
    if (graphs[i]->device != -1)
      return graphs[i]->device;
  int current = 0;
  return cuda::Driver::get().contextGetDevice(&current) == 0 ? current : 0;
}

/// The graph must be one of the sizes and types that the module was compiled
/// for, and made of the edges that came with the call, if they did. A graph of
/// edges that did not may say nothing of the ends of its edge types.
void Call::checkGraph(size_t index) {
  const GraphSpec &spec = module.manifest.graphs[index];
  const Graph &graph = *graphs[index];
  auto expect = [&](const char *what, int64_t expected, int64_t got) {
    if (expected != got)
      failInput("graph ", index, ": expected ", expected, " ", what, ", got ",
                got);
  };

  // Views of a graph on the processor are copied to a GPU.
  if (graph.device != -1 && graph.device != device)
    failInput("graph ", index, ": expected one on ",
              device == -1 ? "cpu" : "cuda:" + std::to_string(device),
              ", got one on cuda:", graph.device);

  const bool madeOfInputs = !spec.edgeIndex.empty();
  if (madeOfInputs)
    expect("edge_index tensors", spec.edgeIndex.size(),
           graph.edgeCounts().size());
  expect("node types", spec.numNodes.size(), graph.numNodeTypes());
  if (spec.isBipartite != graph.isBipartite)
    failInput("graph ", index, ": expected one that is ",
              spec.isBipartite ? "" : "not ", "bipartite");
  if (spec.totalNodes != -1)
    expect("nodes", spec.totalNodes, graph.numNodes);
  // Not fewer either: code reads offsets of all types that it was made for.
  expect("edge types", spec.numEdgeTypes, graph.numEdgeTypes);
  if ((madeOfInputs || !graph.srcTypes().empty()) &&
      (spec.srcType != graph.srcTypes() || spec.dstType != graph.dstTypes()))
    failInput("graph ", index,
              ": expected other node types at the ends of its "
              "edge types than it was made with");

  for (size_t type = 0; type < spec.numNodes.size(); ++type) {
    const int64_t expected = evaluate(spec.numNodes[type]);
    const int64_t got = graph.numNodesOf(type);
    if (expected == got || expected == -1)
      continue;
    const Dim &dim = spec.numNodes[type];
    if (dim.kind != Dim::OfInput)
      expect("nodes", expected, got);
    failInput(quoted(module.manifest.inputs[dim.input]), ": expected ", got,
              " in dimension ", dim.dim, ", the nodes of graph ", index,
              ", got ", expected);
  }

  auto expectEdges = [&](int32_t input, int32_t dim, int64_t edges) {
    const int64_t got = inputDim(input, dim);
    if (got != edges && got != -1)
      failInput(quoted(module.manifest.inputs[input]), ": expected ", edges,
                " in dimension ", dim, ", the edges of graph ", index, ", got ",
                got);
  };
  for (size_t i = 0; i < spec.edgeIndex.size(); ++i) {
    const int32_t input = spec.edgeIndex[i];
    const size_t rank = module.manifest.inputs[input].shape.size();
    expectEdges(input, static_cast<int32_t>(rank) - 1, graph.edgeCounts()[i]);
  }
  if (spec.edgeType >= 0)
    expectEdges(spec.edgeType, 0, graph.numEdges);
}

/// A size of an input that depends on a graph or on another input.
void Call::checkSize(const TensorSpec &spec, const DLTensor &input, size_t dim,
                     const Dim &size) const {
  if (size.kind == Dim::Fixed || size.kind == Dim::Any)
    return;
  const int64_t expected = evaluate(size);
  if (input.shape[dim] != expected && expected != -1)
    failInput(quoted(spec), ": expected ", expected, " in dimension ", dim,
              ", got shape ", shapeText(input));
}

void Call::check(Module::Graphs graphs, int32_t numGraphs,
                 const DLTensor *const *inputs, int32_t numInputs) {
  const Manifest &manifest = module.manifest;
  this->graphs = graphs;
  this->inputs = inputs;
  if (numGraphs != static_cast<int32_t>(manifest.graphs.size()))
    failInput("expected ", manifest.graphs.size(), " graphs, got ", numGraphs);
  if (numInputs != static_cast<int32_t>(manifest.inputs.size()))
    failInput("expected ", manifest.inputs.size(), " inputs, got ", numInputs);
  device = -1;
  for (int32_t i = 0; i < numInputs; ++i)
    checkInput(manifest.inputs[i], inputs[i]);
  if (manifest.onGPU && device == -1)
    device = deviceWithoutTensors();
  for (int32_t i = 0; i < numGraphs; ++i)
    checkGraph(i);

  for (int32_t i = 0; i < numInputs; ++i) {
    const TensorSpec &spec = manifest.inputs[i];
    if (!inputs[i])
      continue;
    for (size_t d = 0; d < spec.shape.size(); ++d)
      checkSize(spec, *inputs[i], d, spec.shape[d]);
    for (const Dim &rows : spec.moreRows)
      checkSize(spec, *inputs[i], 0, rows);
  }
  packArguments();
  // Here, so that nothing but launches is left to a stream that is captured.
  if (manifest.onGPU)
    module.kernels->on(device);
}
