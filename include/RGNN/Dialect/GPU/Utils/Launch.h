//===- Launch.h - launches, and what they take from the host ----*- C++ -*-===//

#ifndef RGNN_DIALECT_GPU_UTILS_LAUNCH_H
#define RGNN_DIALECT_GPU_UTILS_LAUNCH_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::rgnn {

/// A launch of `blocks` by `threads`; `builder` goes into it. Behind a
/// condition that there are blocks, unless that is known.
gpu::LaunchOp enterLaunch(ImplicitLocOpBuilder &builder, ArrayRef<Value> blocks,
                          ArrayRef<int64_t> threads);

/// A buffer in the shared memory of a launch.
Value addSharedBuffer(gpu::LaunchOp launch, ArrayRef<int64_t> sizes, Type type,
                      Location loc);

/// The bytes of a kernel's argument of type `type`.
int64_t getArgumentBytes(Type type);

/// The op that makes `memref`, if a kernel can: a view that needs nothing but
/// the buffer, or a global.
Operation *getSinkable(Value memref);
/// What a launch that reads `memref` takes from the host once what kernels can
/// make has sunk into it.
Value getCaptured(Value memref);

/// `location` under a name, and the shapes of buffers behind it.
Location nameLocation(Location location, const Twine &name,
                      ValueRange buffers = {});

//===----------------------------------------------------------------------===//
// Several dimensions as one
//===----------------------------------------------------------------------===//

/// The sizes of the dimensions `first` to `last` (not included) of `buffer`.
SmallVector<Value> getSizes(ImplicitLocOpBuilder &builder, Value buffer,
                            int64_t first, int64_t last);
/// 1 for no sizes.
Value multiply(ImplicitLocOpBuilder &builder, ValueRange sizes);
/// The indices that `number` stands for, the last of which changes first.
SmallVector<Value> delinearize(ImplicitLocOpBuilder &builder, Value number,
                               ValueRange sizes);

} // namespace mlir::rgnn

#endif // RGNN_DIALECT_GPU_UTILS_LAUNCH_H
