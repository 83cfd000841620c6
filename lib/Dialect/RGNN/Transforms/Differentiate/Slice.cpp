//===- Slice.cpp - ops that make a value of others ------------------------===//

#include "Slice.h"

#include "RGNN/Dialect/RGNN/IR/ScalarOps.h"
#include "SavedValues.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::rgnn;

/// Whether the result is the number next to the true one, in vectors or not. On
/// processors a product and the sum that it is a term of may be rounded once,
/// in one kernel and not in the other.
static bool isCorrectlyRounded(Operation &op) {
  auto rounds = [](Operation *user) {
    Rounding rounding = getScalarFacts(user).rounding;
    return rounding == Rounding::Step || rounding == Rounding::Product;
  };
  Rounding own = getScalarFacts(&op).rounding;
  return own == Rounding::Product ? llvm::all_of(op.getUsers(), rounds)
                                  : own != Rounding::Approximate;
}

/// Whether two kernels that compute the result agree in all bits.
static bool isRepeatable(Operation *op) {
  if (auto map = dyn_cast<MapOp>(op))
    return llvm::all_of(map.getBody().front(), isCorrectlyRounded);
  return isMovement(op) || isa<DegreeOp, arith::ConstantOp>(op);
}

/// Whether the result costs about as much to compute as to load. Weights are
/// few.
static bool isCheap(Operation *op) {
  auto hasRows = [](Type type) { return getRows(type) != nullptr; };
  return isMovement(op) || isa<MapOp, DegreeOp>(op) ||
         (llvm::none_of(op->getOperandTypes(), hasRows) &&
          llvm::none_of(op->getResultTypes(), hasRows));
}

/// How far the edges are from a domain: many of them share a row there.
static int getDistanceFromEdges(Domain domain) {
  switch (domain) {
  case Domain::Edge:
    return 0;
  case Domain::SrcPair:
  case Domain::DstPair:
    return 1;
  case Domain::Node:
  case Domain::EType:
  case Domain::NType:
    return 2;
  }
  llvm_unreachable("an unknown domain");
}

Slice::Slice(Value value, bool isExact, IsAtHand isAtHand)
    : value(value), rows(getRows(value.getType())), isExact(isExact),
      isAtHand(isAtHand) {
  visit(value);
}

/// Of rows that are fewer than the value's, only on what is at hand anyway.
bool Slice::canRepeat(Operation *op, bool isOfFew) {
  if (op->getNumResults() != 1 || !isCheap(op) ||
      (isExact && !isRepeatable(op)))
    return false;
  if (!isOfFew)
    return true;
  Slice before(*this);
  for (Value operand : op->getOperands())
    visit(operand);
  bool isAvailable = !refusal && missing.size() == before.missing.size();
  *this = before;
  return isAvailable;
}

void Slice::visit(Value next) {
  if (refusal)
    return;
  if (isa<rgnn::GraphType>(next.getType())) {
    graphs.insert(next);
    return;
  }
  Operation *op = next.getDefiningOp();
  if (leaves.contains(next) || ops.contains(op))
    return;
  // What memory holds is rounded; what the forward computes with is not.
  Type element = getElementTypeOrSelf(next.getType());
  if (op && isa<FloatType>(element) && element.getIntOrFloatBitWidth() < 32) {
    refusal = "numbers of 16 bits are rounded in memory alone";
    return;
  }
  if (!op || isAtHand(next)) {
    leaves.insert(next);
    return;
  }
  RowsAttr own = getRows(next.getType());
  bool isOfFew = own && getDistanceFromEdges(own.getDomain()) >
                            getDistanceFromEdges(rows.getDomain());
  if (canRepeat(op, isOfFew)) {
    for (Value operand : op->getOperands())
      visit(operand);
    ops.insert(op);
  } else if (isOfFew) {
    missing.insert(next);
    leaves.insert(next);
  } else {
    refusal = op->getName().getStringRef() +
              (isCheap(op) ? " may differ in its last bit if computed again"
                           : " costs more to compute than to load");
  }
}

Value Slice::clone(OpBuilder &builder, IRMapping &mapping) const {
  for (Operation *op : ops)
    builder.clone(*op, mapping);
  return mapping.lookup(value);
}
