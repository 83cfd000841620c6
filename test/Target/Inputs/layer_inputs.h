/* The layer's inputs on a graph of three nodes, and how calls fail. */

#include "layer.h"

#include <stdio.h>
#include <stdlib.h>

static void check(int32_t status) {
  if (status == RGNN_OK)
    return;
  fprintf(stderr, "%s\n", rgnn_last_error());
  exit(1);
}

static DLTensor view(void *data, DLDeviceType device, uint8_t code,
                     uint8_t bits, int32_t ndim, int64_t *shape) {
  DLTensor tensor = {0};
  tensor.data = data;
  tensor.device.device_type = device;
  tensor.ndim = ndim;
  tensor.dtype.code = code;
  tensor.dtype.bits = bits;
  tensor.dtype.lanes = 1;
  tensor.shape = shape;
  return tensor;
}

static float x[] = {1, 2, 3, 4, 5, 6};
static int64_t edge_index[] = {0, 2, 1, 1, 1, 0}, edge_type[] = {0, 1, 0};
static float weight[] = {1, 0, 0, 1, /* and swapped */ 0, 1, 1, 0};
static int64_t x_shape[] = {3, 2}, edges_shape[] = {2, 3}, types_shape[] = {3},
               weight_shape[] = {2, 2, 2};

/* Numbers are on `device`; edges are where graphs are made, on the processor.
 */
static void make_inputs(DLTensor *tensors, const DLTensor **inputs,
                        DLDeviceType device) {
  tensors[LAYER_INPUT_X] = view(x, device, kDLFloat, 32, 2, x_shape);
  tensors[LAYER_INPUT_EDGE_INDEX] =
      view(edge_index, kDLCPU, kDLInt, 64, 2, edges_shape);
  tensors[LAYER_INPUT_EDGE_TYPE] =
      view(edge_type, kDLCPU, kDLInt, 64, 1, types_shape);
  tensors[LAYER_INPUT_CONV_WEIGHT] =
      view(weight, device, kDLFloat, 32, 3, weight_shape);
  for (int i = 0; i < LAYER_NUM_INPUTS; ++i)
    inputs[i] = &tensors[i];
}
