//===- Limits.h - what launches may take of a GPU ---------------*- C++ -*-===//

#ifndef RGNN_DIALECT_GPU_UTILS_LIMITS_H
#define RGNN_DIALECT_GPU_UTILS_LIMITS_H

#include <cstdint>

namespace mlir::rgnn {

/// Bytes of shared memory that a block has without asking for more.
constexpr int64_t gpuSharedBytes = 48 * 1024;

/// Bytes of arguments that a kernel can have, from PTX 8.1 on, less what sizes
/// may take that are not counted.
constexpr int64_t maxArgumentBytes = 32 * 1024 - 1024;

/// Tensors that a function gets begin at multiples of so many bytes, as those
/// of PyTorch's allocator do. The runtime sees to it (its `gpuAlignment`): from
/// Python it copies one that does not, else it refuses it. Shared memory begins
/// at such an address, too.
constexpr int64_t tensorAlignment = 16;

} // namespace mlir::rgnn

#endif // RGNN_DIALECT_GPU_UTILS_LIMITS_H
