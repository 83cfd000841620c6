//===- Call.cpp - Running one call ----------------------------------------===//

#include "Module/Call.h"
#include "CUDA/DeviceViews.h"
#include "Graph/OnceValues.h"
#include "Module/RecordedCall.h"
#include "Support/Error.h"
#include "Support/Tensor.h"
#include <memory>

using namespace rgnn;

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
    const uint64_t bytes = workspaceSize();
    workspace = MemoryPool::ofWorkspaces().take(bytes);
    words[0] = reinterpret_cast<uintptr_t>(workspace->data());
    workspaceBytes.store(bytes, std::memory_order_relaxed);
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
