//===- LinearMaps.h - maps that add up multiples of rows --------*- C++ -*-===//

#ifndef RGNN_DIALECT_RGNN_ANALYSIS_LINEARMAPS_H
#define RGNN_DIALECT_RGNN_ANALYSIS_LINEARMAPS_H

#include "RGNN/Dialect/RGNN/IR/RGNN.h"

namespace mlir::rgnn {

/// A multiple of a tensor, in a sum.
struct Term {
  Value value;
  double factor;
};

/// What maps add up to give `rows`, down to what no map adds up and to what
/// `isLeaf` holds for. Terms may be broadcast in the sum.
SmallVector<Term> getTerms(Value rows, function_ref<bool(Value)> isLeaf);

/// The sum of `terms`, as `type`.
Value addUp(OpBuilder &builder, Location loc, ArrayRef<Term> terms, Type type);

} // namespace mlir::rgnn

#endif // RGNN_DIALECT_RGNN_ANALYSIS_LINEARMAPS_H
