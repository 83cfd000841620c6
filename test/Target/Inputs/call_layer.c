/* Calls the shared library that is the argument, on a graph of three nodes. */

#include "layer_inputs.h"

int main(int argc, char **argv) {
  DLTensor tensors[LAYER_NUM_INPUTS];
  const DLTensor *inputs[LAYER_NUM_INPUTS];
  make_inputs(tensors, inputs, kDLCPU);

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
