//===- TypedProducts.h - sums of products by type ---------------*- C++ -*-===//

#ifndef RGNN_LIB_DIALECT_RGNN_IR_CANONICALISE_TYPEDPRODUCTS_H
#define RGNN_LIB_DIALECT_RGNN_IR_CANONICALISE_TYPEDPRODUCTS_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::rgnn {

/// Sums of products of rows and what their type picks become
/// rgnn.typed_linear.
void populateTypedProductPatterns(RewritePatternSet &patterns);

} // namespace mlir::rgnn

#endif // RGNN_LIB_DIALECT_RGNN_IR_CANONICALISE_TYPEDPRODUCTS_H
