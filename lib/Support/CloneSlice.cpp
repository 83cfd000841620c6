//===- CloneSlice.cpp - copies of what a value is made of -----------------===//

#include "RGNN/Support/CloneSlice.h"

using namespace mlir;

Value rgnn::cloneSlice(OpBuilder &builder, Value value, IRMapping &mapping) {
  if (Value known = mapping.lookupOrNull(value))
    return known;
  Operation *op = value.getDefiningOp();
  for (Value operand : op->getOperands())
    cloneSlice(builder, operand, mapping);
  builder.clone(*op, mapping);
  return mapping.lookup(value);
}
