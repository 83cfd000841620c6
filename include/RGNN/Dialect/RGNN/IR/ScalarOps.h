//===- ScalarOps.h - what is known of the scalar ops of maps ----*- C++ -*-===//

#ifndef RGNN_DIALECT_RGNN_IR_SCALAROPS_H
#define RGNN_DIALECT_RGNN_IR_SCALAROPS_H

#include "RGNN/Dialect/RGNN/IR/Compute.h"

namespace mlir::rgnn {

/// What two kernels that compute the same make of an op's result.
enum class Rounding {
  Exact,      ///< the number next to the true one, in vectors or not
  Step,       ///< the same, and operands are rounded before
  Product,    ///< that, unless a sum that reads it is rounded with it, as one
  Approximate ///< numbers that differ in their last bits
};

struct ScalarFacts {
  Work work = Work::Light;
  Rounding rounding = Rounding::Approximate;
};

/// What is known of an op of arith, of math, or the end of a map.
ScalarFacts getScalarFacts(Operation *op);

} // namespace mlir::rgnn

#endif // RGNN_DIALECT_RGNN_IR_SCALAROPS_H
