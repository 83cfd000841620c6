//===- run_model.c - A saved module in a program without Python -----------===//
//
// Runs a model of node features, edges and their types, without PyTorch or the
// compiler. In Python:
//
//   model = rgnn.compile(RGCN(...))
//   model(x, edge_index, edge_type)   # float32 [N, F], int64 [2, E], int64 [E]
//   model.save("rgcn.rgnn")
//   x.numpy().tofile("x.bin")         # and so on
//
// Then:
//
//   cc run_model.c -o run_model -lrgnn_runtime
//   ./run_model rgcn.rgnn N F E x.bin edge_index.bin edge_type.bin
//
// prints the result, a row a line, with the digits that a float32 needs.
//
//===----------------------------------------------------------------------===//

#include <rgnn/runtime.h>
#include <stdio.h>
#include <stdlib.h>

static void fail(const char *message) {
  fprintf(stderr, "%s\n", message);
  exit(1);
}

/// Every function that can fail says why.
static void check(int32_t status) {
  if (status != RGNN_OK)
    fail(rgnn_last_error());
}

/// A contiguous tensor from a file of plain numbers.
static DLTensor readTensor(const char *path, uint8_t code, uint8_t bits,
                           int64_t *shape, int32_t rank) {
  size_t size = bits / 8;
  for (int32_t i = 0; i < rank; ++i)
    size *= (size_t)shape[i];
  DLTensor tensor = {0};
  tensor.data = malloc(size ? size : 1);
  tensor.device.device_type = kDLCPU;
  tensor.dtype = (DLDataType){code, bits, 1};
  tensor.ndim = rank;
  tensor.shape = shape;
  FILE *file = fopen(path, "rb");
  if (!file || !tensor.data || fread(tensor.data, 1, size, file) != size)
    fail(path);
  fclose(file);
  return tensor;
}

int main(int argc, char **argv) {
  if (argc != 8)
    fail("expected: run_model MODEL N F E X EDGE_INDEX EDGE_TYPE");

  RgnnModel *model;
  check(rgnn_model_open(argv[1], &model));
  const RgnnCallInfo *info = rgnn_model_call(model, 0);
  if (!info || info->function < 0 || info->num_inputs != 3 ||
      info->num_derived || info->num_drawn)
    fail("expected a model of x, edge_index and edge_type alone");

  // What the function reads: the arguments of the model, in the order of
  // info->input_names, then tensors of the file, which are used where they lie.
  int64_t nodes = atoll(argv[2]), width = atoll(argv[3]),
          edges = atoll(argv[4]);
  int64_t shapes[][2] = {{nodes, width}, {2, edges}, {edges}};
  DLTensor arguments[] = {readTensor(argv[5], kDLFloat, 32, shapes[0], 2),
                          readTensor(argv[6], kDLInt, 64, shapes[1], 2),
                          readTensor(argv[7], kDLInt, 64, shapes[2], 1)};
  int32_t numInputs = info->num_inputs + info->num_tensors;
  const DLTensor **inputs = malloc((size_t)numInputs * sizeof(*inputs));
  for (int32_t i = 0; i < info->num_inputs; ++i)
    inputs[i] = &arguments[i];
  for (int32_t i = 0; i < info->num_tensors; ++i)
    inputs[info->num_inputs + i] =
        rgnn_model_tensor(model, info->tensor_names[i]);

  // The code, and the graphs: both serve any number of calls.
  RgnnModule *module;
  check(rgnn_model_load(model, info->function, &module));
  int32_t numGraphs = rgnn_module_num_graphs(module);
  RgnnGraph **graphs = malloc((size_t)numGraphs * sizeof(*graphs));
  check(rgnn_module_make_graphs(module, inputs, numInputs, graphs));

  // A call, which says how large its result is before it runs.
  RgnnCall *call;
  check(rgnn_call_begin(module, graphs, numGraphs, inputs, numInputs, &call));
  const DLTensor *output = rgnn_call_output(call, 0);
  if (rgnn_module_num_outputs(module) != 1 || output->ndim != 2 ||
      output->dtype.code != kDLFloat || output->dtype.bits != 32)
    fail("expected a model with one result, a float32 matrix");
  int64_t rows = output->shape[0], columns = output->shape[1];
  float *result = malloc((size_t)(rows * columns + 1) * sizeof(float));
  void *outputs[] = {result};
  check(rgnn_call_run(call, outputs, 1));
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column < columns; ++column)
      printf("%.9g%c", result[row * columns + column],
             column + 1 < columns ? ' ' : '\n');

  rgnn_call_end(call);
  for (int32_t i = 0; i < numGraphs; ++i)
    rgnn_graph_destroy(graphs[i]);
  rgnn_module_unload(module);
  rgnn_model_close(model);
  free(result);
  free(graphs);
  free(inputs);
  for (int i = 0; i < 3; ++i)
    free(arguments[i].data);
  return 0;
}
