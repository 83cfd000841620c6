/* Calls the shared library that is the first argument, code for a GPU, through
   a driver that writes down what it is asked: the second argument. Its device
   memory is memory of the process. */

#include "layer.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static void check(int32_t status) {
  if (status == RGNN_OK)
    return;
  fprintf(stderr, "%s\n", rgnn_last_error());
  exit(1);
}

static DLTensor view(void *data, uint8_t code, uint8_t bits, int32_t ndim,
                     int64_t *shape) {
  DLTensor tensor = {0};
  tensor.data = data;
  tensor.device.device_type = kDLCUDA;
  tensor.ndim = ndim;
  tensor.dtype.code = code;
  tensor.dtype.bits = bits;
  tensor.dtype.lanes = 1;
  tensor.shape = shape;
  return tensor;
}

int main(int argc, char **argv) {
  float x[] = {1, 2, 3, 4, 5, 6}, weight[8] = {0}, rows[6];
  int64_t edge_index[] = {0, 2, 1, 1, 1, 0}, edge_type[] = {0, 1, 0};
  int64_t x_shape[] = {3, 2}, edges_shape[] = {2, 3}, types_shape[] = {3},
          weight_shape[] = {2, 2, 2};
  DLTensor tensors[LAYER_NUM_INPUTS];
  tensors[LAYER_INPUT_X] = view(x, kDLFloat, 32, 2, x_shape);
  tensors[LAYER_INPUT_EDGE_INDEX] =
      view(edge_index, kDLInt, 64, 2, edges_shape);
  tensors[LAYER_INPUT_EDGE_TYPE] = view(edge_type, kDLInt, 64, 1, types_shape);
  tensors[LAYER_INPUT_CONV_WEIGHT] =
      view(weight, kDLFloat, 32, 3, weight_shape);
  const DLTensor *inputs[LAYER_NUM_INPUTS];
  for (int i = 0; i < LAYER_NUM_INPUTS; ++i)
    inputs[i] = &tensors[i];

  RgnnModule *module;
  RgnnGraph *graphs[LAYER_NUM_GRAPHS];
  RgnnCall *call;
  check(rgnn_module_load(argv[1], layer_manifest, &module));
  /* Graphs are made of edges that the processor reads. */
  tensors[LAYER_INPUT_EDGE_INDEX].device.device_type = kDLCPU;
  tensors[LAYER_INPUT_EDGE_TYPE].device.device_type = kDLCPU;
  check(rgnn_module_make_graphs(module, inputs, LAYER_NUM_INPUTS, graphs));
  void *outputs[LAYER_NUM_OUTPUTS] = {rows};
  uint64_t bytes = 0;
  for (int i = 0; i < 2; ++i) {
    check(rgnn_call_begin(module, graphs, LAYER_NUM_GRAPHS, inputs,
                          LAYER_NUM_INPUTS, &call));
    check(rgnn_call_workspace_bytes(call, &bytes));
    void *workspace = aligned_alloc(64, (bytes + 63) / 64 * 64);
    check(rgnn_call_run_on_stream(call, outputs, LAYER_NUM_OUTPUTS, workspace,
                                  (void *)9));
    rgnn_call_end(call);
    free(workspace);
  }
  rgnn_graph_destroy(graphs[0]);
  rgnn_module_unload(module);
  void *driver = dlopen(argv[argc - 1], RTLD_NOW);
  printf("%s", ((const char *(*)(void))dlsym(driver, "recorded"))());
  printf("workspace %d\n", (int)bytes);
  return 0;
}
