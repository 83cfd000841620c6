//===- SavedValues.cpp - what a backward pass gets of its forward ---------===//
//
// An op that reads a row for each row that it makes costs as much to repeat as
// its result costs to store and load. Products and sums cost more, but on
// weights, of which there are few.
//
//===----------------------------------------------------------------------===//

#include "SavedValues.h"

using namespace mlir;
using namespace mlir::rgnn;

bool rgnn::isWorthSaving(Operation *op) {
  return isa<LinearOp, TypedLinearOp, DotOp, ReduceOp, GroupSoftmaxOp,
             ReduceFeaturesOp, SoftmaxOp>(op) &&
         getRows(op->getResult(0).getType());
}
