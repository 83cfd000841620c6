//===- ApproximateExp.h - exp of f64 as a polynomial ------------*- C++ -*-===//

#ifndef RGNN_LIB_TRANSFORMS_APPROXIMATEEXP_H
#define RGNN_LIB_TRANSFORMS_APPROXIMATEEXP_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::rgnn {

/// Adds a pattern that writes `math.exp` of f64, and of vectors of it, as a
/// polynomial; upstream has one for f32 alone.
void populateApproximateExpPatterns(RewritePatternSet &patterns);

} // namespace mlir::rgnn

#endif // RGNN_LIB_TRANSFORMS_APPROXIMATEEXP_H
