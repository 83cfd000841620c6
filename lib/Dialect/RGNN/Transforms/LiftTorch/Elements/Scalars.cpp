//===- Scalars.cpp - what element-wise operators compute ------------------===//

#include "Elementwise.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

#include <cmath>

using namespace mlir;
using namespace mlir::rgnn;
using namespace mlir::rgnn::lift;

/// add(self, other, alpha), sub and rsub alike: `first + sign * alpha *
/// second`.
static Value buildSum(Scalars &s, Value first, Value second, double sign,
                      TorchCall &call) {
  std::optional<double> alpha = getNumber(call, 2);
  if (!alpha)
    return {};
  Value scaled = s.scale(second, *alpha);
  return sign > 0 ? s.add(first, scaled) : s.sub(first, scaled);
}

/// pow(x, exponent), with the exponents that PyTorch computes by other means.
static Value buildPower(Scalars &s, ArrayRef<Value> x, TorchCall &call) {
  std::optional<double> exponent = getNumber(call, 1);
  if (!exponent)
    return {};
  if (*exponent == 1.0)
    return x[0];
  if (*exponent == 2.0)
    return s.mul(x[0], x[0]);
  if (*exponent == 3.0)
    return s.mul(s.mul(x[0], x[0]), x[0]);
  if (*exponent == 0.5)
    return s.unary<math::SqrtOp>(x[0]);
  if (*exponent == -0.5)
    return s.unary<math::RsqrtOp>(x[0]);
  if (*exponent == -1.0)
    return s.div(s.constant(1.0), x[0]);
  if (*exponent == -2.0)
    return s.div(s.constant(1.0), s.mul(x[0], x[0]));
  return s.binary<math::PowFOp>(x[0], s.constant(*exponent));
}

/// clamp(x, min, max), either of which may be None.
static Value buildClamp(Scalars &s, ArrayRef<Value> x, TorchCall &call) {
  Value result = x[0];
  for (unsigned i : {1, 2}) {
    if (call.isNone(i))
      continue;
    std::optional<double> bound = getNumber(call, i);
    if (!bound)
      return {};
    result = buildBound(s, result, *bound, /*isLower=*/i == 1);
  }
  return result;
}

template <typename Op>
static Value applyUnary(Scalars &s, ArrayRef<Value> x, TorchCall &) {
  return s.unary<Op>(x[0]);
}

template <typename Op>
static Value applyBinary(Scalars &s, ArrayRef<Value> x, TorchCall &) {
  return s.binary<Op>(x[0], x[1]);
}

template <bool isLower>
static Value buildOneBound(Scalars &s, ArrayRef<Value> x, TorchCall &call) {
  std::optional<double> bound = getNumber(call, 1);
  return bound ? buildBound(s, x[0], *bound, isLower) : Value();
}

/// Of NaN it is 0. Its gradient is zero, where that of what is only compared
/// would be none: what is added is zero, too.
static Value buildSign(Scalars &s, ArrayRef<Value> x, TorchCall &) {
  Value one = s.constant(1.0), zero = s.constant(0.0);
  Value isZero = arith::CmpFOp::create(s.builder, s.loc,
                                       arith::CmpFPredicate::OEQ, x[0], zero);
  Value nothing = s.mul(
      arith::SelectOp::create(s.builder, s.loc, isZero, x[0], zero), zero);
  Value sign = s.sub(s.ifPositive(x[0], one, zero),
                     s.ifPositive(s.unary<arith::NegFOp>(x[0]), one, zero));
  return s.add(sign, nothing);
}

/// What is behind the point, with the sign of all.
static Value buildFraction(Scalars &s, ArrayRef<Value> x, TorchCall &) {
  return s.sub(x[0], s.unary<math::TruncOp>(x[0]));
}

/// `(exp(x) - exp(-x)) / 2`, as exact for small numbers.
static Value buildSinh(Scalars &s, ArrayRef<Value> x, TorchCall &) {
  Value less = s.unary<math::ExpM1Op>(x[0]);
  Value other = s.unary<math::ExpM1Op>(s.unary<arith::NegFOp>(x[0]));
  return s.scale(s.sub(less, other), 0.5);
}
static Value buildCosh(Scalars &s, ArrayRef<Value> x, TorchCall &) {
  Value power = s.unary<math::ExpOp>(x[0]);
  Value other = s.unary<math::ExpOp>(s.unary<arith::NegFOp>(x[0]));
  return s.scale(s.add(power, other), 0.5);
}
static Value buildAtanh(Scalars &s, ArrayRef<Value> x, TorchCall &) {
  Value above = s.unary<math::Log1pOp>(x[0]);
  Value below = s.unary<math::Log1pOp>(s.unary<arith::NegFOp>(x[0]));
  return s.scale(s.sub(above, below), 0.5);
}
/// `log(x + sqrt(x * x - 1))`, of what `x` is above one.
static Value buildAcosh(Scalars &s, ArrayRef<Value> x, TorchCall &) {
  Value above = s.sub(x[0], s.constant(1));
  Value root = s.mul(s.unary<math::SqrtOp>(above),
                     s.unary<math::SqrtOp>(s.add(above, s.constant(2))));
  return s.unary<math::Log1pOp>(s.add(above, root));
}
static Value buildTan(Scalars &s, ArrayRef<Value> x, TorchCall &) {
  return s.div(s.unary<math::SinOp>(x[0]), s.unary<math::CosOp>(x[0]));
}
static Value buildAtan(Scalars &s, ArrayRef<Value> x, TorchCall &) {
  return s.binary<math::Atan2Op>(x[0], s.constant(1));
}
/// `sqrt(1 - x * x)`, as exact where `x` is about one.
static Value buildRest(Scalars &s, Value x) {
  Value one = s.constant(1);
  return s.unary<math::SqrtOp>(s.mul(s.sub(one, x), s.add(one, x)));
}
static Value buildAsin(Scalars &s, ArrayRef<Value> x, TorchCall &) {
  return s.binary<math::Atan2Op>(x[0], buildRest(s, x[0]));
}
static Value buildAcos(Scalars &s, ArrayRef<Value> x, TorchCall &) {
  return s.binary<math::Atan2Op>(buildRest(s, x[0]), x[0]);
}
/// `log(a + sqrt(1 + a * a))` of `a = |x|`, with the sign of `x`; of large
/// numbers, whose squares there may not be, `log(2 a)`.
static Value buildAsinh(Scalars &s, ArrayRef<Value> x, TorchCall &) {
  Value a = s.ifPositive(x[0], x[0], s.unary<arith::NegFOp>(x[0]));
  Value most = s.constant(1e8), one = s.constant(1);
  Value small = s.binary<arith::MinimumFOp>(a, most);
  Value square = s.mul(small, small);
  Value root = s.unary<math::SqrtOp>(s.add(one, square));
  Value result =
      s.unary<math::Log1pOp>(s.add(small, s.div(square, s.add(one, root))));
  Value large =
      s.add(s.unary<math::LogOp>(s.binary<arith::MaximumFOp>(a, most)),
            s.constant(0.69314718055994530942));
  result = s.ifPositive(s.sub(a, most), large, result);
  return s.ifPositive(x[0], result, s.unary<arith::NegFOp>(result));
}

/// lerp(x, end, weight)
static Value buildLerp(Scalars &s, ArrayRef<Value> x, TorchCall &) {
  return s.add(x[0], s.mul(x[2], s.sub(x[1], x[0])));
}

/// addcmul(x, a, b, value), addcdiv: `x + value * a * b`, or `a / b`.
template <typename Op>
static Value buildAddOf(Scalars &s, ArrayRef<Value> x, TorchCall &call) {
  std::optional<double> value = getNumber(call, 3);
  return value ? s.add(x[0], s.scale(s.binary<Op>(x[1], x[2]), *value))
               : Value();
}

static void addUnaryRules(AddElementRule add) {
  const std::pair<StringRef, ElementFn> unary[] = {
      {"aten.tanh", applyUnary<math::TanhOp>},
      {"aten.exp", applyUnary<math::ExpOp>},
      {"aten.exp2", applyUnary<math::Exp2Op>},
      {"aten.expm1", applyUnary<math::ExpM1Op>},
      {"aten.log", applyUnary<math::LogOp>},
      {"aten.log1p", applyUnary<math::Log1pOp>},
      {"aten.log2", applyUnary<math::Log2Op>},
      {"aten.log10", applyUnary<math::Log10Op>},
      {"aten.sin", applyUnary<math::SinOp>},
      {"aten.cos", applyUnary<math::CosOp>},
      {"aten.sinh", buildSinh},
      {"aten.cosh", buildCosh},
      {"aten.tan", buildTan},
      {"aten.asin", buildAsin},
      {"aten.acos", buildAcos},
      {"aten.atan", buildAtan},
      {"aten.asinh", buildAsinh},
      {"aten.acosh", buildAcosh},
      {"aten.atanh", buildAtanh},
      {"aten.erf", applyUnary<math::ErfOp>},
      {"aten.erfc", applyUnary<math::ErfcOp>},
      {"aten.neg", applyUnary<arith::NegFOp>},
      {"aten.abs", applyUnary<math::AbsFOp>},
      {"aten.sqrt", applyUnary<math::SqrtOp>},
      {"aten.rsqrt", applyUnary<math::RsqrtOp>},
      {"aten.sign", buildSign},
      {"aten.floor", applyUnary<math::FloorOp>},
      {"aten.ceil", applyUnary<math::CeilOp>},
      {"aten.trunc", applyUnary<math::TruncOp>},
      {"aten.round", applyUnary<math::RoundEvenOp>},
      {"aten.frac", buildFraction},
      {"aten.pow.Tensor_Scalar", buildPower},
      {"aten.clamp", buildClamp},
      {"aten.clamp_min", buildOneBound</*isLower=*/true>},
      {"aten.clamp_max", buildOneBound</*isLower=*/false>}};
  for (auto [name, compute] : unary)
    add(name, {1, compute});
  // To another type of floats, or broadcast: done to every result.
  for (StringRef name : {"aten._to_copy", "aten.to.dtype", "aten.type_as",
                         "aten.to.dtype_layout", "aten.expand",
                         "aten.expand_as", "aten.broadcast_to"})
    add(name,
        {1, [](Scalars &, ArrayRef<Value> x, TorchCall &) { return x[0]; }});
  add("aten.reciprocal", {1, [](Scalars &s, ArrayRef<Value> x, TorchCall &) {
                            return s.div(s.constant(1.0), x[0]);
                          }});
  add("aten.square", {1, [](Scalars &s, ArrayRef<Value> x, TorchCall &) {
                        return s.mul(x[0], x[0]);
                      }});
}

using P = arith::CmpFPredicate;

/// Of equal numbers each gets half the gradient. The op's own does not pass a
/// constant anything, as that of PyTorch's bounds.
template <typename Op, P better>
static Value buildExtreme(Scalars &s, ArrayRef<Value> x, TorchCall &) {
  if (llvm::none_of(
          x, [](Value value) { return matchPattern(value, m_Constant()); }))
    return s.binary<Op>(x[0], x[1]);
  auto choose = [&](Value a, Value b, Value other) -> Value {
    Value test = arith::CmpFOp::create(s.builder, s.loc, better, a, b);
    return arith::SelectOp::create(s.builder, s.loc, test, a, other);
  };
  Value both = s.add(s.scale(x[0], 0.5), s.scale(x[1], 0.5)); // or NaN
  return choose(x[0], x[1], choose(x[1], x[0], both));
}

template <bool isReversed, int sign>
static Value buildSumOf(Scalars &s, ArrayRef<Value> x, TorchCall &call) {
  return buildSum(s, x[isReversed], x[!isReversed], sign, call);
}

static void addBinaryRules(AddElementRule add) {
  const std::pair<StringRef, ElementFn> binary[] = {
      {"aten.add.Tensor", buildSumOf<false, 1>},
      {"aten.add.Scalar", buildSumOf<false, 1>},
      {"aten.sub.Tensor", buildSumOf<false, -1>},
      {"aten.sub.Scalar", buildSumOf<false, -1>},
      {"aten.rsub.Tensor", buildSumOf<true, -1>},
      {"aten.rsub.Scalar", buildSumOf<true, -1>},
      {"aten.mul.Tensor", applyBinary<arith::MulFOp>},
      {"aten.mul.Scalar", applyBinary<arith::MulFOp>},
      {"aten.div.Tensor", applyBinary<arith::DivFOp>},
      {"aten.div.Scalar", applyBinary<arith::DivFOp>},
      {"aten.fmod.Tensor", applyBinary<arith::RemFOp>},
      {"aten.fmod.Scalar", applyBinary<arith::RemFOp>},
      {"aten.atan2", applyBinary<math::Atan2Op>},
      {"aten.pow.Tensor_Tensor", applyBinary<math::PowFOp>},
      {"aten.pow.Scalar", applyBinary<math::PowFOp>},
      {"aten.maximum", buildExtreme<arith::MaximumFOp, P::OGT>},
      {"aten.minimum", buildExtreme<arith::MinimumFOp, P::OLT>}};
  for (auto [name, compute] : binary)
    add(name, {2, compute});
  for (StringRef name : {"aten.lerp.Scalar", "aten.lerp.Tensor"})
    add(name, {3, buildLerp});
  add("aten.addcmul", {3, buildAddOf<arith::MulFOp>});
  add("aten.addcdiv", {3, buildAddOf<arith::DivFOp>});
}

void lift::addScalarRules(AddElementRule add) {
  addUnaryRules(add);
  addBinaryRules(add);
}
