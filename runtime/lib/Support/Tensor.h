//===- Tensor.h - Reading of DLPack tensors ---------------------*- C++ -*-===//

#ifndef RGNN_RUNTIME_SUPPORT_TENSOR_H
#define RGNN_RUNTIME_SUPPORT_TENSOR_H

#include "rgnn/runtime.h"
#include <string>

namespace rgnn {

/// PyTorch's name of an element type, e.g. "float32".
std::string dtypeName(DLDataType dtype);
/// Fails on a name that no kernel can read.
DLDataType parseDtype(const std::string &name);

/// "cpu", "cuda:0"
std::string deviceName(DLDevice device);

inline bool operator==(const DLDataType &a, const DLDataType &b) {
  return a.code == b.code && a.bits == b.bits && a.lanes == b.lanes;
}

/// "[2, 17]"
std::string shapeText(const int64_t *shape, int32_t rank);
inline std::string shapeText(const DLTensor &tensor) {
  return shapeText(tensor.shape, tensor.ndim);
}

template <typename T>
T *tensorData(const DLTensor &tensor) {
  return reinterpret_cast<T *>(static_cast<char *>(tensor.data) +
                               tensor.byte_offset);
}

int64_t numElements(const DLTensor &tensor);
/// Bytes from one to the next of several contiguous tensors side by side, each
/// at a multiple of 64.
uint64_t paddedBytes(const DLTensor &tensor);
/// In elements; tensors without strides are contiguous.
int64_t stride(const DLTensor &tensor, int32_t dim);
bool isContiguous(const DLTensor &tensor);

/// Tensors on a GPU begin at multiples of so many bytes, as compiled code takes
/// for granted; a part of a tensor may not.
constexpr uintptr_t gpuAlignment = 16;
bool isAlignedForGPU(const void *data);

/// Fails unless the tensor is in CPU memory and its elements can be read.
void checkReadable(const DLTensor &tensor, const std::string &name);

} // namespace rgnn

#endif // RGNN_RUNTIME_SUPPORT_TENSOR_H
