//===- WeightProducts.h - weights and biases of chains ----------*- C++ -*-===//

#ifndef RGNN_DIALECT_RGNN_UTILS_WEIGHTPRODUCTS_H
#define RGNN_DIALECT_RGNN_UTILS_WEIGHTPRODUCTS_H

#include "RGNN/Dialect/RGNN/Analysis/LinearChain.h"

namespace mlir::rgnn {

/// A weight or a bias, of the types of `index` first.
struct Factor {
  Value value;
  TypeIndex index;
};

/// The weight of `first` whose columns are those of rows behind `steps`:
/// `[types, in, columns...]`, and heads before `in` where rows of `x` have
/// them.
Factor getWeight(OpBuilder &builder, Location loc, const FirstProduct &first,
                 ArrayRef<Operation *> steps);

/// All that is added to these columns: `[types, columns...]` each.
SmallVector<Factor> getBiases(OpBuilder &builder, Location loc,
                              const FirstProduct &first,
                              ArrayRef<Operation *> steps);

/// One for each weight of `second`, instead of one for each node type at an end
/// of edges.
void expandToEdgeTypes(OpBuilder &builder, Location loc, Factor &factor,
                       Operation *second);

/// The columns of the weight of `linear` that `slice`, if any, asks for.
Value sliceWeight(OpBuilder &builder, LinearOp linear, SliceOp slice);

/// The sum over `k` of products of elements of two tensors without rows, whose
/// dimensions are named by letters: of `tiAk` and `tAkn` for `tiAn` it is one
/// product of matrices for each `t` and `A`.
Value contract(OpBuilder &builder, Location loc, Value lhs, StringRef left,
               Value rhs, StringRef right, StringRef result);

Value reshapePlain(OpBuilder &builder, Location loc, Value tensor,
                   ArrayRef<int64_t> shape);

} // namespace mlir::rgnn

#endif // RGNN_DIALECT_RGNN_UTILS_WEIGHTPRODUCTS_H
