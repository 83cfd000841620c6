//===- RowOps.h - what definitions of ops on rows share ---------*- C++ -*-===//

#ifndef RGNN_LIB_DIALECT_RGNN_IR_ROWOPS_H
#define RGNN_LIB_DIALECT_RGNN_IR_ROWOPS_H

#include "RGNN/Dialect/RGNN/IR/RGNN.h"

namespace mlir::rgnn {

/// Number of leading dimensions that enumerate rows: 1 or 0.
inline int64_t getRowDims(Type type) { return getRows(type) ? 1 : 0; }

/// `type` with another row shape, and as many rows.
RankedTensorType withRowShape(Type type, ArrayRef<int64_t> rowShape);

/// In kernels: reduces dimension `dim` of a vector, which starts from the
/// kind's neutral element.
Value reduceDim(OpBuilder &builder, Location loc, Value value, int64_t dim,
                Reduction kind);

/// In gradients: those that reshape, count or fill need `sizes`, of `type`.
LogicalResult expectKnown(Operation *op, Type type, ArrayRef<int64_t> sizes);
/// In gradients: `x` with dimension `dim` (counted as in ops) of size 1 put in.
Value insertDim(OpBuilder &builder, Location loc, Value x, int64_t dim);

} // namespace mlir::rgnn

#endif // RGNN_LIB_DIALECT_RGNN_IR_ROWOPS_H
