//===- Error.h - Failures of the operators ----------------------*- C++ -*-===//
//
// An operator fails by an exception of the standard library, which PyTorch
// passes on: a RuntimeError in Python, a c10::Error of RGNN/Torch/Module.h.
//
//===----------------------------------------------------------------------===//

#ifndef RGNN_LIB_TORCH_ERROR_H
#define RGNN_LIB_TORCH_ERROR_H

#include "rgnn/runtime.h"
#include <sstream>
#include <stdexcept>

namespace rgnn::libtorch {

/// Throws; the message is all parts, one after another.
template <typename... Parts>
[[noreturn]] void fail(const Parts &...parts) {
  std::ostringstream message;
  (message << ... << parts);
  throw std::runtime_error(message.str());
}

/// Throws what the runtime says where one of its functions failed.
inline void check(int32_t status) {
  if (status != RGNN_OK)
    fail(rgnn_last_error());
}

} // namespace rgnn::libtorch

#endif // RGNN_LIB_TORCH_ERROR_H
