//===- CAPI.cpp - The C functions of the runtime --------------------------===//

#include "Error.h"
#include "GraphViews.h"
#include "Module.h"
#include "ParallelFor.h"

using namespace rgnn;

static Graph *unwrap(RgnnGraph *graph) {
  return reinterpret_cast<Graph *>(graph);
}
static const Graph *unwrap(const RgnnGraph *graph) {
  return reinterpret_cast<const Graph *>(graph);
}
static Graph *const *unwrap(RgnnGraph *const *graphs) {
  return reinterpret_cast<Graph *const *>(graphs);
}
static Module *unwrap(RgnnModule *module) {
  return reinterpret_cast<Module *>(module);
}
static const Module *unwrap(const RgnnModule *module) {
  return reinterpret_cast<const Module *>(module);
}
static Call *unwrap(RgnnCall *call) { return reinterpret_cast<Call *>(call); }

//===----------------------------------------------------------------------===//
// Context
//===----------------------------------------------------------------------===//

const RgnnContext *rgnn_context(void) {
  static const RgnnContext context = {
      RGNN_ABI_VERSION,
      [](const RgnnContext *, int64_t count, RangeBody body, void *env) {
        parallelFor(count, body, env);
      },
      [](const RgnnContext *) { return numThreads(); }};
  return &context;
}

const char *rgnn_thread_source(void) {
  findTorchThreads();
  return usesTorchThreads() ? "torch" : "pool";
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

int32_t rgnn_graph_create(const RgnnGraphDesc *desc, RgnnGraph **graph) {
  return guarded(
      [&] { *graph = reinterpret_cast<RgnnGraph *>(new Graph(*desc)); });
}

void rgnn_graph_destroy(RgnnGraph *graph) { delete unwrap(graph); }

int32_t rgnn_graph_size(RgnnGraph *graph, const char *of, int64_t param,
                        int64_t *size) {
  return guarded(
      [&] { *size = unwrap(graph)->size(parseSizeKind(of), param); });
}

int32_t rgnn_graph_view(RgnnGraph *graph, const char *kind, int64_t param,
                        RgnnView *view) {
  return guarded(
      [&] { *view = unwrap(graph)->view(parseViewKind(kind), param); });
}

uint64_t rgnn_graph_bytes(const RgnnGraph *graph) {
  return unwrap(graph)->bytes();
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

int32_t rgnn_module_load(const char *path, const char *manifest,
                         RgnnModule **module) {
  return guarded([&] {
    *module = reinterpret_cast<RgnnModule *>(new Module(path, manifest));
  });
}

void rgnn_module_unload(RgnnModule *module) { delete unwrap(module); }

int32_t rgnn_module_num_graphs(const RgnnModule *module) {
  return static_cast<int32_t>(unwrap(module)->manifest.graphs.size());
}

int32_t rgnn_module_num_inputs(const RgnnModule *module) {
  return static_cast<int32_t>(unwrap(module)->manifest.inputs.size());
}

int32_t rgnn_module_num_outputs(const RgnnModule *module) {
  return static_cast<int32_t>(unwrap(module)->manifest.outputs.size());
}

int32_t rgnn_module_reads_input(const RgnnModule *module, int32_t index) {
  return unwrap(module)->manifest.inputs[index].used;
}

int32_t rgnn_module_saves_output(const RgnnModule *module, int32_t index) {
  return unwrap(module)->manifest.outputs[index].saved;
}

uint64_t rgnn_module_workspace_bytes(const RgnnModule *module) {
  return unwrap(module)->workspaceBytes();
}

void rgnn_module_release_workspace(RgnnModule *module) {
  unwrap(module)->releaseWorkspace();
}

int32_t rgnn_module_prepared(RgnnModule *module, RgnnGraph *const *graphs,
                             int32_t num_graphs) {
  int32_t prepared = 0;
  // A size that does not exist is reported by rgnn_module_prepare.
  const int32_t status = guarded(
      [&] { prepared = unwrap(module)->prepared(unwrap(graphs), num_graphs); });
  return status == RGNN_OK && prepared;
}

int32_t rgnn_module_prepare(RgnnModule *module, RgnnGraph *const *graphs,
                            int32_t num_graphs) {
  return guarded([&] { unwrap(module)->prepare(unwrap(graphs), num_graphs); });
}

int32_t rgnn_call_begin(RgnnModule *module, RgnnGraph *const *graphs,
                        int32_t num_graphs, const DLTensor *const *inputs,
                        int32_t num_inputs, RgnnCall **call) {
  return guarded([&] {
    *call = reinterpret_cast<RgnnCall *>(
        unwrap(module)->begin(unwrap(graphs), num_graphs, inputs, num_inputs));
  });
}

DLTensor *rgnn_call_output(RgnnCall *call, int32_t index) {
  return unwrap(call)->output(index);
}

int32_t rgnn_call_make_saved(RgnnCall *call, int32_t index,
                             DLManagedTensorVersioned **tensor) {
  return guarded([&] { *tensor = unwrap(call)->makeSaved(index); });
}

int32_t rgnn_call_run(RgnnCall *call, void *const *outputs,
                      int32_t num_outputs) {
  return guarded([&] { unwrap(call)->run(outputs, num_outputs); });
}

void rgnn_call_end(RgnnCall *call) { unwrap(call)->module.end(unwrap(call)); }
