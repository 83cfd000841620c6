/* Calls the shared library that is the first argument, code for a GPU, through
   a driver that writes down what it is asked: the second argument. Its device
   memory is memory of the process. */

#include "layer_inputs.h"

#include <dlfcn.h>

int main(int argc, char **argv) {
  float rows[6];
  DLTensor tensors[LAYER_NUM_INPUTS];
  const DLTensor *inputs[LAYER_NUM_INPUTS];
  make_inputs(tensors, inputs, kDLCUDA);

  RgnnModule *module;
  RgnnGraph *graphs[LAYER_NUM_GRAPHS];
  RgnnCall *call;
  check(rgnn_module_load(argv[1], layer_manifest, &module));
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
