//===- LaunchDependences.h - which launches wait for which ------*- C++ -*-===//

#ifndef RGNN_DIALECT_GPU_ANALYSIS_LAUNCHDEPENDENCES_H
#define RGNN_DIALECT_GPU_ANALYSIS_LAUNCHDEPENDENCES_H

#include "RGNN/Dialect/GPU/Analysis/LaunchOrder.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

#include <vector>

namespace mlir::rgnn {

/// The part of a buffer that a launch reads or writes; all of it if `part` is
/// null. Arguments of a function and allocations do not overlap, except for
/// those that are only read.
struct BufferAccess {
  Value buffer;
  memref::SubViewOp part;

  explicit BufferAccess(Value memref);
  bool operator==(const BufferAccess &other) const {
    return buffer == other.buffer && part == other.part;
  }
  bool meets(const BufferAccess &other) const;
};

/// A launch, and what it depends on.
struct DependentLaunch : LaunchUnit {
  gpu::LaunchOp launch;
  /// The launch, or the condition that it has blocks.
  Operation *op;
  SmallVector<BufferAccess> reads, writes;

  bool waitsFor(const DependentLaunch &before) const;
  bool uses(Value buffer) const;
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
