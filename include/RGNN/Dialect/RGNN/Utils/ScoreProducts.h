//===- ScoreProducts.h - scores of products of rows -------------*- C++ -*-===//

#ifndef RGNN_DIALECT_RGNN_UTILS_SCOREPRODUCTS_H
#define RGNN_DIALECT_RGNN_UTILS_SCOREPRODUCTS_H

#include "RGNN/Dialect/RGNN/IR/RGNN.h"

namespace mlir::rgnn {

/// A number for each head of a product of rows: its inner product with one row
/// for all rows, or for all of a type, as attention scores of nodes are.
class ScoreOfProduct {
public:
  ReduceFeaturesOp sum;
  /// LinearOp or TypedLinearOp; nothing else reads its rows.
  Operation *product;
  /// Without rows; of types first where `type` says which.
  Value factor;
  std::optional<Path> type;
  /// Of the types.
  Value graph;

  static std::optional<ScoreOfProduct> match(ReduceFeaturesOp sum);

  /// The same numbers, of a product by the weight's inner products.
  Value multiplyWeight(OpBuilder &builder);

private:
  int64_t countFactors() const;
  /// Whether the factor has a number for each of a row, or for each of a head
  /// that all heads share.
  bool isOfHeads();
  bool isOfAll();
};

} // namespace mlir::rgnn

#endif // RGNN_DIALECT_RGNN_UTILS_SCOREPRODUCTS_H
