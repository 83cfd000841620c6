//===- EraseDead.h - what a rewrite leaves behind ---------------*- C++ -*-===//

#ifndef RGNN_DIALECT_RGNN_UTILS_ERASEDEAD_H
#define RGNN_DIALECT_RGNN_UTILS_ERASEDEAD_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseSet.h"

namespace mlir::rgnn {

/// Erases `op`, if nothing reads it, and what it alone was computed from. Notes
/// in `erased` what is no more.
void eraseDead(Operation *op, DenseSet<Operation *> &erased);

} // namespace mlir::rgnn

#endif // RGNN_DIALECT_RGNN_UTILS_ERASEDEAD_H
