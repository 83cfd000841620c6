//===- Joins.h - sums of rows that do not overlap ---------------*- C++ -*-===//

#ifndef RGNN_LIB_DIALECT_RGNN_IR_CANONICALISE_JOINS_H
#define RGNN_LIB_DIALECT_RGNN_IR_CANONICALISE_JOINS_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::rgnn {

/// Sums of joined rows with zeros where the other has something else become one
/// join: gradients of rows of one node type, and of slices.
void populateJoinPatterns(RewritePatternSet &patterns);

} // namespace mlir::rgnn

#endif // RGNN_LIB_DIALECT_RGNN_IR_CANONICALISE_JOINS_H
