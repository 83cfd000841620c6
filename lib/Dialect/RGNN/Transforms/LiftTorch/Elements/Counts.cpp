//===- Counts.cpp - integers that are computed of truth values ------------===//
//
// Rows hold floats. Integers that are computed of comparisons, such as how many
// numbers of a row are positive, are held as floats of the same values, where
// all that reads them computes floats or compares:
//
//   Before:  %m = gt(%x, 0)
//            %n = _to_copy(%m, int64)
//            %k = sum(%n, [1], true) : tensor<?x1xi64>
//            %y = mul(%x, %k)
//   After:   %n = _to_copy(%m, float32)
//            %k = sum(%n, [1], true) : tensor<?x1xf32>
//            %y = mul(%x, %k)
//
// Sums are of numbers of one row: it has fewer than a float counts.
//
//===----------------------------------------------------------------------===//

#include "Truths.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"

#include <cmath>

using namespace mlir;
using namespace mlir::rgnn;
using namespace mlir::rgnn::lift;

using Integers = llvm::SetVector<TorchOp>;

/// Operators that compute the same of integers and of floats with their values.
static constexpr StringRef exact[] = {
    "aten.add.Tensor",  "aten.add.Scalar", "aten.sub.Tensor", "aten.sub.Scalar",
    "aten.rsub.Scalar", "aten.mul.Tensor", "aten.mul.Scalar", "aten.clamp",
    "aten.clamp_min",   "aten.clamp_max",  "aten.neg",        "aten.abs",
    "aten.maximum",     "aten.minimum"};

/// The largest number that counts are scaled or shifted by.
static constexpr double kLargest = 64;

static constexpr StringRef reductions[] = {"aten.sum.dim_IntList", "aten.amax",
                                           "aten.amin"};

static bool isReduction(TorchOp op) {
  return llvm::is_contained(reductions, op.getName());
}

static bool isConversion(TorchOp op) {
  return isCopy(op.getName()) && op->getNumOperands() == 1;
}

/// Whether an operator computes an element of its result of those of its
/// operands.
static bool isElementwise(StringRef name) {
  static const llvm::StringSet<> names = [] {
    llvm::StringSet<> result;
    auto add = [&](StringRef name, ElementRule) { result.insert(name); };
    addScalarRules(add);
    addActivationRules(add);
    addSelectionRules(add);
    return result;
  }();
  return names.contains(name);
}

/// Operators that give zeros and ones of zeros and ones.
static constexpr StringRef closed[] = {"aten.mul.Tensor", "aten.maximum",
                                       "aten.minimum", "aten.amax",
                                       "aten.amin"};

/// Whether no value of the type that the operator can give is beyond it: small
/// integers hold zeros and ones.
static bool fits(TorchOp op, IntegerType type) {
  return type.getWidth() >= 32 || isMover(op.getName()) ||
         (isConversion(op) && isTruth(op->getOperand(0))) ||
         (llvm::is_contained(closed, op.getName()) &&
          (op->getNumOperands() == 2 || isReduction(op)) &&
          llvm::all_of(op->getOperandTypes(), [](Type operand) {
            return getElementTypeOrSelf(operand).getIntOrFloatBitWidth() < 32;
          }));
}

/// Whether an operator computes integers of truth values, or of integers that
/// are computed so.
static bool computesIntegers(TorchOp op, const Integers &integers) {
  StringRef name = op.getName();
  if (op->getNumResults() == 0 || op->getNumOperands() == 0)
    return false;
  for (Value result : op->getResults()) {
    auto type = dyn_cast<IntegerType>(getElementTypeOrSelf(result));
    if (!type || type.getWidth() == 1 || !fits(op, type))
      return false;
  }
  if (!isMover(name) && !isConversion(op) && !llvm::is_contained(exact, name) &&
      !isReduction(op))
    return false;
  // Larger numbers could make integers that a float does not count to.
  Arguments arguments(op);
  if (llvm::is_contained(exact, name))
    for (unsigned i = 1; i < op.getArgs().size(); ++i)
      if (std::abs(arguments.number(i).value_or(0)) > kLargest)
        return false;
  // Others than the first are lists of rows or places.
  bool hasList = isGather(name) || name == "aten.gather";
  if (!llvm::all_of(
          op->getOperands().take_front(hasList ? 1 : ~0u), [&](Value operand) {
            auto source = operand.getDefiningOp<TorchOp>();
            return source && (isTruth(operand) ? getTruth(operand) != TorchOp()
                                               : integers.contains(source));
          }))
    return false;
  auto numDynamic = [](Value value) {
    return cast<RankedTensorType>(value.getType()).getNumDynamicDims();
  };
  return !isReduction(op) ||
         numDynamic(op.getResult(0)) == numDynamic(op->getOperand(0));
}

/// Whether the reader of an integer may read a float with its value.
static bool readsAsNumber(OpOperand &use, const Integers &integers) {
  auto op = dyn_cast<TorchOp>(use.getOwner());
  if (!op || op->getNumResults() != 1)
    return op && integers.contains(op);
  bool hasList = isGather(op.getName()) || op.getName() == "aten.gather";
  if (hasList && use.getOperandNumber() > 0)
    return false;
  if (integers.contains(op))
    return true;
  Type element = getElementTypeOrSelf(op.getResult(0));
  if (isa<FloatType>(element))
    return isElementwise(op.getName());
  return element.isInteger(1) &&
         (comparesNumbers(op.getName()) || isConversion(op));
}

static Integers findIntegers(Block &block) {
  Integers integers;
  for (TorchOp op : block.getOps<TorchOp>())
    if (computesIntegers(op, integers))
      integers.insert(op);
  while (true) {
    Integers left;
    for (TorchOp op : integers)
      if (computesIntegers(op, left) &&
          llvm::all_of(op->getResults(), [&](Value result) {
            return llvm::all_of(result.getUses(), [&](OpOperand &use) {
              return readsAsNumber(use, integers);
            });
          }))
        left.insert(op);
    if (left.size() == integers.size())
      return integers;
    integers = std::move(left);
  }
}

/// What tells the type of integers says nothing of floats.
static void dropType(TorchOp sum) {
  SmallVector<Attribute> arguments(sum.getArgs().getValue());
  if (arguments.size() > 3)
    arguments[3] = UnitAttr::get(sum.getContext());
  sum.setArgsAttr(ArrayAttr::get(sum.getContext(), arguments));
}

/// Truth values of integers are those that are not zero.
static void compareWithZero(TorchOp conversion) {
  OpBuilder builder(conversion);
  TorchOp truth =
      createUnary(builder, "aten.ne.Scalar", conversion->getOperand(0),
                  builder.getI1Type(), builder.getI64IntegerAttr(0));
  conversion.getResult(0).replaceAllUsesWith(truth.getResult(0));
  conversion.erase();
}

void lift::holdCountsAsFloats(Block &block) {
  Integers integers = findIntegers(block);
  FloatType element = Float32Type::get(block.getParentOp()->getContext());
  for (TorchOp op : integers)
    for (Value operand : op->getOperands())
      if (isTruth(operand) && getComparedType(getTruth(operand)).isF64())
        element = Float64Type::get(op.getContext());
  for (TorchOp op : integers) {
    if (op.getName() == "aten.sum.dim_IntList")
      dropType(op);
    readNumbers(op, element);
    for (Value result : op->getResults())
      setElement(result, element);
  }
  for (TorchOp op : integers) {
    for (Operation *user : llvm::to_vector(op->getUsers()))
      if (auto read = dyn_cast<TorchOp>(user);
          read && isConversion(read) && isTruth(read.getResult(0)))
        compareWithZero(read);
    if (!isConversion(op))
      continue;
    op.getResult(0).replaceAllUsesWith(op->getOperand(0));
    op.erase();
  }
}
