//===- Places.h - rows that are placed in a graph and back ------*- C++ -*-===//

#ifndef RGNN_LIB_DIALECT_RGNN_IR_CANONICALISE_PLACES_H
#define RGNN_LIB_DIALECT_RGNN_IR_CANONICALISE_PLACES_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::rgnn {

/// What is done to single rows that come from a graph, and go back to it, is
/// done there.
void populatePlacePatterns(RewritePatternSet &patterns);

} // namespace mlir::rgnn

#endif // RGNN_LIB_DIALECT_RGNN_IR_CANONICALISE_PLACES_H
