//===- KnownFinite.cpp - numbers that are never infinite ------------------===//

#include "KnownFinite.h"

#include "RGNN/Dialect/RGNN/IR/RGNN.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace mlir;
using namespace mlir::rgnn;

namespace {

/// Numbers from `low` to `high`, which may be infinite; none is NaN.
struct Interval {
  double low, high;
  bool isInteger = false;
};
using Known = std::optional<Interval>;

/// The scalars of one map. Bodies are short: nothing is kept between calls.
class Body {
public:
  explicit Body(Type type)
      : largest(APFloat::getLargest(cast<FloatType>(type).getFloatSemantics())
                    .convertToDouble()) {}

  void set(Value value, Known interval) { known[value] = interval; }
  Known get(Value value) const;

private:
  Known compute(Operation *op) const;
  Known select(arith::SelectOp op) const;
  /// What is known where `comparison` holds, or does not.
  Body assume(arith::CmpFOp comparison, bool holds) const;

  double largest; // finite number of the type
  DenseMap<Value, Known> known;
};

} // namespace

/// The interval of some numbers, of which none may be NaN.
static Known span(std::initializer_list<double> numbers) {
  for (double number : numbers)
    if (std::isnan(number))
      return std::nullopt;
  return Interval{std::min(numbers), std::max(numbers)};
}

Known Body::get(Value value) const {
  auto it = known.find(value);
  if (it != known.end())
    return it->second;
  return value.getDefiningOp() ? compute(value.getDefiningOp()) : std::nullopt;
}

Known Body::compute(Operation *op) const {
  FloatAttr constant;
  if (matchPattern(op, m_Constant(&constant))) {
    double number = constant.getValueAsDouble();
    return span({number, number});
  }
  if (auto choice = dyn_cast<arith::SelectOp>(op))
    return select(choice);
  SmallVector<Interval, 2> x;
  for (Value operand : op->getOperands()) {
    Known interval = get(operand);
    if (!interval)
      return std::nullopt;
    x.push_back(*interval);
  }
  return TypeSwitch<Operation *, Known>(op)
      .Case([&](arith::AddFOp) {
        return span({x[0].low + x[1].low, x[0].high + x[1].high});
      })
      .Case([&](arith::SubFOp) {
        return span({x[0].low - x[1].high, x[0].high - x[1].low});
      })
      .Case([&](arith::MulFOp) {
        return span({x[0].low * x[1].low, x[0].low * x[1].high,
                     x[0].high * x[1].low, x[0].high * x[1].high});
      })
      .Case([&](arith::DivFOp) -> Known {
        // A zero below could have either sign, unless it is a count.
        if (x[1].low < 0 || (x[1].low == 0 && !x[1].isInteger))
          return std::nullopt;
        return span({x[0].low / x[1].low, x[0].low / x[1].high,
                     x[0].high / x[1].low, x[0].high / x[1].high});
      })
      .Case<arith::MaximumFOp, arith::MaxNumFOp>([&](auto) {
        return Interval{std::max(x[0].low, x[1].low),
                        std::max(x[0].high, x[1].high),
                        x[0].isInteger && x[1].isInteger};
      })
      .Case<arith::MinimumFOp, arith::MinNumFOp>([&](auto) {
        return Interval{std::min(x[0].low, x[1].low),
                        std::min(x[0].high, x[1].high),
                        x[0].isInteger && x[1].isInteger};
      })
      .Case([&](math::SqrtOp) {
        return span({std::sqrt(x[0].low), std::sqrt(x[0].high)});
      })
      .Case([&](math::RsqrtOp) -> Known {
        if (x[0].low < 0 || (x[0].low == 0 && !x[0].isInteger))
          return std::nullopt;
        return span({1 / std::sqrt(x[0].low), 1 / std::sqrt(x[0].high)});
      })
      .Case([&](math::PowFOp) -> Known {
        // Monotonic in a base that is not negative.
        if (x[0].low < 0 || x[1].low != x[1].high ||
            (x[0].low == 0 && !x[0].isInteger))
          return std::nullopt;
        return span(
            {std::pow(x[0].low, x[1].low), std::pow(x[0].high, x[1].low)});
      })
      .Default([](Operation *) { return std::nullopt; });
}

Body Body::assume(arith::CmpFOp comparison, bool holds) const {
  Body body = *this;
  Value value = comparison.getLhs();
  Known x = get(value);
  FloatAttr constant;
  if (!x || !matchPattern(comparison.getRhs(), m_Constant(&constant)))
    return body;
  double bound = constant.getValueAsDouble();
  switch (comparison.getPredicate()) {
  case arith::CmpFPredicate::OGT:
  case arith::CmpFPredicate::UGT:
    if (holds)
      x->low = std::max(x->low, x->isInteger ? std::floor(bound) + 1 : bound);
    else
      x->high = std::min(x->high, bound);
    break;
  case arith::CmpFPredicate::OEQ:
  case arith::CmpFPredicate::UEQ:
  case arith::CmpFPredicate::ONE:
  case arith::CmpFPredicate::UNE: {
    bool isEqual =
        (comparison.getPredicate() == arith::CmpFPredicate::OEQ ||
         comparison.getPredicate() == arith::CmpFPredicate::UEQ) == holds;
    if (isEqual)
      x = Interval{bound, bound, x->isInteger};
    else if (std::isinf(bound) && bound > 0)
      x->high = std::min(x->high, largest);
    else if (x->isInteger && bound == x->low)
      x->low += 1;
    break;
  }
  default:
    break;
  }
  body.set(value, x);
  return body;
}

Known Body::select(arith::SelectOp op) const {
  auto comparison = op.getCondition().getDefiningOp<arith::CmpFOp>();
  auto getBranch = [&](Value value, bool holds) {
    return comparison ? assume(comparison, holds).get(value) : get(value);
  };
  Known yes = getBranch(op.getTrueValue(), true),
        no = getBranch(op.getFalseValue(), false);
  if (!yes || !no)
    return std::nullopt;
  return Interval{std::min(yes->low, no->low), std::max(yes->high, no->high),
                  yes->isInteger && no->isInteger};
}

/// The interval of all elements of a tensor.
static Known getInterval(Value tensor) {
  Operation *op = tensor.getDefiningOp();
  if (isa_and_nonnull<DegreeOp>(op))
    return Interval{0, std::ldexp(1, 62), true};
  if (isa_and_nonnull<ReshapeOp, GatherOp>(op))
    return getInterval(op->getOperand(0));
  auto map = dyn_cast_or_null<MapOp>(op);
  if (!map)
    return std::nullopt;
  Block &block = map.getBody().front();
  Body body(getElementTypeOrSelf(map.getResult().getType()));
  for (auto [argument, input] :
       llvm::zip(block.getArguments(), map.getInputs()))
    body.set(argument, getInterval(input));
  return body.get(block.getTerminator()->getOperand(0));
}

bool rgnn::isKnownFinite(Value tensor, bool inverted) {
  Known x = getInterval(tensor);
  if (!x)
    return false;
  if (inverted)
    return x->low > 0;
  double largest = APFloat::getLargest(
                       cast<FloatType>(getElementTypeOrSelf(tensor.getType()))
                           .getFloatSemantics())
                       .convertToDouble();
  return x->low >= -largest && x->high <= largest;
}
