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
// None may be beyond 2^24, to which a float32 counts: sums are of numbers of
// one row, and the greatest value that each integer can have is known.
//
//===----------------------------------------------------------------------===//

#include "Truths.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"

#include <cmath>

using namespace mlir;
using namespace mlir::rgnn;
using namespace mlir::rgnn::lift;

/// The operators that compute integers of truth values, each with the greatest
/// magnitude of what it computes.
using Integers = llvm::MapVector<TorchOp, double>;

/// Operators that compute the same of integers and of floats with their values.
static constexpr StringRef exact[] = {
    "aten.add.Tensor",  "aten.add.Scalar", "aten.sub.Tensor", "aten.sub.Scalar",
    "aten.rsub.Scalar", "aten.mul.Tensor", "aten.mul.Scalar", "aten.clamp",
    "aten.clamp_min",   "aten.clamp_max",  "aten.neg",        "aten.abs",
    "aten.maximum",     "aten.minimum"};

/// A float32 holds every integer up to this one.
static constexpr double kLargest = 1 << 24;

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

/// How many numbers of the operand a number of the result is computed of, or
/// nothing where that depends on the graph.
static std::optional<double> getReducedCount(TorchOp op) {
  auto from = cast<RankedTensorType>(op->getOperand(0).getType());
  auto to = cast<RankedTensorType>(op.getResult(0).getType());
  if (from.getNumDynamicDims() != to.getNumDynamicDims())
    return std::nullopt;
  double count = 1;
  for (int64_t size : from.getShape())
    count *= ShapedType::isDynamic(size) ? 1 : size;
  for (int64_t size : to.getShape())
    count /= ShapedType::isDynamic(size) ? 1 : std::max<int64_t>(size, 1);
  return count;
}

/// The greatest magnitude of the numbers that an operator computes of operands
/// with the given ones.
static double getMagnitude(TorchOp op, ArrayRef<double> operands) {
  StringRef name = op.getName();
  Arguments arguments(op);
  auto number = [&](unsigned i, double otherwise) {
    return std::max(std::abs(arguments.number(i).value_or(otherwise)), 1.0);
  };
  double sum = llvm::sum_of(operands, 0.0);
  if (name.starts_with("aten.mul."))
    return llvm::product_of(operands, number(1, 1));
  if (name == "aten.sum.dim_IntList")
    return sum * getReducedCount(op).value_or(1);
  if (name.starts_with("aten.clamp"))
    return std::max({sum, number(1, 0), number(2, 0)});
  // alpha * other, where `other` is an operand or a number.
  if (name.starts_with("aten.add.") || name.starts_with("aten.sub.") ||
      name.starts_with("aten.rsub."))
    return (sum + number(1, 0)) * number(2, 1);
  return *llvm::max_element(operands);
}

/// The greatest magnitude of the integers that an operator computes of truth
/// values, or of integers that are computed so; nothing where it does not.
static std::optional<double> computesIntegers(TorchOp op,
                                              const Integers &integers) {
  StringRef name = op.getName();
  if (op->getNumResults() == 0 || op->getNumOperands() == 0)
    return std::nullopt;
  for (Value result : op->getResults()) {
    auto type = dyn_cast<IntegerType>(getElementTypeOrSelf(result));
    if (!type || type.getWidth() == 1 || !fits(op, type))
      return std::nullopt;
  }
  if (!isMover(name) && !isConversion(op) && !llvm::is_contained(exact, name) &&
      !isReduction(op))
    return std::nullopt;
  if (isReduction(op) && !getReducedCount(op))
    return std::nullopt;
  // Others than the first are lists of rows or places.
  bool hasList = isGather(name) || name == "aten.gather";
  SmallVector<double> operands;
  for (Value operand : op->getOperands().take_front(hasList ? 1 : ~0u)) {
    auto source = operand.getDefiningOp<TorchOp>();
    if (source && isTruth(operand) && getTruth(operand) != TorchOp())
      operands.push_back(1);
    else if (auto known = integers.find(source);
             known != integers.end() && !isTruth(operand))
      operands.push_back(known->second);
    else
      return std::nullopt;
  }
  double magnitude = getMagnitude(op, operands);
  return magnitude <= kLargest ? std::optional(magnitude) : std::nullopt;
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
    if (auto magnitude = computesIntegers(op, integers))
      integers.insert({op, *magnitude});
  while (true) {
    Integers left;
    for (auto [op, magnitude] : integers)
      if (computesIntegers(op, left) &&
          llvm::all_of(op->getResults(), [&](Value result) {
            return llvm::all_of(result.getUses(), [&](OpOperand &use) {
              return readsAsNumber(use, integers);
            });
          }))
        left.insert({op, magnitude});
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
  for (TorchOp op : llvm::make_first_range(integers))
    for (Value operand : op->getOperands())
      if (isTruth(operand) && getComparedType(getTruth(operand)).isF64())
        element = Float64Type::get(op.getContext());
  for (TorchOp op : llvm::make_first_range(integers)) {
    if (op.getName() == "aten.sum.dim_IntList")
      dropType(op);
    readNumbers(op, element);
    for (Value result : op->getResults())
      setElement(result, element);
  }
  for (TorchOp op : llvm::make_first_range(integers)) {
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
