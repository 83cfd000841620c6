//===- LaunchDependences.h - which launches wait for which ------*- C++ -*-===//

#ifndef RGNN_DIALECT_GPU_ANALYSIS_LAUNCHDEPENDENCES_H
#define RGNN_DIALECT_GPU_ANALYSIS_LAUNCHDEPENDENCES_H

#include "RGNN/Analysis/BufferAccess.h"
#include "RGNN/Dialect/GPU/Analysis/LaunchOrder.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

#include <vector>

namespace mlir::rgnn {

/// A launch, and what it depends on.
struct DependentLaunch : LaunchUnit {
  gpu::LaunchOp launch;
  /// The launch, or the condition that it has blocks.
  Operation *op;
  BufferAccesses accesses;
};

/// The launches of a function, and what its host does beside them.
struct LaunchDependences {
  /// Fails where the function has more than one block, or an op whose effects
  /// are not known. O(n^2) in the number of launches.
  static FailureOr<LaunchDependences> compute(func::FuncOp function);

  /// In the order of the function; each waits for some before it.
  std::vector<DependentLaunch> launches;
  /// Allocations, and ops without effects.
  SmallVector<Operation *> hostOps;
  SmallVector<memref::DeallocOp> deallocs;

  /// The numbers of the launches that become one each, see `orderLaunches`.
  SmallVector<SmallVector<size_t>> order() const;
};

} // namespace mlir::rgnn

#endif // RGNN_DIALECT_GPU_ANALYSIS_LAUNCHDEPENDENCES_H
