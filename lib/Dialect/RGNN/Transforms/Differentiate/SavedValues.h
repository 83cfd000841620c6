//===- SavedValues.h - what a backward pass gets of its forward -*- C++ -*-===//

#ifndef RGNN_LIB_DIALECT_RGNN_TRANSFORMS_DIFFERENTIATE_SAVEDVALUES_H
#define RGNN_LIB_DIALECT_RGNN_TRANSFORMS_DIFFERENTIATE_SAVEDVALUES_H

#include "RGNN/Dialect/RGNN/IR/RGNN.h"

namespace mlir::rgnn {

/// Whether the result holds what the operands hold, in other places.
bool isMovement(Operation *op);

/// Whether the gradient of a maximum or minimum compares `value` with it, to
/// see which rows it was taken from. Computed again, in another kernel, a value
/// may differ in its last bit, and then it would be from none.
bool isCompared(Value value);

/// The ops of `forward` whose results it keeps for the backward, which follows
/// it and has no dead ops; what the others make it computes again. With
/// `recompute`, those are only what maxima are taken of.
SmallVector<Operation *> chooseSaved(ArrayRef<Operation *> forward,
                                     bool recompute);

} // namespace mlir::rgnn

#endif // RGNN_LIB_DIALECT_RGNN_TRANSFORMS_DIFFERENTIATE_SAVEDVALUES_H
