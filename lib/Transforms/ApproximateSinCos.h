//===- ApproximateSinCos.h - sin and cos as polynomials ---------*- C++ -*-===//

#ifndef RGNN_LIB_TRANSFORMS_APPROXIMATESINCOS_H
#define RGNN_LIB_TRANSFORMS_APPROXIMATESINCOS_H

#include "mlir/IR/Operation.h"

namespace mlir::rgnn {

/// Writes each `math.sin` and `math.cos` of f32 or f64 in `root`, and of
/// vectors of these, as a polynomial. Where an argument is beyond 2^31, ops of
/// single elements are left, for libm.
void approximateSinCos(Operation *root);

} // namespace mlir::rgnn

#endif // RGNN_LIB_TRANSFORMS_APPROXIMATESINCOS_H
