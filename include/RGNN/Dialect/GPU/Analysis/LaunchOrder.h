//===- LaunchOrder.h - which launches become one ----------------*- C++ -*-===//

#ifndef RGNN_DIALECT_GPU_ANALYSIS_LAUNCHORDER_H
#define RGNN_DIALECT_GPU_ANALYSIS_LAUNCHORDER_H

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::rgnn {

/// What decides which launches can be one, and in which order they come.
struct LaunchUnit {
  int64_t numThreads = 0;
  /// What the kernel takes from the host.
  llvm::SmallSetVector<Value, 8> arguments;
  /// What a block keeps in shared memory, and whether it is what it multiplies.
  SmallVector<MemRefType> shared;
  bool isProduct = false;
  /// Numbers of the units before it that it waits for.
  SmallVector<size_t> before;
  /// How many units wait for it in a row.
  int64_t height = 0;
};

/// The numbers of the units that each launch is made of. Every unit comes after
/// those that it waits for.
SmallVector<SmallVector<size_t>>
orderLaunches(ArrayRef<const LaunchUnit *> units);

} // namespace mlir::rgnn

#endif // RGNN_DIALECT_GPU_ANALYSIS_LAUNCHORDER_H
