//===- SoftmaxParts.h - a softmax of what its groups share ------*- C++ -*-===//

#ifndef RGNN_DIALECT_RGNN_UTILS_SOFTMAXPARTS_H
#define RGNN_DIALECT_RGNN_UTILS_SOFTMAXPARTS_H

#include "RGNN/Dialect/RGNN/IR/RGNN.h"

namespace mlir::rgnn {

/// What all edges of a group share: their maximum, and one over the sum of
/// their exponentials.
struct SoftmaxParts {
  Value maximum, reciprocal;
  /// The exponentials of edges, at most one, if they have been computed.
  Value powers;
};

/// The type of each of them.
Type getTypeOfGroups(GroupSoftmaxOp op);

/// What the groups of `op` share.
SoftmaxParts emitParts(OpBuilder &builder, GroupSoftmaxOp op);

/// What `op` makes of `rows`, in `graph`.
Value emitSoftmax(OpBuilder &builder, GroupSoftmaxOp op, Value graph,
                  Value rows, const SoftmaxParts &parts);

} // namespace mlir::rgnn

#endif // RGNN_DIALECT_RGNN_UTILS_SOFTMAXPARTS_H
