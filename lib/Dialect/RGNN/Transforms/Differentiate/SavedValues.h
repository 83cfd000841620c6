//===- SavedValues.h - what a backward pass gets of its forward -*- C++ -*-===//

#ifndef RGNN_LIB_DIALECT_RGNN_TRANSFORMS_DIFFERENTIATE_SAVEDVALUES_H
#define RGNN_LIB_DIALECT_RGNN_TRANSFORMS_DIFFERENTIATE_SAVEDVALUES_H

#include "RGNN/Dialect/RGNN/IR/RGNN.h"

namespace mlir::rgnn {

/// Whether the forward keeps the result of `op` for the backward, which
/// otherwise computes it again from what it is made of.
bool isWorthSaving(Operation *op);

} // namespace mlir::rgnn

#endif // RGNN_LIB_DIALECT_RGNN_TRANSFORMS_DIFFERENTIATE_SAVEDVALUES_H
