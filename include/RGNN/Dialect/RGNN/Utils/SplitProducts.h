//===- SplitProducts.h - products as sums of products -----------*- C++ -*-===//
//
// A product of rows that come from both ends of an edge cannot be computed for
// nodes, but those of its parts can (Zhang et al., MLSys 2022, sec. 4): columns
// that were joined have rows of the weight to themselves, and a product of a
// sum is the sum of the products.
//
//===----------------------------------------------------------------------===//

#ifndef RGNN_DIALECT_RGNN_UTILS_SPLITPRODUCTS_H
#define RGNN_DIALECT_RGNN_UTILS_SPLITPRODUCTS_H

#include "RGNN/Dialect/RGNN/Analysis/RowOrigins.h"

namespace mlir::rgnn {

struct Split {
  SmallVector<Operation *> products; ///< of parts, on edges
  Value sum;                         ///< what the whole product gives
};

/// Splits a product on edges by what its rows are a function of, before it,
/// where fewer numbers are multiplied once the parts are computed along the
/// first of `paths` that each can be gathered along; else gives nothing.
std::optional<Split> splitProduct(Operation *op, ArrayRef<Path> paths,
                                  RowOrigins &origins);

} // namespace mlir::rgnn

#endif // RGNN_DIALECT_RGNN_UTILS_SPLITPRODUCTS_H
