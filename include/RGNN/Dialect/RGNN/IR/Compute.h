//===- Compute.h - how ops of the rgnn dialect are computed -----*- C++ -*-===//
//
// What ComputeOpInterface counts with; its answers are enums of RGNNAttrs.td.
//
//===----------------------------------------------------------------------===//

#ifndef RGNN_DIALECT_RGNN_IR_COMPUTE_H
#define RGNN_DIALECT_RGNN_IR_COMPUTE_H

#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include "RGNN/Dialect/RGNN/IR/RGNNEnums.h.inc"

namespace mlir::rgnn {

/// The number of elements of a tensor on the graph at hand.
using SizeFn = function_ref<int64_t(Value)>;

/// The bytes of the tensors that an op reads.
int64_t countBytesOfOperands(Operation *op, SizeFn size);

/// The bytes of one element of a tensor.
int64_t getElementBytes(Value tensor);

/// A dimension of an operand that a contraction sums over.
struct Summed {
  unsigned operand;
  int64_t dim;
};

} // namespace mlir::rgnn

#endif // RGNN_DIALECT_RGNN_IR_COMPUTE_H
