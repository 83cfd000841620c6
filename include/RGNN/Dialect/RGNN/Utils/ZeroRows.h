//===- ZeroRows.h - rows that are zero where others are ---------*- C++ -*-===//

#ifndef RGNN_DIALECT_RGNN_UTILS_ZEROROWS_H
#define RGNN_DIALECT_RGNN_UTILS_ZEROROWS_H

#include "RGNN/Dialect/RGNN/IR/RGNN.h"

namespace mlir::rgnn {

/// Whether the rows that `op` computes are zero where those of the operands for
/// which `isZero` holds are, whatever finite numbers the others have.
bool isZeroOfZeros(Operation *op, function_ref<bool(Value)> isZero);

} // namespace mlir::rgnn

#endif // RGNN_DIALECT_RGNN_UTILS_ZEROROWS_H
