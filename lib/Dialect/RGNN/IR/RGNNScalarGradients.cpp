//===- RGNNScalarGradients.cpp - gradients of ops of other dialects -------===//
//
// As PyTorch has them where a function has a corner: `relu` passes nothing at
// zero, two equal operands of a maximum get half each, `abs` has no slope at
// zero.
//
//===----------------------------------------------------------------------===//

#include "RGNN/Dialect/RGNN/IR/RGNNGradients.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

#include <cmath>

using namespace mlir;
using namespace mlir::rgnn;

using Result = SmallVector<Value>;

namespace {

/// A scalar in a formula.
class Scalar {
public:
  Scalar(OpBuilder &builder, Location loc, Value value)
      : builder(&builder), loc(loc), value(value) {}

  operator Value() const { return value; }

  Scalar constant(double number) const {
    return with(arith::ConstantOp::create(
        *builder, loc, builder->getFloatAttr(value.getType(), number)));
  }
  template <typename Op>
  Scalar apply() const {
    return with(Op::create(*builder, loc, value));
  }
  Scalar operator+(Scalar other) const { return binary<arith::AddFOp>(other); }
  Scalar operator-(Scalar other) const { return binary<arith::SubFOp>(other); }
  Scalar operator*(Scalar other) const { return binary<arith::MulFOp>(other); }
  Scalar operator/(Scalar other) const { return binary<arith::DivFOp>(other); }
  Scalar operator*(double number) const { return *this * constant(number); }
  Scalar operator+(double number) const { return *this + constant(number); }
  Scalar operator-() const { return apply<arith::NegFOp>(); }
  template <typename Op>
  Scalar binary(Scalar other) const {
    return with(Op::create(*builder, loc, value, other.value));
  }
  /// `yes` where the comparison with `other` holds, else `no`.
  Scalar choose(arith::CmpFPredicate predicate, Scalar other, Scalar yes,
                Scalar no) const {
    Value holds =
        arith::CmpFOp::create(*builder, loc, predicate, value, other.value);
    return with(arith::SelectOp::create(*builder, loc, holds, yes, no));
  }

private:
  Scalar with(Value other) const { return {*builder, loc, other}; }

  OpBuilder *builder;
  Location loc;
  Value value;
};

using P = arith::CmpFPredicate;
/// The gradients of the operands `x`, given the result `y` and its gradient.
using Formula = Result (*)(ArrayRef<Scalar> x, Scalar y, Scalar g);

template <typename Op, Formula formula>
struct Model
    : DifferentiableOpInterface::ExternalModel<Model<Op, formula>, Op> {
  FailureOr<SmallVector<Value>> buildGradients(Operation *op,
                                               OpBuilder &builder,
                                               Value gradient,
                                               ArrayRef<bool> needed) const {
    SmallVector<Scalar> x;
    for (Value operand : op->getOperands())
      x.emplace_back(builder, op->getLoc(), operand);
    Scalar y(builder, op->getLoc(), op->getResult(0)),
        g(builder, op->getLoc(), gradient);
    Result all = formula(x, y, g);
    for (auto [value, isNeeded] : llvm::zip(all, needed))
      if (!isNeeded)
        value = Value();
    return all;
  }
};

/// Casts between types of floats, or of tensors.
template <typename Op, typename Inverse>
struct CastModel
    : DifferentiableOpInterface::ExternalModel<CastModel<Op, Inverse>, Op> {
  FailureOr<SmallVector<Value>> buildGradients(Operation *op,
                                               OpBuilder &builder,
                                               Value gradient,
                                               ArrayRef<bool>) const {
    return Result{Inverse::create(builder, op->getLoc(),
                                  op->getOperand(0).getType(), gradient)};
  }
};

/// Passes the gradient to one of the values that are selected.
struct SelectModel
    : DifferentiableOpInterface::ExternalModel<SelectModel, arith::SelectOp> {
  FailureOr<SmallVector<Value>> buildGradients(Operation *op,
                                               OpBuilder &builder,
                                               Value gradient,
                                               ArrayRef<bool> needed) const {
    Location loc = op->getLoc();
    Value condition = op->getOperand(0);
    Value zero = Scalar(builder, loc, gradient).constant(0);
    auto when = [&](Value yes, Value no) {
      return arith::SelectOp::create(builder, loc, condition, yes, no);
    };
    return Result{Value(), needed[1] ? when(gradient, zero) : Value(),
                  needed[2] ? when(zero, gradient) : Value()};
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// arith
//===----------------------------------------------------------------------===//

static Result add(ArrayRef<Scalar>, Scalar, Scalar g) { return {g, g}; }
static Result sub(ArrayRef<Scalar>, Scalar, Scalar g) { return {g, -g}; }
static Result neg(ArrayRef<Scalar>, Scalar, Scalar g) { return {-g}; }
static Result mul(ArrayRef<Scalar> x, Scalar, Scalar g) {
  return {g * x[1], g * x[0]};
}

/// The logistic function `1 / (1 + exp(-x))` of an `x` that a constant bounds,
/// as it is built for PyTorch's, whose slope is `y (1 - y)` of the rounded
/// result: nothing where that is one. Null for other exponentials.
static arith::DivFOp getLogistic(math::ExpOp exp) {
  auto negated = exp.getOperand().getDefiningOp<arith::NegFOp>();
  auto bounded = negated ? negated.getOperand().getDefiningOp<arith::SelectOp>()
                         : arith::SelectOp();
  if (!bounded || !matchPattern(bounded.getTrueValue(), m_Constant()) ||
      !exp->hasOneUse())
    return {};
  auto sum = dyn_cast<arith::AddFOp>(*exp->user_begin());
  if (!sum || !sum->hasOneUse() ||
      !(matchPattern(sum.getLhs(), m_OneFloat()) ||
        matchPattern(sum.getRhs(), m_OneFloat())))
    return {};
  auto quotient = dyn_cast<arith::DivFOp>(*sum->user_begin());
  bool isLogistic = quotient && quotient.getRhs() == sum.getResult() &&
                    matchPattern(quotient.getLhs(), m_OneFloat());
  return isLogistic ? quotient : arith::DivFOp();
}

static bool isLogistic(Value quotient) {
  auto sum =
      quotient.getDefiningOp()->getOperand(1).getDefiningOp<arith::AddFOp>();
  return sum && llvm::any_of(sum->getOperands(), [&](Value operand) {
           auto exp = operand.getDefiningOp<math::ExpOp>();
           return exp && getLogistic(exp) == quotient.getDefiningOp();
         });
}

static Result div(ArrayRef<Scalar> x, Scalar y, Scalar g) {
  if (isLogistic(y)) // which `exp` passes on
    return {Value(), -(g * y * (-y + 1))};
  Scalar scaled = g / x[1];
  return {scaled, -(scaled * y)};
}

/// What is left of `x[0]` is less by a whole number of `x[1]`.
static Result rem(ArrayRef<Scalar> x, Scalar, Scalar g) {
  return {g, -(g * (x[0] / x[1]).apply<math::TruncOp>())};
}

/// Of two equal operands each gets half; against a constant, the other operand
/// gets nothing. Where one is no number, neither is worse than the other.
static Result pick(ArrayRef<Scalar> x, Scalar g, P better, P worse) {
  Scalar zero = g.constant(0);
  auto isConstant = [](Value value) {
    return matchPattern(value, m_Constant());
  };
  if (isConstant(x[0]) || isConstant(x[1]))
    return {x[0].choose(better, x[1], g, zero),
            x[1].choose(better, x[0], g, zero)};
  Scalar half = g * 0.5;
  auto share = [&](Scalar a, Scalar b) {
    return a.choose(worse, b, zero, a.choose(P::OEQ, b, half, g));
  };
  return {share(x[0], x[1]), share(x[1], x[0])};
}
static Result maximum(ArrayRef<Scalar> x, Scalar, Scalar g) {
  return pick(x, g, P::UGT, P::OLT);
}
static Result minimum(ArrayRef<Scalar> x, Scalar, Scalar g) {
  return pick(x, g, P::ULT, P::OGT);
}

//===----------------------------------------------------------------------===//
// math
//===----------------------------------------------------------------------===//

static Result abs(ArrayRef<Scalar> x, Scalar, Scalar g) {
  // Times zero at zero, where infinite slopes of what follows give NaN.
  Scalar zero = g.constant(0), one = g.constant(1);
  return {g * x[0].choose(P::OGT, zero, one,
                          x[0].choose(P::OLT, zero, -one, zero))};
}
static Result exp(ArrayRef<Scalar>, Scalar y, Scalar g) {
  auto op = static_cast<Value>(y).getDefiningOp<math::ExpOp>();
  return {op && getLogistic(op) ? g : g * y};
}
static Result exp2(ArrayRef<Scalar>, Scalar y, Scalar g) {
  return {g * y * M_LN2};
}
static Result expM1(ArrayRef<Scalar>, Scalar y, Scalar g) {
  return {g * (y + 1)};
}
static Result log(ArrayRef<Scalar> x, Scalar, Scalar g) { return {g / x[0]}; }
static Result log1p(ArrayRef<Scalar> x, Scalar, Scalar g) {
  return {g / (x[0] + 1)};
}
static Result log2(ArrayRef<Scalar> x, Scalar, Scalar g) {
  return {g / (x[0] * M_LN2)};
}
static Result log10(ArrayRef<Scalar> x, Scalar, Scalar g) {
  return {g / (x[0] * M_LN10)};
}
static Result sqrt(ArrayRef<Scalar>, Scalar y, Scalar g) {
  return {g / (y * 2)};
}
static Result rsqrt(ArrayRef<Scalar>, Scalar y, Scalar g) {
  return {g * -0.5 * y * y * y};
}
static Result sin(ArrayRef<Scalar> x, Scalar, Scalar g) {
  return {g * x[0].apply<math::CosOp>()};
}
static Result cos(ArrayRef<Scalar> x, Scalar, Scalar g) {
  return {-(g * x[0].apply<math::SinOp>())};
}
static Result tanh(ArrayRef<Scalar>, Scalar y, Scalar g) {
  return {g * (-(y * y) + 1)};
}
static Result erf(ArrayRef<Scalar> x, Scalar, Scalar g) {
  return {g * M_2_SQRTPI * (-(x[0] * x[0])).apply<math::ExpOp>()};
}
static Result erfc(ArrayRef<Scalar> x, Scalar y, Scalar g) {
  return erf(x, y, -g);
}
/// Steps are flat.
static Result step(ArrayRef<Scalar>, Scalar, Scalar g) {
  return {g.constant(0)};
}
/// Nothing where both are zero.
static Result atan2(ArrayRef<Scalar> x, Scalar, Scalar g) {
  Scalar zero = g.constant(0), square = x[0] * x[0] + x[1] * x[1];
  Scalar scaled = square.choose(P::OEQ, zero, zero, g / square);
  return {scaled * x[1], -(scaled * x[0])};
}
/// The base's gradient is zero where the exponent is, and the exponent's where
/// the base is zero, unless the power is infinite.
static Result powf(ArrayRef<Scalar> x, Scalar y, Scalar g) {
  Scalar zero = g.constant(0), base = x[0], exponent = x[1];
  Scalar steep = g * y * base.apply<math::LogOp>();
  Scalar slope = g * exponent * base.binary<math::PowFOp>(exponent + (-1.0));
  return {exponent.choose(P::OEQ, zero, zero, slope),
          base.choose(P::OEQ, zero, exponent.choose(P::OGE, zero, zero, steep),
                      steep)};
}

void rgnn::attachScalarGradients(MLIRContext &context) {
  tensor::CastOp::attachInterface<CastModel<tensor::CastOp, tensor::CastOp>>(
      context);
  arith::AddFOp::attachInterface<Model<arith::AddFOp, add>>(context);
  arith::SubFOp::attachInterface<Model<arith::SubFOp, sub>>(context);
  arith::MulFOp::attachInterface<Model<arith::MulFOp, mul>>(context);
  arith::DivFOp::attachInterface<Model<arith::DivFOp, div>>(context);
  arith::RemFOp::attachInterface<Model<arith::RemFOp, rem>>(context);
  arith::NegFOp::attachInterface<Model<arith::NegFOp, neg>>(context);
  arith::MaximumFOp::attachInterface<Model<arith::MaximumFOp, maximum>>(
      context);
  arith::MinimumFOp::attachInterface<Model<arith::MinimumFOp, minimum>>(
      context);
  arith::SelectOp::attachInterface<SelectModel>(context);
  arith::ExtFOp::attachInterface<CastModel<arith::ExtFOp, arith::TruncFOp>>(
      context);
  arith::TruncFOp::attachInterface<CastModel<arith::TruncFOp, arith::ExtFOp>>(
      context);
  math::AbsFOp::attachInterface<Model<math::AbsFOp, abs>>(context);
  math::ExpOp::attachInterface<Model<math::ExpOp, exp>>(context);
  math::Exp2Op::attachInterface<Model<math::Exp2Op, exp2>>(context);
  math::ExpM1Op::attachInterface<Model<math::ExpM1Op, expM1>>(context);
  math::LogOp::attachInterface<Model<math::LogOp, log>>(context);
  math::Log1pOp::attachInterface<Model<math::Log1pOp, log1p>>(context);
  math::Log2Op::attachInterface<Model<math::Log2Op, log2>>(context);
  math::Log10Op::attachInterface<Model<math::Log10Op, log10>>(context);
  math::SqrtOp::attachInterface<Model<math::SqrtOp, sqrt>>(context);
  math::RsqrtOp::attachInterface<Model<math::RsqrtOp, rsqrt>>(context);
  math::SinOp::attachInterface<Model<math::SinOp, sin>>(context);
  math::CosOp::attachInterface<Model<math::CosOp, cos>>(context);
  math::TanhOp::attachInterface<Model<math::TanhOp, tanh>>(context);
  math::ErfOp::attachInterface<Model<math::ErfOp, erf>>(context);
  math::ErfcOp::attachInterface<Model<math::ErfcOp, erfc>>(context);
  math::PowFOp::attachInterface<Model<math::PowFOp, powf>>(context);
  math::Atan2Op::attachInterface<Model<math::Atan2Op, atan2>>(context);
  math::FloorOp::attachInterface<Model<math::FloorOp, step>>(context);
  math::CeilOp::attachInterface<Model<math::CeilOp, step>>(context);
  math::TruncOp::attachInterface<Model<math::TruncOp, step>>(context);
  math::RoundEvenOp::attachInterface<Model<math::RoundEvenOp, step>>(context);
}
