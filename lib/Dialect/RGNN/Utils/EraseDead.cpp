//===- EraseDead.cpp - what a rewrite leaves behind -----------------------===//

#include "RGNN/Dialect/RGNN/Utils/EraseDead.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::rgnn;

void rgnn::eraseDead(Operation *op, DenseSet<Operation *> &erased) {
  if (!isOpTriviallyDead(op))
    return;
  SmallVector<Value> operands(op->getOperands());
  erased.insert(op);
  op->erase();
  for (Value operand : operands)
    if (Operation *producer = operand.getDefiningOp();
        producer && !erased.contains(producer))
      eraseDead(producer, erased);
}
