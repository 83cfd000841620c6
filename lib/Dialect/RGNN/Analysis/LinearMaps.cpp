//===- LinearMaps.cpp - maps that add up multiples of rows ----------------===//

#include "RGNN/Dialect/RGNN/Analysis/LinearMaps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::rgnn;

/// What each operand of a map is multiplied with, and last the number that is
/// added.
using Factors = SmallVector<double>;

static bool isNumber(const Factors &factors) {
  return llvm::all_of(ArrayRef(factors).drop_back(),
                      [](double factor) { return factor == 0; });
}

static Factors scale(Factors factors, double by) {
  for (double &factor : factors)
    factor *= by;
  return factors;
}

static Factors add(Factors a, const Factors &b) {
  for (auto [sum, other] : llvm::zip(a, b))
    sum += other;
  return a;
}

/// The factors of a scalar of a map's region, given those of the operands;
/// nothing if it is not a sum of multiples.
static std::optional<Factors>
combine(Operation *scalar, ArrayRef<Factors> operands, size_t numFactors) {
  return llvm::TypeSwitch<Operation *, std::optional<Factors>>(scalar)
      .Case([&](arith::ConstantOp op) -> std::optional<Factors> {
        auto number = dyn_cast<FloatAttr>(op.getValue());
        if (!number)
          return std::nullopt;
        Factors factors(numFactors, 0);
        factors.back() = number.getValueAsDouble();
        return factors;
      })
      .Case([&](arith::AddFOp) { return add(operands[0], operands[1]); })
      .Case([&](arith::SubFOp) {
        return add(operands[0], scale(operands[1], -1));
      })
      .Case([&](arith::NegFOp) { return scale(operands[0], -1); })
      .Case([&](arith::MulFOp) -> std::optional<Factors> {
        if (isNumber(operands[1]))
          return scale(operands[0], operands[1].back());
        if (isNumber(operands[0]))
          return scale(operands[1], operands[0].back());
        return std::nullopt;
      })
      .Case([&](arith::DivFOp) -> std::optional<Factors> {
        if (isNumber(operands[1]) && operands[1].back() != 0)
          return scale(operands[0], 1 / operands[1].back());
        return std::nullopt;
      })
      .Default(std::nullopt);
}

/// The factors of a map that adds up multiples of its operands, and no number.
static std::optional<Factors> getFactors(MapOp map) {
  Block &body = map.getBody().front();
  size_t numFactors = body.getNumArguments() + 1;
  DenseMap<Value, Factors> known;
  for (BlockArgument argument : body.getArguments()) {
    Factors factors(numFactors, 0);
    factors[argument.getArgNumber()] = 1;
    known[argument] = factors;
  }
  for (Operation &scalar : body.without_terminator()) {
    auto operands = llvm::map_to_vector(
        scalar.getOperands(), [&](Value operand) { return known[operand]; });
    if (llvm::any_of(operands, [](const Factors &x) { return x.empty(); }))
      return std::nullopt;
    std::optional<Factors> factors = combine(&scalar, operands, numFactors);
    if (!factors)
      return std::nullopt;
    known[scalar.getResult(0)] = *factors;
  }
  Factors result = known.lookup(body.getTerminator()->getOperand(0));
  if (result.pop_back_val() != 0)
    return std::nullopt;
  return result;
}

static void collectTerms(Value rows, double factor,
                         function_ref<bool(Value)> isLeaf,
                         SmallVectorImpl<Term> &terms) {
  auto map = rows.getDefiningOp<MapOp>();
  std::optional<Factors> factors =
      map && getRows(rows.getType()) && !isLeaf(rows) ? getFactors(map)
                                                      : std::nullopt;
  if (!factors) {
    terms.push_back({rows, factor});
    return;
  }
  for (auto [input, own] : llvm::zip(map.getInputs(), *factors))
    if (own != 0)
      collectTerms(input, factor * own, isLeaf, terms);
}

SmallVector<Term> rgnn::getTerms(Value rows, function_ref<bool(Value)> isLeaf) {
  SmallVector<Term> terms;
  collectTerms(rows, 1, isLeaf, terms);
  return terms;
}

Value rgnn::addUp(OpBuilder &builder, Location loc, ArrayRef<Term> terms,
                  Type type) {
  SmallVector<Value> values;
  for (Term term : terms)
    values.push_back(term.value);
  return MapOp::create(
      builder, loc, type, values,
      [&](OpBuilder &inner, Location loc, ValueRange x) -> Value {
        Value sum;
        for (auto [value, term] : llvm::zip(x, terms)) {
          if (sum && term.factor == -1) {
            sum = arith::SubFOp::create(inner, loc, sum, value);
            continue;
          }
          Value scaled = value;
          if (term.factor != 1)
            scaled = arith::MulFOp::create(
                inner, loc, value,
                arith::ConstantOp::create(
                    inner, loc,
                    inner.getFloatAttr(value.getType(), term.factor)));
          sum = sum ? arith::AddFOp::create(inner, loc, sum, scaled) : scaled;
        }
        return sum;
      });
}
