//===- CloneSlice.h - copies of what a value is made of ---------*- C++ -*-===//

#ifndef RGNN_SUPPORT_CLONESLICE_H
#define RGNN_SUPPORT_CLONESLICE_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

namespace mlir::rgnn {

/// Clones what `value` is computed from, but for what `mapping` knows, to the
/// builder's position.
Value cloneSlice(OpBuilder &builder, Value value, IRMapping &mapping);

} // namespace mlir::rgnn

#endif // RGNN_SUPPORT_CLONESLICE_H
