//===- CheckDialect.cpp - registration and verifiers of the check dialect -===//

#include "RGNN/Dialect/Check/IR/Check.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::rgnn::check;

#include "RGNN/Dialect/Check/IR/CheckDialect.cpp.inc"

#define GET_OP_CLASSES
#include "RGNN/Dialect/Check/IR/CheckOps.cpp.inc"

void CheckDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "RGNN/Dialect/Check/IR/CheckOps.cpp.inc"
      >();
}

static LogicalResult verifyTolerance(Operation *op, const APFloat &tolerance) {
  if (tolerance.isNaN() || tolerance.isNegative())
    return op->emitOpError() << "expected a tolerance of at least 0, got "
                             << tolerance.convertToDouble();
  return success();
}

LogicalResult ExpectAlmostEqConstOp::verify() {
  // C1
  if (!getExpected().getElementType().isIntOrIndexOrFloat())
    return emitOpError() << "expected numbers, got " << getExpected().getType();
  // C2
  return verifyTolerance(*this, getTolerance());
}

// C1
LogicalResult ExpectAlmostEqOp::verify() {
  return verifyTolerance(*this, getTolerance());
}
