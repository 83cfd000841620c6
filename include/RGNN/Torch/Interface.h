//===- Interface.h - Between librgnn_torch.so and Module.h ------*- C++ -*-===//

#ifndef RGNN_TORCH_INTERFACE_H
#define RGNN_TORCH_INTERFACE_H

#include <cstdint>

/// Grows when the operators of torch.ops.rgnn_module change.
#define RGNN_TORCH_VERSION 1

/// The version that the library has. That it is called is also what keeps the
/// library among those that a program is linked with: operators are found by
/// their names alone.
extern "C" __attribute__((visibility("default"))) int32_t
rgnn_torch_version(void);

namespace rgnn::libtorch {

/// What rgnn_module::parameters says of each tensor.
enum ParameterKind : int64_t {
  Buffer = 0,
  Parameter = 1,
  ParameterWithGradient = 2,
  /// One before it, by a second name.
  Same = 3,
};

} // namespace rgnn::libtorch

#endif // RGNN_TORCH_INTERFACE_H
