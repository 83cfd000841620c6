//===- Tensors.cpp - Tensors by LibTorch's stable ABI ---------------------===//

#include "Tensors.h"
#include "Error.h"
#include <cstring>

using namespace rgnn;
using namespace rgnn::libtorch;

namespace {
struct Dtype {
  int32_t torch;
  DLDataType dlpack;
  const char *name;
};
} // namespace

static const std::array<Dtype, 10> &dtypes() {
  static const std::array<Dtype, 10> table = {{
      {aoti_torch_dtype_float32(), {kDLFloat, 32, 1}, "float32"},
      {aoti_torch_dtype_float64(), {kDLFloat, 64, 1}, "float64"},
      {aoti_torch_dtype_float16(), {kDLFloat, 16, 1}, "float16"},
      {aoti_torch_dtype_bfloat16(), {kDLBfloat, 16, 1}, "bfloat16"},
      {aoti_torch_dtype_int64(), {kDLInt, 64, 1}, "int64"},
      {aoti_torch_dtype_int32(), {kDLInt, 32, 1}, "int32"},
      {aoti_torch_dtype_int16(), {kDLInt, 16, 1}, "int16"},
      {aoti_torch_dtype_int8(), {kDLInt, 8, 1}, "int8"},
      {aoti_torch_dtype_uint8(), {kDLUInt, 8, 1}, "uint8"},
      {aoti_torch_dtype_bool(), {kDLBool, 8, 1}, "bool"},
  }};
  return table;
}

/// Null for what no compiled code reads, e.g. complex numbers.
static const Dtype *findDtype(const Tensor &tensor) {
  int32_t number;
  STABLE_TORCH_ERROR_CODE_CHECK(aoti_torch_get_dtype(tensor.get(), &number));
  for (const Dtype &dtype : dtypes())
    if (dtype.torch == number)
      return &dtype;
  return nullptr;
}

static const Dtype &dtypeOf(DLDataType type) {
  for (const Dtype &dtype : dtypes())
    if (dtype.dlpack.code == type.code && dtype.dlpack.bits == type.bits)
      return dtype;
  fail("expected an element type of PyTorch, got code ", int(type.code), ", ",
       int(type.bits), " bits");
}

static const Dtype &dtypeOf(const std::string &name) {
  for (const Dtype &dtype : dtypes())
    if (name == dtype.name)
      return dtype;
  fail("expected the name of an element type, got '", name, "'");
}

bool libtorch::hasDtype(const Tensor &tensor, const std::string &name) {
  const Dtype *dtype = findDtype(tensor);
  return dtype && name == dtype->name;
}

static DLDevice deviceOf(const Tensor &tensor) {
  int32_t type;
  STABLE_TORCH_ERROR_CODE_CHECK(
      aoti_torch_get_device_type(tensor.get(), &type));
  if (type == aoti_torch_device_type_cpu())
    return {kDLCPU, 0};
  if (type == aoti_torch_device_type_cuda())
    return {kDLCUDA, tensor.get_device_index()};
  return {kDLExtDev, 0};
}

bool libtorch::isDense(const Tensor &tensor) {
  int32_t layout;
  STABLE_TORCH_ERROR_CODE_CHECK(aoti_torch_get_layout(tensor.get(), &layout));
  return layout == aoti_torch_layout_strided();
}

DLTensor libtorch::describe(const Tensor &tensor, const char *name) {
  if (!isDense(tensor))
    fail("'", name, "': expected a dense tensor, got a sparse one");
  const Dtype *dtype = findDtype(tensor);
  if (!dtype)
    fail("'", name,
         "': expected real numbers, integers or bools, got another "
         "element type");
  DLTensor described = {};
  described.dtype = dtype->dlpack;
  described.device = deviceOf(tensor);
  described.ndim = static_cast<int32_t>(tensor.dim());
  described.shape = const_cast<int64_t *>(tensor.sizes().data());
  described.strides = const_cast<int64_t *>(tensor.strides().data());
  // Only read: a tensor that shares its memory until it is written stays so.
  described.data = const_cast<void *>(tensor.const_data_ptr());
  return described;
}

static Tensor allocate(const Dtype &dtype, const int64_t *shape, int64_t rank) {
  std::vector<int64_t> strides(rank);
  int64_t step = 1;
  for (int64_t dim = rank; dim-- > 0; step *= std::max<int64_t>(1, shape[dim]))
    strides[dim] = step;
  AtenTensorHandle handle;
  STABLE_TORCH_ERROR_CODE_CHECK(
      aoti_torch_empty_strided(rank, shape, strides.data(), dtype.torch,
                               aoti_torch_device_type_cpu(), 0, &handle));
  return Tensor(handle);
}

Tensor libtorch::makeEmpty(const DLTensor &like) {
  return allocate(dtypeOf(like.dtype), like.shape, like.ndim);
}

Tensor libtorch::makeEmpty(const std::string &dtype,
                           const std::vector<int64_t> &shape) {
  return allocate(dtypeOf(dtype), shape.data(), shape.size());
}

Tensor libtorch::makeCopy(const DLTensor &tensor) {
  Tensor copy = makeEmpty(tensor);
  const size_t bytes = copy.numel() * (tensor.dtype.bits / 8);
  if (bytes)
    std::memcpy(copy.mutable_data_ptr(),
                static_cast<const char *>(tensor.data) + tensor.byte_offset,
                bytes);
  return copy;
}

Tensor libtorch::takeOver(DLManagedTensorVersioned *managed) {
  const DLTensor &tensor = managed->dl_tensor;
  AtenTensorHandle handle;
  STABLE_TORCH_ERROR_CODE_CHECK(torch_from_blob(
      tensor.data, tensor.ndim, tensor.shape, tensor.strides, 0,
      dtypeOf(tensor.dtype).torch, aoti_torch_device_type_cpu(), -1, &handle,
      aoti_torch_layout_strided(), nullptr, 0,
      [](void *, void *owned) {
        auto *managed = static_cast<DLManagedTensorVersioned *>(owned);
        managed->deleter(managed);
      },
      managed));
  return Tensor(handle);
}
