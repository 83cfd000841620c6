//===- RGNNCosts.cpp - the operations and traffic of ops ------------------===//
//
// Zhang et al. (MLSys 2022) count a multiplication and an addition as two
// operations, what a concatenation writes as its operations, and nothing for
// movement. Of a map, arithmetic counts: to compare, to choose and to convert
// does not, so that LeakyReLU is one product.
//
//===----------------------------------------------------------------------===//

#include "RGNN/Dialect/RGNN/IR/RGNN.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/CastInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::rgnn;

static int64_t getLastSize(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getShape().back();
}

int64_t rgnn::getElementBytes(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getElementTypeBitWidth() / 8;
}

//===----------------------------------------------------------------------===//
// Bytes that are read
//===----------------------------------------------------------------------===//

int64_t rgnn::countBytesOfOperands(Operation *op, SizeFn size) {
  int64_t bytes = 0;
  llvm::SmallSetVector<Value, 4> operands(op->operand_begin(),
                                          op->operand_end());
  for (Value operand : operands)
    if (isa<RankedTensorType>(operand.getType()))
      bytes += size(operand) * getElementBytes(operand);
  return bytes;
}

/// One row for each that the result has.
int64_t GatherOp::countBytesRead(SizeFn size) {
  return size(getResult()) * getElementBytes(getResult());
}

/// One row for each that the result has, or for each basis of it.
int64_t LookupOp::countBytesRead(SizeFn size) {
  int64_t elements = size(getResult());
  if (Value comp = getComp())
    elements = elements * getLastSize(comp) + size(comp);
  return elements * getElementBytes(getResult());
}

/// The sum of a group is complete before its first row can be divided.
int64_t GroupSoftmaxOp::countBytesRead(SizeFn size) {
  return 2 * countBytesOfOperands(*this, size);
}

//===----------------------------------------------------------------------===//
// Products and sums
//===----------------------------------------------------------------------===//

int64_t LinearOp::countOperations(SizeFn size) {
  return 2 * size(getX()) * getLastSize(getResult());
}

int64_t TypedLinearOp::countOperations(SizeFn size) {
  return 2 * size(getX()) * getLastSize(getResult());
}

int64_t MatmulOp::countOperations(SizeFn size) {
  return 2 * size(getLhs()) * getLastSize(getRhs());
}

int64_t OuterSumOp::countOperations(SizeFn size) {
  return 2 * size(getX()) * getLastSize(getY());
}

int64_t TypedOuterSumOp::countOperations(SizeFn size) {
  return 2 * size(getX()) * getLastSize(getY());
}

int64_t DotOp::countOperations(SizeFn size) { return 2 * size(getLhs()); }

int64_t SumRowsOp::countOperations(SizeFn size) { return size(getX()); }

int64_t LookupSumOp::countOperations(SizeFn size) { return size(getRows()); }

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

int64_t MapOp::countOperations(SizeFn size) {
  int64_t count =
      llvm::count_if(getBody().front().without_terminator(), [](Operation &op) {
        return isa<FloatType>(op.getResult(0).getType()) &&
               !isa<arith::ConstantOp, arith::SelectOp, CastOpInterface>(op);
      });
  return count * size(getResult());
}

/// A mean divides what it has summed.
static int64_t countReduction(int64_t from, int64_t to, Reduction kind) {
  return from + (kind == Reduction::Mean ? to : 0);
}

int64_t ReduceOp::countOperations(SizeFn size) {
  return countReduction(size(getRows()), size(getResult()), getKind());
}

int64_t ReduceFeaturesOp::countOperations(SizeFn size) {
  return countReduction(size(getX()), size(getResult()), getKind());
}

/// Maximum, difference, exponential, sum and quotient.
static constexpr int64_t kSoftmaxOperations = 5;

int64_t SoftmaxOp::countOperations(SizeFn size) {
  return kSoftmaxOperations * size(getResult());
}

int64_t GroupSoftmaxOp::countOperations(SizeFn size) {
  return kSoftmaxOperations * size(getResult());
}

int64_t ConcatOp::countOperations(SizeFn size) { return size(getResult()); }

int64_t ConcatTypesOp::countOperations(SizeFn size) {
  return size(getResult());
}

int64_t ConcatRowsOp::countOperations(SizeFn size) { return size(getResult()); }

int64_t LookupOp::countOperations(SizeFn size) {
  return getComp() ? 2 * getLastSize(getComp()) * size(getResult()) : 0;
}

int64_t GatherOp::countOperations(SizeFn) { return 0; }

int64_t DegreeOp::countOperations(SizeFn) { return 0; }
