//===- CAPI.cpp - The C functions of the runtime --------------------------===//

#include "Graph/Graph.h"
#include "Model/Model.h"
#include "Module/Call.h"
#include "Profile/Recorder.h"
#include "Support/Error.h"
#include "Threads/ParallelFor.h"

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
static const Model *unwrap(const RgnnModel *model) {
  return reinterpret_cast<const Model *>(model);
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
      [](const RgnnContext *) { return numThreads(); }, nullptr,
      [](const RgnnContext *, int64_t numLoops, const RgnnLoop *loops) {
        parallelForAll(numLoops, loops);
      }};
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

int32_t rgnn_graph_create_bipartite(const RgnnGraphDesc *desc,
                                    RgnnGraph **graph) {
  return guarded([&] {
    *graph =
        reinterpret_cast<RgnnGraph *>(new Graph(*desc, /*isBipartite=*/true));
  });
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

int32_t rgnn_graph_part(RgnnGraph *graph, const char *name, RgnnGraph **part) {
  return guarded([&] {
    *part =
        reinterpret_cast<RgnnGraph *>(&unwrap(graph)->part(parsePart(name)));
  });
}

int32_t rgnn_graph_device(const RgnnGraph *graph) {
  return unwrap(graph)->device;
}

int32_t rgnn_graph_set_view(RgnnGraph *graph, const char *kind, int64_t param,
                            const RgnnView *view) {
  return guarded(
      [&] { unwrap(graph)->setView(parseViewKind(kind), param, *view); });
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
    auto parsed = Manifest::parse(manifest);
    *module = reinterpret_cast<RgnnModule *>(
        new Module(std::move(parsed), Library::open(path)));
  });
}

void rgnn_module_unload(RgnnModule *module) { delete unwrap(module); }

int32_t rgnn_module_num_graphs(const RgnnModule *module) {
  return static_cast<int32_t>(unwrap(module)->manifest.graphs.size());
}

int32_t rgnn_module_num_inputs(const RgnnModule *module) {
  return static_cast<int32_t>(unwrap(module)->manifest.inputs.size());
}

const char *rgnn_module_input_name(const RgnnModule *module, int32_t index) {
  const auto &inputs = unwrap(module)->manifest.inputs;
  return index < 0 || static_cast<size_t>(index) >= inputs.size()
             ? nullptr
             : inputs[index].name.c_str();
}

int32_t rgnn_module_num_outputs(const RgnnModule *module) {
  return static_cast<int32_t>(unwrap(module)->manifest.outputs.size());
}

int32_t rgnn_module_reads_input(const RgnnModule *module, int32_t index) {
  return unwrap(module)->manifest.reads(index);
}

int32_t rgnn_module_saves_output(const RgnnModule *module, int32_t index) {
  return unwrap(module)->manifest.outputs[index].saved;
}

int32_t rgnn_module_on_gpu(const RgnnModule *module) {
  return unwrap(module)->manifest.onGPU;
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

int32_t rgnn_module_missing_view(const RgnnModule *module,
                                 RgnnGraph *const *graphs, int32_t num_graphs,
                                 int32_t *graph, const char **kind,
                                 int64_t *param) {
  const char *part;
  return rgnn_module_missing_part_view(module, graphs, num_graphs, graph, &part,
                                       kind, param) &&
         parsePart(part) == Part::whole;
}

int32_t rgnn_module_missing_part_view(const RgnnModule *module,
                                      RgnnGraph *const *graphs,
                                      int32_t num_graphs, int32_t *graph,
                                      const char **part, const char **kind,
                                      int64_t *param) {
  bool missing = false;
  // What fails is reported by rgnn_module_prepare.
  const int32_t status = guarded([&] {
    if (auto view = unwrap(module)->missingView(unwrap(graphs), num_graphs)) {
      *graph = view->graph;
      *part = partName(view->part);
      *kind = viewName(view->kind);
      *param = view->param;
      missing = true;
    }
  });
  return status == RGNN_OK && missing;
}

int32_t rgnn_module_prepare(RgnnModule *module, RgnnGraph *const *graphs,
                            int32_t num_graphs) {
  return guarded([&] { unwrap(module)->prepare(unwrap(graphs), num_graphs); });
}

int32_t rgnn_module_make_graphs(const RgnnModule *module,
                                const DLTensor *const *inputs,
                                int32_t num_inputs, RgnnGraph **graphs) {
  return guarded([&] {
    for (auto &graph : unwrap(module)->makeGraphs(inputs, num_inputs))
      *graphs++ = reinterpret_cast<RgnnGraph *>(graph.release());
  });
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

int32_t rgnn_call_make_output(RgnnCall *call, int32_t index,
                              DLManagedTensorVersioned **tensor) {
  return guarded([&] { *tensor = unwrap(call)->makeOutput(index); });
}

int32_t rgnn_call_run(RgnnCall *call, void *const *outputs,
                      int32_t num_outputs) {
  return guarded([&] { unwrap(call)->run(outputs, num_outputs); });
}

int32_t rgnn_call_workspace_bytes(RgnnCall *call, uint64_t *bytes) {
  return guarded([&] { *bytes = unwrap(call)->workspaceSize(); });
}

int32_t rgnn_call_run_on_stream(RgnnCall *call, void *const *outputs,
                                int32_t num_outputs, void *workspace,
                                void *stream) {
  return guarded([&] {
    unwrap(call)->runOnGPU(outputs, num_outputs, workspace,
                           static_cast<cuda::Stream>(stream));
  });
}

void rgnn_call_end(RgnnCall *call) { unwrap(call)->module.end(unwrap(call)); }

//===----------------------------------------------------------------------===//
// Times of kernels
//===----------------------------------------------------------------------===//

/// Of the recording that ended last.
static std::vector<Event> recordedEvents;

void rgnn_record_start(void) { Recorder::get().start(); }

int64_t rgnn_record_stop(void) {
  recordedEvents = Recorder::get().stop();
  return recordedEvents.size();
}

int32_t rgnn_record_event(int64_t index, RgnnEvent *event) {
  return guarded([&] {
    const int64_t count = recordedEvents.size();
    if (index < 0 || index >= count)
      failInput("expected an event from 0 to ", count, ", got ", index);
    const Event &of = recordedEvents[index];
    const Work &work = of.work;
    *event = {of.kind,          of.name.c_str(), of.kernel,
              of.dtype.c_str(), of.file.c_str(), of.line,
              of.begin,         of.end,          work.rows,
              work.innerRows,   work.bytesRead,  work.bytesWritten,
              work.bytesNeeded, work.operations};
  });
}

//===----------------------------------------------------------------------===//
// Saved modules
//===----------------------------------------------------------------------===//

int32_t rgnn_model_open(const char *path, RgnnModel **model) {
  return guarded([&] {
    *model = reinterpret_cast<RgnnModel *>(Model::open(path).release());
  });
}

void rgnn_model_close(RgnnModel *model) { delete unwrap(model); }

const char *rgnn_model_manifest(const RgnnModel *model) {
  return unwrap(model)->manifestText().c_str();
}

const char *rgnn_model_target(const RgnnModel *model) {
  const SavedTarget *target = unwrap(model)->target();
  return target ? target->name.c_str() : nullptr;
}

int32_t rgnn_model_load(const RgnnModel *model, int32_t function,
                        RgnnModule **module) {
  return guarded([&] {
    *module =
        reinterpret_cast<RgnnModule *>(unwrap(model)->load(function).release());
  });
}

int32_t rgnn_model_load_for_gpu(const RgnnModel *model, int32_t function,
                                RgnnModule **module) {
  return guarded([&] {
    *module = reinterpret_cast<RgnnModule *>(
        unwrap(model)->loadForGPU(function).release());
  });
}

int32_t rgnn_model_num_tensors(const RgnnModel *model) {
  return static_cast<int32_t>(unwrap(model)->tensorNames().size());
}

const char *rgnn_model_tensor_name(const RgnnModel *model, int32_t index) {
  const auto &names = unwrap(model)->tensorNames();
  return index < 0 || static_cast<size_t>(index) >= names.size() ? nullptr
                                                                 : names[index];
}

const DLTensor *rgnn_model_tensor(const RgnnModel *model, const char *name) {
  return unwrap(model)->tensor(name);
}

int32_t rgnn_model_num_calls(const RgnnModel *model) {
  return static_cast<int32_t>(unwrap(model)->calls().size());
}

const RgnnCallInfo *rgnn_model_call(const RgnnModel *model, int32_t index) {
  const auto &calls = unwrap(model)->calls();
  return index < 0 || static_cast<size_t>(index) >= calls.size()
             ? nullptr
             : &calls[index];
}
