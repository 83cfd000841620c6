//===- ScalarOps.h - what is known of the scalar ops of maps ----*- C++ -*-===//

#ifndef RGNN_DIALECT_RGNN_IR_SCALAROPS_H
#define RGNN_DIALECT_RGNN_IR_SCALAROPS_H

#include "RGNN/Dialect/RGNN/IR/Compute.h"

namespace mlir::rgnn {

/// How far the results of an op agree in two kernels that compute it.
enum class Rounding {
  Exact,      ///< correctly rounded; a sum may be contracted with a product
  Step,       ///< correctly rounded, and so are its operands before
  Product,    ///< correctly rounded, unless contracted with a sum that reads it
  Approximate ///< may differ in the last bits
};

struct ScalarFacts {
  Work work = Work::Light;
  Rounding rounding = Rounding::Approximate;
};

/// What is known of an op of arith, of math, or the end of a map.
ScalarFacts getScalarFacts(Operation *op);

} // namespace mlir::rgnn

#endif // RGNN_DIALECT_RGNN_IR_SCALAROPS_H
