//===- Launches.h - the launches of each kind of kernel ---------*- C++ -*-===//

#ifndef RGNN_LIB_CONVERSION_HETKERNELTOGPU_LAUNCHES_H
#define RGNN_LIB_CONVERSION_HETKERNELTOGPU_LAUNCHES_H

#include "RGNN/Dialect/HetKernel/IR/HetKernel.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::hetkernel {

struct LaunchOptions {
  /// Threads of a block where a schedule does not say.
  int64_t threads;
  /// Whether the GPU copies to shared memory past its registers.
  bool asyncCopies;
  /// Whether it has tensor cores for f32, and whether these may multiply what
  /// they round.
  bool tensorCores, tf32;
};

/// Replaces a kernel on buffers by launches. On failure an error was reported.
LogicalResult launchGemm(GemmOp gemm, const LaunchOptions &options);
LogicalResult launchOuterSum(OuterSumOp sum, const LaunchOptions &options,
                             int64_t &numTemporaries);
LogicalResult launchConcat(ConcatOp concat, const LaunchOptions &options);

/// Replaces all copies and ops of linalg in a function by parallel loops over
/// elements. On failure an error was reported.
LogicalResult spreadElementwise(Operation *function);

/// Replaces a traversal on buffers by a parallel loop over its outer rows, with
/// its schedule, for `launchTasks`. On failure an error was reported.
LogicalResult spreadTraverse(TraverseOp traverse, int64_t &numTemporaries);

struct TaskCounts {
  /// Loops of which a thread has an element of an iteration's vectors, a warp
  /// an iteration, and a block some iterations.
  int64_t spread = 0, warps = 0, blocks = 0;
};

/// Replaces a parallel loop by a launch: a thread for each iteration, a thread
/// for each element of the vectors of an iteration where that is the same
/// computation, or a warp for each iteration. On failure an error was reported.
LogicalResult launchTasks(scf::ForallOp loop, int64_t threads,
                          TaskCounts &counts);

} // namespace mlir::hetkernel

#endif // RGNN_LIB_CONVERSION_HETKERNELTOGPU_LAUNCHES_H
