//===- HetKernelToSCF.h - from kernels to loops and vectors -----*- C++ -*-===//

#ifndef RGNN_CONVERSION_HETKERNELTOSCF_HETKERNELTOSCF_H
#define RGNN_CONVERSION_HETKERNELTOSCF_HETKERNELTOSCF_H

#include "RGNN/Dialect/HetKernel/IR/HetKernel.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/Pass.h"

namespace mlir::hetkernel {

/// How the loops of a traversal run; see its schedules. One task where it
/// computes less than `serialBelow` elements, if that is not 0.
struct TraverseLoops {
  int64_t taskRows = 1;
  Mapping mapping = Mapping::Vertex;
  int64_t coarsening = 1;
  bool hoisting = true, partialAggregation = true;
  int64_t prefetch = 0, serialBelow = 0;
};

/// Replaces a traversal on buffers by a parallel loop over its tasks, which it
/// returns. `numTemporaries` grows by the buffers that this took. On failure an
/// error was reported.
FailureOr<scf::ForallOp> lowerTraverse(TraverseOp traverse,
                                       const TraverseLoops &loops,
                                       int64_t &numTemporaries);

/// How the loops of a ranking run: a task for each segment and column, or for
/// several segments, one where `serialBelow`, if that is not 0, is more than
/// what is computed.
struct RankLoops {
  bool isByColumn = false;
  int64_t serialBelow = 0;
};

/// Replaces a ranking on buffers by a parallel loop over its tasks.
/// `numTemporaries` grows by the buffers that this took. On failure an error
/// was reported.
LogicalResult lowerRank(RankOp rank, const RankLoops &loops,
                        int64_t &numTemporaries);

} // namespace mlir::hetkernel

namespace mlir::rgnn {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "RGNN/Conversion/HetKernelToSCF/Passes.h.inc"

} // namespace mlir::rgnn

#endif // RGNN_CONVERSION_HETKERNELTOSCF_HETKERNELTOSCF_H
