//===- Compute.h - how ops of the rgnn dialect are computed -----*- C++ -*-===//
//
// What `ComputeOpInterface` answers with. Passes ask the op; none lists ops.
//
//===----------------------------------------------------------------------===//

#ifndef RGNN_DIALECT_RGNN_IR_COMPUTE_H
#define RGNN_DIALECT_RGNN_IR_COMPUTE_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace mlir::rgnn {

/// How kernels compute an op. An op none of whose tensors has rows is computed
/// on whole tensors instead.
enum class KernelForm {
  Boundary, ///< no kernel: graphs are made, rows enter or leave
  Load,     ///< no kernel of its own: what reads the result moves rows itself
  View,     ///< at most a copy: rows that exist already, one after another
  Row,      ///< a loop over rows: row `i` depends on row `i` of the operands
  Table,    ///< a loop over rows: row `i` depends on the type and ends of `i`
  Group,    ///< a loop over rows around one over the rows that lead to each
  Product,  ///< a GEMM: row `i` times a weight
  Sum       ///< a sum of rows, or of their products, over many rows
};
StringRef stringifyKernelForm(KernelForm form);

/// What a result takes, beside storing and loading it.
enum class Work {
  View,  ///< nothing: the same numbers at the same places
  Copy,  ///< nothing but its numbers' way from other places
  Light, ///< less than to store and load it: what reads it may compute it again
  Heavy  ///< more than that: a product, or a reduction
};
StringRef stringifyWork(Work work);

/// The number of elements of a tensor on the graph at hand.
using SizeFn = function_ref<int64_t(Value)>;

/// The bytes of the tensors that an op reads.
int64_t countBytesOfOperands(Operation *op, SizeFn size);

/// A dimension of an operand that a contraction sums over.
struct Summed {
  unsigned operand;
  int64_t dim;
};

} // namespace mlir::rgnn

#endif // RGNN_DIALECT_RGNN_IR_COMPUTE_H
