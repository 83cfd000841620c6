//===- runtime.h - C interface of the RGNN runtime ----------------*- C -*-===//
//
// What a compiled module needs at run time: typed graphs and their views, the
// threads that kernels run on, and loading and calling of compiled modules.
// Neither the compiler nor LLVM nor PyTorch is needed to use it.
//
// Functions that can fail return an RgnnStatus; rgnn_last_error() then says
// what was expected and what came. Tensors are DLPack's DLTensor, in CPU
// memory, or in that of a GPU for a module that was compiled for one.
//
//===----------------------------------------------------------------------===//

#ifndef RGNN_RUNTIME_H
#define RGNN_RUNTIME_H

#include <dlpack/dlpack.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RGNN_EXPORT __attribute__((visibility("default")))

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

typedef enum RgnnStatus {
  RGNN_OK = 0,
  /// An argument does not fit: a type, a size, an index out of range.
  RGNN_INVALID_INPUT = 1,
  /// A file, a shared object or a manifest cannot be used.
  RGNN_LOAD_FAILED = 2,
  /// The compiled function returned an error.
  RGNN_KERNEL_FAILED = 3,
  RGNN_OUT_OF_MEMORY = 4,
} RgnnStatus;

/// The message of the last failure on this thread; valid until the next one.
RGNN_EXPORT const char *rgnn_last_error(void);

//===----------------------------------------------------------------------===//
// The context that compiled code is given
//===----------------------------------------------------------------------===//

/// Compiled code of an earlier version runs with a later context. Version 2
/// added `parallel_for_all`.
#define RGNN_ABI_VERSION 2

/// Iterations that may run at the same time: `body` for each range of them.
typedef struct RgnnLoop {
  int64_t count;
  void (*body)(int64_t begin, int64_t end, void *env);
  void *env;
} RgnnLoop;

typedef struct RgnnContext {
  uint32_t abi_version;
  /// Calls `body` on disjoint ranges [begin, end) that cover [0, count), on
  /// several threads; returns when all are done. Nested calls run inline.
  void (*parallel_for)(const struct RgnnContext *context, int64_t count,
                       void (*body)(int64_t begin, int64_t end, void *env),
                       void *env);
  int32_t (*num_threads)(const struct RgnnContext *context);
  /// Launches a kernel of `rgnn_kernels` by its number; null where code runs on
  /// a processor alone. words = blocks x, y, z, threads x, y, z, bytes of
  /// dynamic shared memory, then a word for each parameter.
  void (*launch)(const struct RgnnContext *context, int32_t kernel,
                 const uint64_t *words, int32_t num_parameters);
  /// As `parallel_for` of each of several loops that do not depend on each
  /// other; who is done with one goes on with the next.
  void (*parallel_for_all)(const struct RgnnContext *context, int64_t num_loops,
                           const RgnnLoop *loops);
} RgnnContext;

/// A row of `rgnn_kernels`, a table that code for a GPU exports; behind the
/// last row is one of nulls. `codes` are for one kind of GPU each, the newest
/// first: machine code, PTX that ends with a zero, or a fat binary of both. The
/// first that the driver takes is used. Kernels may share them.
typedef struct RgnnKernel {
  const char *name;
  const void *const *codes;
  uint64_t num_codes;
} RgnnKernel;

/// The context of this process. Its threads are PyTorch's own where PyTorch is
/// loaded, otherwise a pool of RGNN_NUM_THREADS (default: all cores).
RGNN_EXPORT const RgnnContext *rgnn_context(void);

/// "torch" or "pool".
RGNN_EXPORT const char *rgnn_thread_source(void);

/// What the code of a compiled module exports: the function, and the bytes of
/// workspace that a call with these words needs (it reads only the sizes).
/// words = [workspace] [sizes] [views: pointer, rows] [what is computed once
/// for the graph: pointer, dynamic dimensions] [inputs that are read: pointer,
/// dynamic dimensions] [outputs: pointer, dynamic dimensions].
typedef int32_t (*RgnnEntry)(const RgnnContext *context, const uint64_t *words);
typedef uint64_t (*RgnnWorkspaceSize)(const uint64_t *words);

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

/// A typed graph. Its edges are ordered by (destination, type, original index);
/// a "position" is an index in that order. Views are int32 arrays, built at
/// first use and kept with the graph; any thread may ask for them.
typedef struct RgnnGraph RgnnGraph;

typedef struct RgnnGraphDesc {
  /// [2, E] int64 or int32 with any strides: one with global node indices, or
  /// one per edge type with indices within the node types of its ends. Or [E]:
  /// the sources and the destinations, or one list that is both.
  const DLTensor *edge_index;
  int32_t num_edge_index;
  /// [E] int64 or int32, or null: the i-th edge_index then has type i.
  const DLTensor *edge_type;
  /// As many as a module that the graph is for was compiled with; some may have
  /// no edges.
  int64_t num_edge_types;
  /// Nodes of each node type; nodes are numbered type by type.
  const int64_t *num_nodes;
  int32_t num_node_types;
  /// The node types that the i-th edge_index connects; both null where indices
  /// are global.
  const int32_t *src_type;
  const int32_t *dst_type;
} RgnnGraphDesc;

/// Copies and checks the edges, which are in CPU memory; those on one GPU are
/// neither read nor checked, see rgnn_graph_set_view.
RGNN_EXPORT int32_t rgnn_graph_create(const RgnnGraphDesc *desc,
                                      RgnnGraph **graph);
/// The same of a graph whose edges lead from nodes of one set to those of
/// another: `num_nodes` has the numbers of sources and of destinations, and the
/// two ends of edges count these.
RGNN_EXPORT int32_t rgnn_graph_create_bipartite(const RgnnGraphDesc *desc,
                                                RgnnGraph **graph);
RGNN_EXPORT void rgnn_graph_destroy(RgnnGraph *graph);

/// `of`: "node", "edge", "edge_type_count", "node_type_count", "dst_pair",
/// "src_pair", or "node_of_type" (nodes of type `param`).
RGNN_EXPORT int32_t rgnn_graph_size(RgnnGraph *graph, const char *of,
                                    int64_t param, int64_t *size);

typedef struct RgnnView {
  /// In the memory that the graph's edges are in.
  const int32_t *data;
  int64_t rows;
  /// 1, or 3 for tiles: (type, begin, end).
  int64_t columns;
} RgnnView;

/// The kinds are listed in include/RGNN/Support/GraphViews.def.
RGNN_EXPORT int32_t rgnn_graph_view(RgnnGraph *graph, const char *kind,
                                    int64_t param, RgnnView *view);

/// A part of a graph: "src" has the edges of the edge types with at most as
/// many unique sources as unique destinations, "dst" the others, "whole" is the
/// graph itself. A part is a graph of the same nodes and edge types, whose
/// edges are in the order of their positions in the whole; it belongs to the
/// whole, with which it goes.
RGNN_EXPORT int32_t rgnn_graph_part(RgnnGraph *graph, const char *name,
                                    RgnnGraph **part);

/// The GPU whose memory the edges are in; -1 for that of the processor.
RGNN_EXPORT int32_t rgnn_graph_device(const RgnnGraph *graph);

/// A graph whose edges are in the memory of an NVIDIA GPU reads none of them:
/// the caller, who has checked them, builds the views there, gives them before
/// a call that needs them, and keeps them as long as the graph.
RGNN_EXPORT int32_t rgnn_graph_set_view(RgnnGraph *graph, const char *kind,
                                        int64_t param, const RgnnView *view);

/// Bytes that the graph occupies, with the views built so far and the values
/// that modules have computed once for it.
RGNN_EXPORT uint64_t rgnn_graph_bytes(const RgnnGraph *graph);

//===----------------------------------------------------------------------===//
// Compiled modules
//===----------------------------------------------------------------------===//

typedef struct RgnnModule RgnnModule;
typedef struct RgnnCall RgnnCall;

/// Opens a shared object; `manifest` is the JSON text that the compiler wrote
/// with it.
RGNN_EXPORT int32_t rgnn_module_load(const char *path, const char *manifest,
                                     RgnnModule **module);
/// No call may be under way. What the module computed once for a graph goes
/// with the graph.
RGNN_EXPORT void rgnn_module_unload(RgnnModule *module);

RGNN_EXPORT int32_t rgnn_module_num_graphs(const RgnnModule *module);
RGNN_EXPORT int32_t rgnn_module_num_inputs(const RgnnModule *module);
/// "x", "edge_index", "conv.weight"; null where there is no such input.
RGNN_EXPORT const char *rgnn_module_input_name(const RgnnModule *module,
                                               int32_t index);
RGNN_EXPORT int32_t rgnn_module_num_outputs(const RgnnModule *module);
/// Whether the code reads input `index`, be it only for some graphs; one that
/// it does not may be null.
RGNN_EXPORT int32_t rgnn_module_reads_input(const RgnnModule *module,
                                            int32_t index);
/// Whether output `index` is for the backward, and no result.
RGNN_EXPORT int32_t rgnn_module_saves_output(const RgnnModule *module,
                                             int32_t index);

/// Whether the module is for NVIDIA GPUs; see rgnn_call_run_on_stream.
RGNN_EXPORT int32_t rgnn_module_on_gpu(const RgnnModule *module);

/// Bytes that calls of the module work in, each that is concurrent apart, and
/// the memory of its saved tensors, deleted or not. What calls work in is kept,
/// and is the next call's, of this module or another one.
RGNN_EXPORT uint64_t rgnn_module_workspace_bytes(const RgnnModule *module);
/// Frees them, and what is kept for calls of other modules and for results;
/// what is in use is freed when the call ends or the tensors go.
RGNN_EXPORT void rgnn_module_release_workspace(RgnnModule *module);

/// Whether the graphs have all views that a call needs and the values that are
/// computed once for each graph, and building them, which takes milliseconds.
/// rgnn_call_begin does what has not been done.
RGNN_EXPORT int32_t rgnn_module_prepared(RgnnModule *module,
                                         RgnnGraph *const *graphs,
                                         int32_t num_graphs);
RGNN_EXPORT int32_t rgnn_module_prepare(RgnnModule *module,
                                        RgnnGraph *const *graphs,
                                        int32_t num_graphs);

/// Whether a graph on a GPU lacks a view that a call needs, and which; not
/// where it is a part that lacks it.
RGNN_EXPORT int32_t rgnn_module_missing_view(const RgnnModule *module,
                                             RgnnGraph *const *graphs,
                                             int32_t num_graphs, int32_t *graph,
                                             const char **kind, int64_t *param);
/// The same for modules that read parts, too; the view is for the graph that
/// rgnn_graph_part gives for `part`.
RGNN_EXPORT int32_t rgnn_module_missing_part_view(
    const RgnnModule *module, RgnnGraph *const *graphs, int32_t num_graphs,
    int32_t *graph, const char **part, const char **kind, int64_t *param);

/// Makes the graphs that a call with these inputs works on, rgnn_module_num_
/// graphs of them, which are the caller's to destroy; what is built of them
/// serves every call with the same edges. Fails for a module whose edges are no
/// inputs: its graphs come of rgnn_graph_create.
RGNN_EXPORT int32_t rgnn_module_make_graphs(const RgnnModule *module,
                                            const DLTensor *const *inputs,
                                            int32_t num_inputs,
                                            RgnnGraph **graphs);

/// A call in three steps, so that the caller can allocate the outputs: begin
/// checks every argument, run executes, end gives the workspace back. The
/// inputs must stay alive until then. Calls on several threads are independent.
RGNN_EXPORT int32_t rgnn_call_begin(RgnnModule *module,
                                    RgnnGraph *const *graphs,
                                    int32_t num_graphs,
                                    const DLTensor *const *inputs,
                                    int32_t num_inputs, RgnnCall **call);
/// Shape and element type of an output, without data.
RGNN_EXPORT DLTensor *rgnn_call_output(RgnnCall *call, int32_t index);
/// A tensor for an output, in memory that is used again when it is deleted: all
/// that are saved of a call share some of the module's. Null for a small
/// result, for which any memory does as well.
RGNN_EXPORT int32_t rgnn_call_make_output(RgnnCall *call, int32_t index,
                                          DLManagedTensorVersioned **tensor);
/// `outputs`: the data of each output, contiguous, in the shapes above.
RGNN_EXPORT int32_t rgnn_call_run(RgnnCall *call, void *const *outputs,
                                  int32_t num_outputs);
RGNN_EXPORT void rgnn_call_end(RgnnCall *call);

/// A module for NVIDIA GPUs ("device": "cuda" in its manifest) runs on the GPU
/// that its inputs are on, which rgnn_call_begin finds out. The caller gives
/// the memory, on that GPU: outputs, saved ones too, and a workspace of so many
/// bytes at a multiple of 64. Inputs and outputs begin at multiples of 16.
RGNN_EXPORT int32_t rgnn_call_workspace_bytes(RgnnCall *call, uint64_t *bytes);
/// Launches the kernels on `stream`, a CUstream, and returns; all memory must
/// stay until they are done. Nothing is waited for or allocated, so that a CUDA
/// graph can capture it.
RGNN_EXPORT int32_t rgnn_call_run_on_stream(RgnnCall *call,
                                            void *const *outputs,
                                            int32_t num_outputs,
                                            void *workspace, void *stream);

//===----------------------------------------------------------------------===//
// Times of kernels
//===----------------------------------------------------------------------===//

typedef enum RgnnEventKind {
  /// A call of compiled code, without the checks of its arguments; its kernels
  /// are events of their own.
  RGNN_EVENT_CALL = 0,
  /// The loops of a kernel; of work on weights alone, named "weights". A kernel
  /// may have several loops, an event each.
  RGNN_EVENT_KERNEL = 1,
  /// The building of a view of a graph; views that it needs are events within.
  RGNN_EVENT_VIEW = 2,
} RgnnEventKind;

typedef struct RgnnEvent {
  RgnnEventKind kind;
  /// "traverse"; of a view "dst_offsets"; of a call, what it enters.
  const char *name;
  /// Of a kernel, its number in the manifest; -1 of all else.
  int64_t kernel;
  /// "float32", of the numbers that a kernel writes; empty where that is not
  /// known.
  const char *dtype;
  /// The line of the model that a kernel comes from; empty and 0 where that is
  /// not known.
  const char *file;
  int64_t line;
  /// In nanoseconds, on the clock of CLOCK_MONOTONIC.
  int64_t begin, end;
  /// What a kernel does, -1 where that is not known: outer and inner rows;
  /// bytes read and written, as often as they are; bytes that pass if memory is
  /// read once; operations on floats.
  int64_t rows, inner_rows, bytes_read, bytes_written, bytes_needed, operations;
} RgnnEvent;

/// Records what runs on processors from now on, in any thread, and forgets what
/// was recorded before. One thread at a time uses these three functions. Work
/// on GPUs is not seen; profilers of CUDA name it.
RGNN_EXPORT void rgnn_record_start(void);
/// Ends the recording; gives the number of its events.
RGNN_EXPORT int64_t rgnn_record_stop(void);
/// An event of the recording that ended last, in the order in which they ended.
/// Its texts live until the next one ends.
RGNN_EXPORT int32_t rgnn_record_event(int64_t index, RgnnEvent *event);

//===----------------------------------------------------------------------===//
// Saved modules
//===----------------------------------------------------------------------===//

/// A file that `compiled.save("rgat.rgnn")` wrote; docs/ModuleFormat.md says
/// what is in it, examples/c/run_model.c how to run it. Functions that read a
/// model may be called on several threads at once.
typedef struct RgnnModel RgnnModel;

/// Maps the file and checks its archive and manifest whole; loads no code. The
/// file must stay as it is while the model is open.
RGNN_EXPORT int32_t rgnn_model_open(const char *path, RgnnModel **model);
RGNN_EXPORT void rgnn_model_close(RgnnModel *model);

/// The manifest's JSON text.
RGNN_EXPORT const char *rgnn_model_manifest(const RgnnModel *model);
/// Name of the first of its targets that this processor runs; null where it
/// runs none, and rgnn_model_load says why.
RGNN_EXPORT const char *rgnn_model_target(const RgnnModel *model);

/// Loads the code of a function. This runs code of the file: load what you
/// trust. The module is the caller's to unload, before or after the model.
RGNN_EXPORT int32_t rgnn_model_load(const RgnnModel *model, int32_t function,
                                    RgnnModule **module);
/// The same for NVIDIA GPUs; fails for a file without such code.
RGNN_EXPORT int32_t rgnn_model_load_for_gpu(const RgnnModel *model,
                                            int32_t function,
                                            RgnnModule **module);

/// The weights and constants in the file. A constant's name begins with
/// ".constants.", which no parameter's does.
RGNN_EXPORT int32_t rgnn_model_num_tensors(const RgnnModel *model);
RGNN_EXPORT const char *rgnn_model_tensor_name(const RgnnModel *model,
                                               int32_t index);
/// Memory of the file, which is read-only and lives as long as the model; null
/// where there is none. A parameter that is another one by a second name has
/// its tensor.
RGNN_EXPORT const DLTensor *rgnn_model_tensor(const RgnnModel *model,
                                              const char *name);

/// What the model was compiled for: an entry of `calls` in the manifest.
typedef struct RgnnCallInfo {
  /// What rgnn_model_load takes; -1 where parts of the call run in PyTorch.
  int32_t function;
  /// Whether the model was in training mode.
  int32_t training;
  /// The inputs of the function are, in this order: tensors of the caller, ...
  int32_t num_inputs;
  const char *const *input_names;
  /// ... tensors of the file by their names for rgnn_model_tensor, ...
  int32_t num_tensors;
  const char *const *tensor_names;
  /// ... and what the caller computes: lists of edges that the model makes of
  /// its arguments (`derived`), and masks of dropout (`drawn`).
  int32_t num_derived;
  int32_t num_drawn;
} RgnnCallInfo;

RGNN_EXPORT int32_t rgnn_model_num_calls(const RgnnModel *model);
/// Lives as long as the model; null where there is no such call.
RGNN_EXPORT const RgnnCallInfo *rgnn_model_call(const RgnnModel *model,
                                                int32_t index);

#ifdef __cplusplus
}
#endif

#endif // RGNN_RUNTIME_H
