//===- run_model.c - A saved module in a program without Python -----------===//
//
// Runs a saved model without PyTorch or the compiler. In Python:
//
//   model = rgnn.compile(RGCN(...))
//   model(x, edge_index, edge_type)   # float32 [N, F], int64 [2, E], int64 [E]
//   model.save("rgcn.rgnn")
//   x.numpy().tofile("x.bin")         # and so on
//
// Then, with an argument for each input of the model, in its order:
//
//   cc run_model.c -o run_model -lrgnn_runtime
//   ./run_model rgcn.rgnn f32:9x16:x.bin i64:2x50:edges.bin i64:50:types.bin
//
// prints the results one after another, a row a line, with the digits that
// their numbers need.
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

enum { kMaxRank = 4 };

/// A contiguous tensor from a file of plain numbers: "f32:100x16:x.bin".
static DLTensor readTensor(const char *text) {
  char type, *rest;
  int bits, length;
  if (sscanf(text, "%c%d:%n", &type, &bits, &length) != 2 ||
      (type != 'f' && type != 'i') || (bits != 32 && bits != 64))
    fail("expected TYPE:SIZExSIZE:FILE with f32, f64, i32 or i64 as type");
  DLTensor tensor = {0};
  tensor.device.device_type = kDLCPU;
  tensor.dtype = (DLDataType){type == 'f' ? kDLFloat : kDLInt, bits, 1};
  tensor.shape = malloc(kMaxRank * sizeof(int64_t));
  size_t size = bits / 8;
  const char *sizes = text + length;
  do {
    int64_t count = strtoll(sizes, &rest, 10);
    if (tensor.ndim == kMaxRank || rest == sizes || count < 0)
      fail("expected at most 4 sizes, as in f32:100x16:x.bin");
    tensor.shape[tensor.ndim++] = count;
    size *= (size_t)count;
    sizes = rest + 1;
  } while (*rest == 'x');
  tensor.data = malloc(size ? size : 1);
  FILE *file = *rest == ':' ? fopen(sizes, "rb") : NULL;
  if (!file || !tensor.data || fread(tensor.data, 1, size, file) != size)
    fail(text);
  fclose(file);
  return tensor;
}

static void print(const DLTensor *tensor, const void *data) {
  int64_t rows = tensor->ndim ? tensor->shape[0] : 1, columns = 1;
  for (int32_t i = 1; i < tensor->ndim; ++i)
    columns *= tensor->shape[i];
  for (int64_t i = 0; i < rows * columns; ++i) {
    char end = (i + 1) % columns ? ' ' : '\n';
    if (tensor->dtype.bits == 64)
      printf("%.17g%c", ((const double *)data)[i], end);
    else
      printf("%.9g%c", ((const float *)data)[i], end);
  }
}

static size_t sizeOf(const DLTensor *tensor) {
  size_t size = tensor->dtype.bits / 8;
  for (int32_t i = 0; i < tensor->ndim; ++i)
    size *= (size_t)tensor->shape[i];
  return size;
}

int main(int argc, char **argv) {
  if (argc < 2)
    fail("expected: run_model MODEL TENSOR...");
  RgnnModel *model;
  check(rgnn_model_open(argv[1], &model));
  const RgnnCallInfo *info = rgnn_model_call(model, 0);
  if (!info || info->function < 0 || info->num_derived || info->num_drawn)
    fail("expected a model of its arguments and weights alone");
  if (argc - 2 != info->num_inputs) {
    fprintf(stderr, "expected %d tensors:", info->num_inputs);
    for (int32_t i = 0; i < info->num_inputs; ++i)
      fprintf(stderr, " %s", info->input_names[i]);
    fail("");
  }

  // What the function reads: the arguments of the model, then tensors of the
  // file, which are used where they lie.
  int32_t numInputs = info->num_inputs + info->num_tensors;
  DLTensor *arguments = malloc((size_t)argc * sizeof(*arguments));
  const DLTensor **inputs = malloc((size_t)(numInputs + 1) * sizeof(*inputs));
  for (int32_t i = 0; i < info->num_inputs; ++i) {
    arguments[i] = readTensor(argv[2 + i]);
    inputs[i] = &arguments[i];
  }
  for (int32_t i = 0; i < info->num_tensors; ++i)
    inputs[info->num_inputs + i] =
        rgnn_model_tensor(model, info->tensor_names[i]);

  // The code, and the graphs: both serve any number of calls.
  RgnnModule *module;
  check(rgnn_model_load(model, info->function, &module));
  int32_t numGraphs = rgnn_module_num_graphs(module);
  RgnnGraph **graphs = malloc((size_t)(numGraphs + 1) * sizeof(*graphs));
  check(rgnn_module_make_graphs(module, inputs, numInputs, graphs));

  // A call, which says how large its results are before it runs.
  RgnnCall *call;
  check(rgnn_call_begin(module, graphs, numGraphs, inputs, numInputs, &call));
  int32_t numOutputs = rgnn_module_num_outputs(module);
  void **outputs = malloc((size_t)(numOutputs + 1) * sizeof(*outputs));
  for (int32_t i = 0; i < numOutputs; ++i) {
    const DLTensor *output = rgnn_call_output(call, i);
    if (output->dtype.code != kDLFloat || output->dtype.bits < 32)
      fail("expected results of float32 or float64");
    outputs[i] = malloc(sizeOf(output) + 1);
  }
  check(rgnn_call_run(call, outputs, numOutputs));
  for (int32_t i = 0; i < numOutputs; ++i)
    print(rgnn_call_output(call, i), outputs[i]);

  rgnn_call_end(call);
  for (int32_t i = 0; i < numGraphs; ++i)
    rgnn_graph_destroy(graphs[i]);
  rgnn_module_unload(module);
  for (int32_t i = 0; i < numOutputs; ++i)
    free(outputs[i]);
  for (int32_t i = 0; i < info->num_inputs; ++i) {
    free(arguments[i].data);
    free(arguments[i].shape);
  }
  rgnn_model_close(model);
  free(outputs);
  free(graphs);
  free(inputs);
  free(arguments);
  return 0;
}
