//===- Distribution.h - what lanes can have elements of ---------*- C++ -*-===//

#ifndef RGNN_LIB_CONVERSION_HETKERNELTOGPU_TRAVERSALS_DISTRIBUTION_H
#define RGNN_LIB_CONVERSION_HETKERNELTOGPU_TRAVERSALS_DISTRIBUTION_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::hetkernel {

/// Whether `op` itself takes or makes vectors.
bool hasVectors(Operation *op);

/// Whether a warp whose lanes have elements of vectors, or a thread by itself,
/// can run this op of an iteration.
bool isDistributable(Operation *op);

/// Whether a warp can run an iteration of `loop`, the elements of whose vectors
/// are distributed over its lanes, and these have enough to do.
bool canDistribute(scf::ForallOp loop);

} // namespace mlir::hetkernel

#endif // RGNN_LIB_CONVERSION_HETKERNELTOGPU_TRAVERSALS_DISTRIBUTION_H
