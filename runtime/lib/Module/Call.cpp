//===- Call.cpp - Checking and running one call ---------------------------===//
//
// The checks are what stands between a wrong argument and a write to a wrong
// address: compiled code trusts the words it is given. They read numbers only;
// text is made where one fails.
//
//===----------------------------------------------------------------------===//

#include "Module/Call.h"
#include "CUDA/DeviceViews.h"
#include "CUDA/Driver.h"
#include "Graph/OnceValues.h"
#include "Module/RecordedCall.h"
#include "Support/Error.h"
#include "Support/Tensor.h"
#include <memory>

using namespace rgnn;

static std::string quoted(const TensorSpec &spec) {
  return "input '" + spec.name + "'";
}

Call::Call(Module &module) : module(module) {
  size_t dims = 0;
  for (const TensorSpec &spec : module.manifest.outputs)
    dims += spec.shape.size();
  outputShapes.resize(dims);
  int64_t *shape = outputShapes.data();
  for (const TensorSpec &spec : module.manifest.outputs) {
    DLTensor tensor = {};
    tensor.device = {kDLCPU, 0};
    tensor.dtype = spec.dtype;
    tensor.ndim = static_cast<int32_t>(spec.shape.size());
    tensor.shape = shape;
    shape += spec.shape.size();
    outputs.push_back(tensor);
  }
}

int64_t Call::inputDim(int32_t input, int32_t dim) const {
  return inputs[input] ? inputs[input]->shape[dim] : -1;
}

int64_t Call::sizeOf(const GraphSize &size) const {
  return graphs[size.graph]->part(size.part).size(size.of, size.param);
}

int64_t Call::evaluate(const Dim &dim) const {
  switch (dim.kind) {
  case Dim::OfGraph:
    return sizeOf(dim.size);
  case Dim::OfInput:
    return inputDim(dim.input, dim.dim);
  case Dim::Sum: {
    int64_t sum = 0;
    for (const Dim &term : dim.terms) {
      const int64_t size = evaluate(term);
      if (size == -1)
        return -1;
      sum += size;
    }
    return sum;
  }
  case Dim::Fixed:
  case Dim::Any:
    break;
  }
  return dim.value;
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

/// Threads of a GPU read and write several numbers at once.
static void checkAligned(const void *data, const std::string &name) {
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

const void *Call::viewData(Graph &graph, const RgnnView &view) const {
  const bool isThere = graph.device == device;
  return isThere ? view.data : graph.onDevice(device).copy(view);
}

void Call::packArguments() {
  const Manifest &manifest = module.manifest;
  auto pushPointer = [&](const void *pointer) {
    words.push_back(reinterpret_cast<uintptr_t>(pointer));
  };

  words.clear();
  words.push_back(0);
  for (const GraphSize &size : manifest.sizes)
    words.push_back(sizeOf(size));
  for (const ViewSpec &spec : manifest.views) {
    Graph &graph = graphs[spec.graph]->part(spec.part);
    const RgnnView view = graph.view(spec.kind, spec.param);
    pushPointer(viewData(graph, view));
    words.push_back(view.rows);
  }
  if (module.once) {
    const OnceValues &values = module.onceValues(*graphs[0]);
    words.insert(words.end(), values.words.begin(), values.words.end());
  }
  for (size_t i = 0; i < manifest.inputs.size(); ++i) {
    const TensorSpec &spec = manifest.inputs[i];
    if (!spec.used)
      continue;
    pushPointer(tensorData<void>(*inputs[i]));
    for (size_t d = 0; d < spec.shape.size(); ++d)
      if (spec.shape[d].isDynamic())
        words.push_back(inputs[i]->shape[d]);
  }

  firstOutputWord = words.size();
  for (size_t i = 0; i < manifest.outputs.size(); ++i) {
    const TensorSpec &spec = manifest.outputs[i];
    pushPointer(nullptr);
    if (manifest.onGPU)
      outputs[i].device = {kDLCUDA, device};
    for (size_t d = 0; d < spec.shape.size(); ++d) {
      const int64_t size = evaluate(spec.shape[d]);
      if (size < 0)
        failInput(quoted(manifest.inputs[spec.shape[d].input]),
                  ": expected a tensor, whose size the output has, got none");
      outputs[i].shape[d] = size;
      if (spec.shape[d].isDynamic())
        words.push_back(size);
    }
  }
}

DLTensor *Call::output(int32_t index) { return &outputs[index]; }

namespace {
/// What a tensor in saved memory owns.
struct SavedTensor {
  DLManagedTensorVersioned managed = {};
  std::vector<int64_t> shape, strides;
  SavedMemory::Block block;
};
} // namespace

DLManagedTensorVersioned *Call::makeSaved(int32_t index) {
  const auto isSaved = [&](size_t i) {
    return module.manifest.outputs[i].saved;
  };
  if (index < 0 || index >= numOutputs() || !isSaved(index))
    failInput("expected the number of a saved output, got ", index);
  if (module.manifest.onGPU)
    failInput("expected memory of the caller for what is saved on a GPU");
  // They lie side by side.
  uint64_t offset = 0, size = 0;
  for (int32_t i = 0; i < numOutputs(); ++i) {
    if (!isSaved(i))
      continue;
    if (i == index)
      offset = size;
    size += paddedBytes(outputs[i]);
  }
  if (!saved)
    saved = module.savedMemory->take(size);

  auto tensor = std::make_unique<SavedTensor>();
  const DLTensor &like = outputs[index];
  tensor->shape.assign(like.shape, like.shape + like.ndim);
  tensor->strides.resize(like.ndim);
  int64_t step = 1;
  for (int32_t dim = like.ndim; dim-- > 0; step *= like.shape[dim])
    tensor->strides[dim] = step;
  tensor->block = saved;
  DLManagedTensorVersioned &managed = tensor->managed;
  managed.version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION};
  managed.deleter = [](DLManagedTensorVersioned *self) {
    delete static_cast<SavedTensor *>(self->manager_ctx);
  };
  managed.dl_tensor = like;
  managed.dl_tensor.data = static_cast<char *>(saved->data()) + offset;
  managed.dl_tensor.shape = tensor->shape.data();
  managed.dl_tensor.strides = tensor->strides.data();
  managed.manager_ctx = tensor.get();
  return &tensor.release()->managed;
}

void Call::packOutputs(void *const *data, int32_t numData) {
  if (numData != numOutputs())
    failInput("expected memory for ", numOutputs(), " outputs, got ", numData);
  size_t word = firstOutputWord;
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (!data[i] && numElements(outputs[i]) > 0)
      failInput("output ", i, ": expected memory for shape ",
                shapeText(outputs[i]), ", got none");
    if (module.manifest.onGPU && numElements(outputs[i]) > 0)
      checkAligned(data[i], "output " + std::to_string(i));
    words[word++] = reinterpret_cast<uintptr_t>(data[i]);
    for (const Dim &dim : module.manifest.outputs[i].shape)
      word += dim.isDynamic();
  }
}

static void checkStatus(const Manifest &manifest, int32_t code) {
  if (code)
    fail(RGNN_KERNEL_FAILED, "expected ", manifest.entry, " to return 0, got ",
         code);
}

void Call::run(void *const *data, int32_t numData) {
  if (module.manifest.onGPU)
    failInput("expected a stream to run code for a GPU on, got none");
  packOutputs(data, numData);
  if (module.workspaceSize) {
    void *memory = workspace.reserve(module.workspaceSize(words.data()));
    words[0] = reinterpret_cast<uintptr_t>(memory);
    workspaceBytes.store(workspace.bytes(), std::memory_order_relaxed);
  }
  // Code that does not number its kernels runs as ever.
  const bool records =
      Recorder::get().isOn() && !module.manifest.kernels.empty();
  checkStatus(module.manifest,
              records ? RecordedCall(*this).run(module.entry, words.data())
                      : module.entry(rgnn_context(), words.data()));
}

uint64_t Call::workspaceSize() const {
  return module.workspaceSize ? module.workspaceSize(words.data()) : 0;
}

void Call::runOnGPU(void *const *data, int32_t numData, void *workspace,
                    cuda::Stream stream) {
  if (!module.manifest.onGPU)
    failInput("expected code for a GPU to run on a stream, got code for a "
              "processor");
  packOutputs(data, numData);
  const uint64_t bytes = workspaceSize();
  words[0] = reinterpret_cast<uintptr_t>(workspace);
  if (bytes && (!workspace || words[0] % 64))
    failInput("expected a workspace of ", bytes,
              " bytes at a multiple of 64, got ",
              workspace ? "another place" : "none");
  checkStatus(module.manifest, module.kernels->on(device).run(
                                   module.entry, words.data(), stream));
}
