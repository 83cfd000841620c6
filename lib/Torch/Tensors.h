//===- Tensors.h - Tensors by LibTorch's stable ABI -------------*- C++ -*-===//
//
// Everything here is made of C functions that PyTorch 2.11 has and later ones
// keep, so that one build of the library runs with all of them.
//
//===----------------------------------------------------------------------===//

#ifndef RGNN_LIB_TORCH_TENSORS_H
#define RGNN_LIB_TORCH_TENSORS_H

#include "rgnn/runtime.h"

// The first version of PyTorch that the library runs with. Behind dlpack.h:
// PyTorch's copy of it refuses to be read where this is defined.
#define TORCH_TARGET_VERSION 0x020b000000000000
#include <torch/csrc/stable/library.h>
#include <torch/csrc/stable/tensor.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace rgnn::libtorch {

using torch::stable::Tensor;

/// The tensor as the runtime reads it, valid as long as it lives. Fails, by the
/// name given, where it has no strides or an element type that no code reads.
DLTensor describe(const Tensor &tensor, const char *name);
/// Whether it has strides: no sparse tensor, none of another library.
bool isDense(const Tensor &tensor);
/// Whether its elements are of the type of this name: "float32".
bool hasDtype(const Tensor &tensor, const std::string &name);

/// A contiguous tensor on the CPU, its numbers not set. `dtype` is the name of
/// one of PyTorch's.
Tensor makeEmpty(const DLTensor &like);
Tensor makeEmpty(const std::string &dtype, const std::vector<int64_t> &shape);
/// A copy of a contiguous tensor that is not PyTorch's.
Tensor makeCopy(const DLTensor &tensor);
/// A tensor that owns `tensor`.
Tensor takeOver(DLManagedTensorVersioned *tensor);

/// Calls an operator of PyTorch that gives one value.
template <typename Result, typename... Args>
Result callTorch(const char *name, const char *overload, const Args &...args) {
  std::array<StableIValue, std::max<size_t>(1, sizeof...(Args))> stack{
      torch::stable::detail::from(args)...};
  if (torch_call_dispatcher(name, overload, stack.data(), TORCH_ABI_VERSION) !=
      TORCH_SUCCESS)
    throw std::runtime_error(std::string(name) + " failed");
  return torch::stable::detail::to<Result>(stack[0]);
}

inline Tensor makeContiguous(const Tensor &tensor) {
  const auto contiguous = torch::headeronly::MemoryFormat::Contiguous;
  return callTorch<Tensor>("aten::contiguous", "", tensor, contiguous);
}

} // namespace rgnn::libtorch

#endif // RGNN_LIB_TORCH_TENSORS_H
