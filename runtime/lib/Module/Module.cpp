//===- Module.cpp - Loading of compiled modules ---------------------------===//

#include "Module/Module.h"
#include "Module/Call.h"
#include "Support/Error.h"
#include "Threads/ParallelFor.h"

using namespace rgnn;

/// Those of a library for GPUs, loaded when a call needs them.
static std::shared_ptr<cuda::KernelsOfDevices>
findKernels(const Manifest &manifest, const Library &library) {
  if (!manifest.onGPU)
    return nullptr;
  return std::make_shared<cuda::KernelsOfDevices>(
      static_cast<const RgnnKernel *>(library.symbol("rgnn_kernels")));
}

Module::Module(Manifest manifest, Library library)
    : Module(manifest, std::make_shared<const Library>(std::move(library)),
             nullptr) {}

Module::Module(Manifest manifest, std::shared_ptr<const Library> library,
               std::shared_ptr<cuda::KernelsOfDevices> kernels)
    : manifest(std::move(manifest)), library(std::move(library)),
      kernels(kernels ? std::move(kernels)
                      : findKernels(this->manifest, *this->library)) {
  entry =
      reinterpret_cast<RgnnEntry>(this->library->symbol(this->manifest.entry));
  if (!this->manifest.workspace.empty())
    workspaceSize = reinterpret_cast<RgnnWorkspaceSize>(
        this->library->symbol(this->manifest.workspace));
  for (const Manifest &variant : this->manifest.variants)
    variants.push_back(std::unique_ptr<Module>(
        new Module(variant, this->library, this->kernels)));
  if (this->manifest.once)
    once.reset(new Module(*this->manifest.once, this->library, nullptr));
  findTorchThreads();
}

Module::~Module() {
  // Those that are left make theirs, which may be smaller, anew.
  if (calls.empty())
    return;
  MemoryPool::ofWorkspaces().release();
  MemoryPool::ofResults().release();
}

Module *Module::variantFor(Graphs graphs, int32_t numGraphs) const {
  // Another number of graphs fails where it is checked.
  if (variants.empty() || numGraphs != 1 || graphs[0]->numNodes == 0)
    return nullptr;
  const double edgesPerNode =
      static_cast<double>(graphs[0]->numEdges) / graphs[0]->numNodes;
  for (const auto &variant : variants)
    if (edgesPerNode < variant->manifest.edgesPerNodeBelow)
      return variant.get();
  return nullptr;
}

bool Module::prepared(Graphs graphs, int32_t numGraphs) const {
  if (const Module *variant = variantFor(graphs, numGraphs))
    return variant->prepared(graphs, numGraphs);
  if (numGraphs != static_cast<int32_t>(manifest.graphs.size()))
    return false;
  RgnnView view;
  for (const ViewSpec &spec : manifest.views) {
    const Graph *graph = graphs[spec.graph]->findPart(spec.part);
    if (!graph || !graph->findView(spec.kind, spec.param, view))
      return false;
  }
  // A size that only an output uses is rare enough to be built by the call.
  int64_t size;
  for (const GraphSize &spec : manifest.sizes) {
    const Graph *graph = graphs[spec.graph]->findPart(spec.part);
    if (!graph || !graph->findSize(spec.of, spec.param, size))
      return false;
  }
  return !once || graphs[0]->findValues(once->number);
}

void Module::prepare(Graphs graphs, int32_t numGraphs) const {
  if (const Module *variant = variantFor(graphs, numGraphs))
    return variant->prepare(graphs, numGraphs);
  if (numGraphs != static_cast<int32_t>(manifest.graphs.size()))
    failInput("expected ", manifest.graphs.size(), " graphs, got ", numGraphs);
  for (const ViewSpec &spec : manifest.views)
    graphs[spec.graph]->part(spec.part).view(spec.kind, spec.param);
  for (const GraphSize &spec : manifest.sizes)
    graphs[spec.graph]->part(spec.part).size(spec.of, spec.param);
  if (once)
    onceValues(*graphs[0]);
}

std::optional<Module::MissingView>
Module::missingView(Graphs graphs, int32_t numGraphs) const {
  if (const Module *variant = variantFor(graphs, numGraphs))
    return variant->missingView(graphs, numGraphs);
  // Another number of graphs fails where it is checked.
  if (numGraphs != static_cast<int32_t>(manifest.graphs.size()))
    return std::nullopt;
  RgnnView view;
  for (const ViewSpec &spec : manifest.views)
    if (graphs[spec.graph]->device != -1 &&
        !graphs[spec.graph]->part(spec.part).findView(spec.kind, spec.param,
                                                      view))
      return MissingView{spec.graph, spec.part, spec.kind, spec.param};
  auto lacks = [&](const GraphSize &spec) {
    int64_t size;
    return graphs[spec.graph]->device != -1 &&
           !graphs[spec.graph]->part(spec.part).findSize(spec.of, spec.param,
                                                         size);
  };
  auto ofSize = [](const GraphSize &spec) {
    return MissingView{spec.graph, spec.part, Graph::viewOfSize(spec.of), 0};
  };
  for (const GraphSize &spec : manifest.sizes)
    if (lacks(spec))
      return ofSize(spec);
  for (const TensorSpec &output : manifest.outputs)
    for (const Dim &dim : output.shape)
      if (dim.kind == Dim::OfGraph && lacks(dim.size))
        return ofSize(dim.size);
  return std::nullopt;
}

Call *Module::begin(Graphs graphs, int32_t numGraphs,
                    const DLTensor *const *inputs, int32_t numInputs) {
  if (Module *variant = variantFor(graphs, numGraphs))
    return variant->begin(graphs, numGraphs, inputs, numInputs);
  Call *call;
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (idle.empty()) {
      calls.push_back(std::make_unique<Call>(*this));
      // Room for all, so that end() needs no memory.
      idle.reserve(calls.size());
      call = calls.back().get();
    } else {
      call = idle.back();
      idle.pop_back();
    }
    call->generation = generation;
  }
  try {
    call->check(graphs, numGraphs, inputs, numInputs);
  } catch (...) {
    end(call);
    throw;
  }
  return call;
}

void Module::end(Call *call) noexcept {
  call->saved.reset();
  call->workspace.reset();
  std::lock_guard<std::mutex> lock(mutex);
  if (call->generation != generation)
    call->workspaceBytes = 0;
  idle.push_back(call);
}

uint64_t Module::workspaceBytes() const {
  uint64_t bytes = savedMemory->bytes();
  for (const auto &variant : variants)
    bytes += variant->workspaceBytes();
  if (once)
    bytes += once->workspaceBytes();
  std::lock_guard<std::mutex> lock(mutex);
  for (const auto &call : calls)
    bytes += call->workspaceBytes.load(std::memory_order_relaxed);
  return bytes;
}

void Module::releaseWorkspace() {
  for (const auto &variant : variants)
    variant->releaseWorkspace();
  if (once)
    once->releaseWorkspace();
  savedMemory->release();
  MemoryPool::ofWorkspaces().release();
  MemoryPool::ofResults().release();
  std::lock_guard<std::mutex> lock(mutex);
  ++generation;
  for (Call *call : idle)
    call->workspaceBytes = 0;
}
