//===- ScalarOps.cpp - what is known of the scalar ops of maps ------------===//

#include "RGNN/Dialect/RGNN/IR/ScalarOps.h"

#include "RGNN/Dialect/RGNN/IR/RGNN.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::rgnn;

ScalarFacts rgnn::getScalarFacts(Operation *op) {
#define RGNN_SCALAR_OP(OP, WORK, ROUNDING)                                     \
  if (isa<OP>(op))                                                             \
    return {Work::WORK, Rounding::ROUNDING};
#include "RGNN/Dialect/RGNN/IR/ScalarOps.def"
  return {};
}
