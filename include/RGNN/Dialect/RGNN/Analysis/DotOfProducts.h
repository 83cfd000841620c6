//===- DotOfProducts.h - products of rows in scores of edges ----*- C++ -*-===//

#ifndef RGNN_DIALECT_RGNN_ANALYSIS_DOTOFPRODUCTS_H
#define RGNN_DIALECT_RGNN_ANALYSIS_DOTOFPRODUCTS_H

#include "RGNN/Dialect/RGNN/Analysis/RowOrigins.h"
#include "RGNN/Support/Remarks.h"

namespace mlir::rgnn {

/// One number for each edge: the inner product of a row of its destination and
/// of one of its source, multiplied by the edge's type.
struct DotOfProducts {
  DotOp dot;
  Value ofDst;
  /// Of the rows of sources; only reshaped before they meet the others.
  TypedLinearOp product;
  /// Why the product must be one of sources, and cannot be one of destinations,
  /// by the transposed weight.
  Refusal refusal;

  static std::optional<DotOfProducts> match(DotOp dot, RowOrigins &origins);

  /// The same number, of the product of rows of destinations.
  Value multiplyDst(OpBuilder &builder);
};

} // namespace mlir::rgnn

#endif // RGNN_DIALECT_RGNN_ANALYSIS_DOTOFPRODUCTS_H
