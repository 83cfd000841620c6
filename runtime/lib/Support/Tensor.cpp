//===- Tensor.cpp - Reading of DLPack tensors -----------------------------===//

#include "Support/Tensor.h"
#include "Support/Error.h"

using namespace rgnn;

namespace {
struct NamedType {
  const char *name;
  DLDataType dtype;
};
} // namespace

static constexpr NamedType namedTypes[] = {
    {"float32", {kDLFloat, 32, 1}}, {"float64", {kDLFloat, 64, 1}},
    {"float16", {kDLFloat, 16, 1}}, {"bfloat16", {kDLBfloat, 16, 1}},
    {"int64", {kDLInt, 64, 1}},     {"int32", {kDLInt, 32, 1}},
    {"int16", {kDLInt, 16, 1}},     {"int8", {kDLInt, 8, 1}},
    {"uint8", {kDLUInt, 8, 1}},     {"bool", {kDLBool, 8, 1}},
};

std::string rgnn::dtypeName(DLDataType dtype) {
  for (const NamedType &named : namedTypes)
    if (named.dtype == dtype)
      return named.name;
  if (dtype.code == kDLComplex)
    return "complex" + std::to_string(dtype.bits);
  return "element type (code " + std::to_string(dtype.code) + ", " +
         std::to_string(dtype.bits) + " bits)";
}

DLDataType rgnn::parseDtype(const std::string &name) {
  for (const NamedType &named : namedTypes)
    if (name == named.name)
      return named.dtype;
  fail(RGNN_LOAD_FAILED, "expected the name of an element type, got '", name,
       "'");
}

std::string rgnn::deviceName(DLDevice device) {
  switch (device.device_type) {
  case kDLCPU:
    return "cpu";
  case kDLCUDA:
    return "cuda:" + std::to_string(device.device_id);
  default:
    return "device type " + std::to_string(device.device_type);
  }
}

std::string rgnn::shapeText(const int64_t *shape, int32_t rank) {
  std::string text = "[";
  for (int32_t i = 0; i < rank; ++i)
    text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + "]";
}

int64_t rgnn::numElements(const DLTensor &tensor) {
  int64_t count = 1;
  for (int32_t i = 0; i < tensor.ndim; ++i)
    count *= tensor.shape[i];
  return count;
}

uint64_t rgnn::paddedBytes(const DLTensor &tensor) {
  const uint64_t alignment = 64;
  const uint64_t bytes = numElements(tensor) * (tensor.dtype.bits / 8);
  return (bytes + alignment - 1) / alignment * alignment;
}

int64_t rgnn::stride(const DLTensor &tensor, int32_t dim) {
  if (tensor.strides)
    return tensor.strides[dim];
  int64_t stride = 1;
  for (int32_t i = dim + 1; i < tensor.ndim; ++i)
    stride *= tensor.shape[i];
  return stride;
}

bool rgnn::isContiguous(const DLTensor &tensor) {
  if (!tensor.strides)
    return true;
  int64_t expected = 1;
  bool contiguous = true;
  for (int32_t i = tensor.ndim - 1; i >= 0; --i) {
    if (tensor.shape[i] == 0)
      return true;
    contiguous &= tensor.shape[i] == 1 || tensor.strides[i] == expected;
    expected *= tensor.shape[i];
  }
  return contiguous;
}

bool rgnn::isAlignedForGPU(const void *data) {
  return reinterpret_cast<uintptr_t>(data) % gpuAlignment == 0;
}

void rgnn::checkReadable(const DLTensor &tensor, const std::string &name) {
  if (tensor.device.device_type != kDLCPU &&
      tensor.device.device_type != kDLCUDAHost)
    failInput(name, ": expected a tensor on cpu, got one on ",
              deviceName(tensor.device));
  if (!tensor.data && numElements(tensor) > 0)
    failInput(name, ": expected a tensor with data, got one without (a fake "
                    "tensor, or a subclass that keeps its data elsewhere)");
}
