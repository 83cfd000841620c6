//===- Check.cpp - evaluation of expectations -----------------------------===//

#include "Frame.h"

#include <cmath>

using namespace mlir;
using namespace mlir::rgnn;
using namespace mlir::rgnn::reference;

static LogicalResult compare(Operation *op, const Tensor &got,
                             const Tensor &expected, double tolerance) {
  if (got.shape != expected.shape)
    return op->emitOpError() << "expected shape " << formatShape(expected.shape)
                             << ", got " << formatShape(got.shape);
  auto bound = [&](double value) {
    return tolerance * std::max(1.0, std::abs(value));
  };
  if (auto difference = findDifference(got, expected, bound))
    return op->emitOpError()
           << "expected " << formatNumber(difference->expected) << " at "
           << formatIndex(difference->index) << ", got "
           << formatNumber(difference->got);
  return success();
}

namespace mlir::rgnn::reference {

static LogicalResult evaluateOp(check::ExpectAlmostEqConstOp op, Frame &frame) {
  const Tensor &value = frame.tensor(op.getValue());
  FailureOr<Tensor> expected = makeConstant(op, op.getExpected());
  if (failed(expected))
    return failure();
  return compare(op, value, *expected, op.getTolerance().convertToDouble());
}

static LogicalResult evaluateOp(check::ExpectAlmostEqOp op, Frame &frame) {
  const Tensor &value = frame.tensor(op.getValue());
  const Tensor &expected = frame.tensor(op.getExpected());
  return compare(op, value, expected, op.getTolerance().convertToDouble());
}

void attachCheckEvaluations(MLIRContext *context) {
  attach<check::ExpectAlmostEqConstOp, check::ExpectAlmostEqOp>(context);
}

} // namespace mlir::rgnn::reference
