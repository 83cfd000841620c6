//===- SavedValues.cpp - what a backward pass gets of its forward ---------===//
//
// An op that reads a row for each row that it makes costs as much to repeat as
// its result costs to store and load. Products and sums cost more, but on
// weights, of which there are few. What a maximum was taken of is saved
// whatever it costs.
//
//===----------------------------------------------------------------------===//

#include "SavedValues.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::rgnn;

/// Whether the result holds what the operands hold, in other places.
static bool isMovement(Operation *op) {
  return isa<PlaceOp, UnplaceOp, GatherOp, ConcatTypesOp, SliceTypeOp,
             ReshapeOp, PermuteOp, ConcatOp, SliceOp, tensor::CastOp>(op);
}

/// Whether the gradient of a maximum or minimum compares `value` with it, to
/// see which rows it was taken from. Computed again, in another kernel, a value
/// may differ in its last bit, and then it would be from none.
static bool isCompared(Value value) {
  auto isExtremum = [](Reduction kind) {
    return kind == Reduction::Max || kind == Reduction::Min;
  };
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    if (auto reduce = dyn_cast<ReduceOp>(user))
      return isExtremum(reduce.getKind());
    if (auto reduce = dyn_cast<ReduceFeaturesOp>(user))
      return isExtremum(reduce.getKind());
    return isMovement(user) && isCompared(user->getResult(0));
  });
}

bool rgnn::isWorthSaving(Operation *op) {
  if (op->getNumResults() != 1 || !getRows(op->getResult(0).getType()))
    return false;
  return isa<LinearOp, TypedLinearOp, DotOp, ReduceOp, GroupSoftmaxOp,
             ReduceFeaturesOp, SoftmaxOp>(op) ||
         (!isMovement(op) && isCompared(op->getResult(0)));
}
