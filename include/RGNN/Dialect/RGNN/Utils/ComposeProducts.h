//===- ComposeProducts.h - one product of rows for two ----------*- C++ -*-===//

#ifndef RGNN_DIALECT_RGNN_UTILS_COMPOSEPRODUCTS_H
#define RGNN_DIALECT_RGNN_UTILS_COMPOSEPRODUCTS_H

#include "RGNN/Dialect/RGNN/Analysis/LinearChain.h"

namespace mlir::rgnn {

/// The rows that the second product of `chain` makes, of one product of the
/// rows of `first`'s `x`: with the product of both weights, and with each bias
/// times the second weight added. The chain has no reason against it.
Value composeProducts(OpBuilder &builder, const FirstProduct &first,
                      const LinearChain &chain);

/// The sum of rows and others like them, or of one for all of them.
Value addRows(OpBuilder &builder, Location loc, Value rows, Value other);

/// The row of `tensor`, `[types, row...]`, that belongs to the type of each of
/// `rows`.
Value gatherByType(OpBuilder &builder, Location loc, Value tensor,
                   RowsAttr rows, Value graph, Path path);

/// The columns of the rows of `first` that `steps`, biases and a slice, lead
/// to, of a product of their own.
Value computeColumns(OpBuilder &builder, const FirstProduct &first,
                     ArrayRef<Operation *> steps);

} // namespace mlir::rgnn

#endif // RGNN_DIALECT_RGNN_UTILS_COMPOSEPRODUCTS_H
