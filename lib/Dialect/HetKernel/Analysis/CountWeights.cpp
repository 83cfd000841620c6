//===- CountWeights.cpp - what is done on weights alone -------------------===//

#include "RGNN/Dialect/HetKernel/Analysis/Traffic.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::hetkernel;

/// Bytes of a tensor of static shape, else none.
static std::optional<int64_t> getBytes(Value tensor) {
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  if (!type || !type.hasStaticShape())
    return std::nullopt;
  return type.getNumElements() * type.getElementTypeBitWidth() / 8;
}

static int64_t countOperations(linalg::LinalgOp op) {
  int64_t each = 0;
  for (Operation &inner : op.getBlock()->without_terminator())
    each += inner.getNumResults() == 1 &&
            isa<FloatType>(inner.getResult(0).getType());
  int64_t times = 1;
  for (int64_t range : op.getStaticLoopRanges())
    times *= range;
  return times * each;
}

SmallVector<Traffic> hetkernel::countWeights(Operation *function) {
  SmallVector<Traffic> found;
  function->walk([&](Operation *op) {
    if (!isa<linalg::LinalgOp, tensor::ConcatOp>(op) || isa<linalg::FillOp>(op))
      return;
    Traffic &traffic = found.emplace_back();
    for (Value operand : op->getOperands())
      traffic.bytesRead += getBytes(operand).value_or(0);
    std::optional<int64_t> written = getBytes(op->getResult(0));
    if (!written) {
      found.pop_back();
      return;
    }
    traffic.bytesWritten = *written;
    if (auto structured = dyn_cast<linalg::LinalgOp>(op)) {
      // What is but written is an operand, too.
      for (OpOperand &out : structured.getDpsInitsMutable())
        if (!structured.payloadUsesValueFromOperand(&out))
          traffic.bytesRead -= getBytes(out.get()).value_or(0);
      traffic.operations = countOperations(structured);
    }
    traffic.bytesNeeded = traffic.bytesRead + traffic.bytesWritten;
  });
  return found;
}
