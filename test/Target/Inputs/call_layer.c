/* Calls the shared library that is the argument, on a graph of three nodes. */

#include "layer.h"

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
  tensor.device.device_type = kDLCPU;
  tensor.ndim = ndim;
  tensor.dtype.code = code;
  tensor.dtype.bits = bits;
  tensor.dtype.lanes = 1;
  tensor.shape = shape;
  return tensor;
}

int main(int argc, char **argv) {
  float x[] = {1, 2, 3, 4, 5, 6};
  int64_t edge_index[] = {0, 2, 1, 1, 1, 0}, edge_type[] = {0, 1, 0};
  float weight[] = {1, 0, 0, 1, /* and swapped */ 0, 1, 1, 0};
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
  check(rgnn_module_load(argv[argc - 1], layer_manifest, &module));
  check(rgnn_module_make_graphs(module, inputs, LAYER_NUM_INPUTS, graphs));
  check(rgnn_call_begin(module, graphs, LAYER_NUM_GRAPHS, inputs,
                        LAYER_NUM_INPUTS, &call));
  const DLTensor *result = rgnn_call_output(call, LAYER_OUTPUT_0);
  float *rows = malloc(sizeof(float) * result->shape[0] * result->shape[1]);
  void *outputs[LAYER_NUM_OUTPUTS] = {rows};
  check(rgnn_call_run(call, outputs, LAYER_NUM_OUTPUTS));
  for (int64_t v = 0; v < result->shape[0]; ++v)
    printf("%g %g\n", rows[2 * v], rows[2 * v + 1]);
  rgnn_call_end(call);
  free(rows);
  rgnn_graph_destroy(graphs[0]);
  rgnn_module_unload(module);
  return 0;
}
