//===- runtime.h - C interface of the RGNN runtime ----------------*- C -*-===//
//
// What a compiled module needs at run time: typed graphs and their views, the
// threads that kernels run on, and loading and calling of compiled modules.
// Neither the compiler nor LLVM nor PyTorch is needed to use it.
//
// Functions that can fail return an RgnnStatus; rgnn_last_error() then says
// what was expected and what came. Tensors are DLPack's DLTensor, in CPU
// memory.
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
  /// A shared object or a manifest cannot be used.
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

#define RGNN_ABI_VERSION 1

typedef struct RgnnContext {
  uint32_t abi_version;
  /// Calls `body` on disjoint ranges [begin, end) that cover [0, count), on
  /// several threads; returns when all are done. Nested calls run inline.
  void (*parallel_for)(const struct RgnnContext *context, int64_t count,
                       void (*body)(int64_t begin, int64_t end, void *env),
                       void *env);
  int32_t (*num_threads)(const struct RgnnContext *context);
} RgnnContext;

/// The context of this process. Its threads are PyTorch's own where PyTorch is
/// loaded, otherwise a pool of RGNN_NUM_THREADS (default: all cores).
RGNN_EXPORT const RgnnContext *rgnn_context(void);

/// "torch" or "pool".
RGNN_EXPORT const char *rgnn_thread_source(void);

/// What the code of a compiled module exports: the function, and the bytes of
/// workspace that a call with these words needs (it reads only the sizes).
/// words = [workspace] [sizes] [views: pointer, rows] [inputs that are read:
/// pointer, dynamic dimensions] [outputs: pointer, dynamic dimensions].
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
  /// one per edge type with indices within the node types of its ends.
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

/// Copies and checks the edges.
RGNN_EXPORT int32_t rgnn_graph_create(const RgnnGraphDesc *desc,
                                      RgnnGraph **graph);
RGNN_EXPORT void rgnn_graph_destroy(RgnnGraph *graph);

/// `of`: "node", "edge", "edge_type", "node_type_count", "dst_pair",
/// "src_pair", or "node_type" (nodes of type `param`).
RGNN_EXPORT int32_t rgnn_graph_size(RgnnGraph *graph, const char *of,
                                    int64_t param, int64_t *size);

typedef struct RgnnView {
  const int32_t *data;
  int64_t rows;
  /// 1, or 3 for tiles: (type, begin, end).
  int64_t columns;
} RgnnView;

/// The kinds are listed in lib/GraphViews.def.
RGNN_EXPORT int32_t rgnn_graph_view(RgnnGraph *graph, const char *kind,
                                    int64_t param, RgnnView *view);

/// Bytes that the graph and the views built so far occupy.
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
/// No call may be under way.
RGNN_EXPORT void rgnn_module_unload(RgnnModule *module);

RGNN_EXPORT int32_t rgnn_module_num_graphs(const RgnnModule *module);
RGNN_EXPORT int32_t rgnn_module_num_inputs(const RgnnModule *module);
RGNN_EXPORT int32_t rgnn_module_num_outputs(const RgnnModule *module);
/// Whether the code reads input `index`; one that it does not may be null.
RGNN_EXPORT int32_t rgnn_module_reads_input(const RgnnModule *module,
                                            int32_t index);
/// Whether output `index` is for the backward, and no result.
RGNN_EXPORT int32_t rgnn_module_saves_output(const RgnnModule *module,
                                             int32_t index);

/// Bytes that the module keeps: a workspace for each concurrent call, and the
/// memory of tensors of rgnn_call_make_saved, deleted or not.
RGNN_EXPORT uint64_t rgnn_module_workspace_bytes(const RgnnModule *module);
/// Frees them; what is in use is freed when the call ends or the tensors go.
RGNN_EXPORT void rgnn_module_release_workspace(RgnnModule *module);

/// Whether the graphs have all views that a call needs, and building them,
/// which takes milliseconds. rgnn_call_begin does what has not been done.
RGNN_EXPORT int32_t rgnn_module_prepared(RgnnModule *module,
                                         RgnnGraph *const *graphs,
                                         int32_t num_graphs);
RGNN_EXPORT int32_t rgnn_module_prepare(RgnnModule *module,
                                        RgnnGraph *const *graphs,
                                        int32_t num_graphs);

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
/// A tensor for an output that is saved. All of a call share memory that the
/// module uses again when the last of them is deleted.
RGNN_EXPORT int32_t rgnn_call_make_saved(RgnnCall *call, int32_t index,
                                         DLManagedTensorVersioned **tensor);
/// `outputs`: the data of each output, contiguous, in the shapes above.
RGNN_EXPORT int32_t rgnn_call_run(RgnnCall *call, void *const *outputs,
                                  int32_t num_outputs);
RGNN_EXPORT void rgnn_call_end(RgnnCall *call);

#ifdef __cplusplus
}
#endif

#endif // RGNN_RUNTIME_H
