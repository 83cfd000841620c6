//===- SumOfProducts.h - products of rows that are added up -----*- C++ -*-===//

#ifndef RGNN_DIALECT_RGNN_ANALYSIS_SUMOFPRODUCTS_H
#define RGNN_DIALECT_RGNN_ANALYSIS_SUMOFPRODUCTS_H

#include "RGNN/Dialect/RGNN/Analysis/RowOrigins.h"
#include "RGNN/Support/Remarks.h"

namespace mlir::rgnn {

/// A sum of rows on edges for nodes, or pairs, of which a product by the type
/// of the edge makes each.
struct SumOfProducts {
  ReduceOp sum;
  /// Scales and reshapes between the product and the sum, the last first.
  SmallVector<Operation *> steps;
  /// Of them, scales by one number for each edge, as attention has it.
  DenseSet<Operation *> scalesOfEdges;
  TypedLinearOp product;
  /// Why rows cannot be summed before they are multiplied.
  Refusal refusal;
  /// Whether the only reason is that something else reads them, too.
  bool isOnlyShared = false;

  static std::optional<SumOfProducts> match(ReduceOp sum, RowOrigins &origins);

  /// The factor of a scale among `steps`.
  static Value getFactor(Operation *scale);

  /// Sums rows for each end and type before it multiplies them, once for each
  /// such pair. Erases what it replaces; gives the sums.
  Value aggregateFirst(RowOrigins &origins);
};

} // namespace mlir::rgnn

#endif // RGNN_DIALECT_RGNN_ANALYSIS_SUMOFPRODUCTS_H
