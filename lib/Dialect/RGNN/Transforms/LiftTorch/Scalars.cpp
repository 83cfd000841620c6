//===- Scalars.cpp - what element-wise operators compute ------------------===//

#include "Elementwise.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace mlir;
using namespace mlir::rgnn;
using namespace mlir::rgnn::lift;

using AddFn = llvm::function_ref<void(StringRef, unsigned, ElementFn)>;

/// An argument that must be a number.
static std::optional<double> getNumber(TorchCall &call, unsigned i) {
  std::optional<double> number = call.number(i);
  if (!number)
    (void)call.refuse("argument " + Twine(i) + " is not a number");
  return number;
}

/// `x`, or `bound` where it is beyond it. No maximum or minimum: at the bound
/// the gradient is that of `x`, unlike relu's at zero. NaN stays NaN.
static Value buildBound(Scalars &s, Value x, double bound, bool isLower) {
  Value limit = s.constant(bound);
  Value isBeyond = arith::CmpFOp::create(s.builder, s.loc,
                                         isLower ? arith::CmpFPredicate::OLT
                                                 : arith::CmpFPredicate::OGT,
                                         x, limit);
  return arith::SelectOp::create(s.builder, s.loc, isBeyond, limit, x);
}

/// `1 / (1 + exp(-x))`, where a result that rounds to zero has no infinite
/// exponential: the gradient would multiply it by zero.
static Value buildSigmoidOfBound(Scalars &s, Value bound) {
  Value power = s.unary<math::ExpOp>(s.unary<arith::NegFOp>(bound));
  return s.div(s.constant(1.0), s.add(s.constant(1.0), power));
}

static Value buildSigmoidBound(Scalars &s, Value x) {
  double least = getElementTypeOrSelf(x).isF64() ? -700 : -87;
  return buildBound(s, x, least, /*isLower=*/true);
}

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

static Value buildGelu(Scalars &s, ArrayRef<Value> x, TorchCall &call) {
  StringRef approximate = call.string(1);
  Value inner;
  if (approximate == "none") {
    inner = s.unary<math::ErfOp>(s.scale(x[0], std::sqrt(0.5)));
  } else if (approximate == "tanh") {
    Value cube = s.mul(s.mul(x[0], x[0]), x[0]);
    Value sum = s.add(x[0], s.scale(cube, 0.044715));
    inner = s.unary<math::TanhOp>(s.scale(sum, std::sqrt(2.0 / M_PI)));
  } else {
    (void)call.refuse("approximate is neither none nor tanh");
    return {};
  }
  return s.mul(s.scale(x[0], 0.5), s.add(s.constant(1.0), inner));
}

/// elu(x, alpha, scale, input_scale)
static Value buildElu(Scalars &s, ArrayRef<Value> x, TorchCall &call) {
  std::optional<double> alpha = getNumber(call, 1), scale = getNumber(call, 2),
                        inputScale = getNumber(call, 3);
  if (!alpha || !scale || !inputScale)
    return {};
  // Where the other branch is taken the exponential must not be infinite: the
  // gradient would multiply it by zero.
  Value negative = buildBound(s, x[0], 0.0, /*isLower=*/false);
  Value grown = s.unary<math::ExpM1Op>(s.scale(negative, *inputScale));
  return s.ifPositive(x[0], s.scale(x[0], *scale),
                      s.scale(grown, *alpha * *scale));
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

static void addUnaryRules(AddFn add) {
  // To another type of floats, which is done to every result.
  for (StringRef name : {"aten._to_copy", "aten.to.dtype", "aten.type_as",
                         "aten.to.dtype_layout"})
    add(name, 1,
        [](Scalars &, ArrayRef<Value> x, TorchCall &) { return x[0]; });
  // The maximum keeps NaN, as PyTorch's relu does.
  add("aten.relu", 1, [](Scalars &s, ArrayRef<Value> x, TorchCall &) {
    return s.binary<arith::MaximumFOp>(x[0], s.constant(0.0));
  });
  add("aten.leaky_relu", 1, [](Scalars &s, ArrayRef<Value> x, TorchCall &call) {
    std::optional<double> slope = getNumber(call, 1);
    return slope ? s.ifPositive(x[0], x[0], s.scale(x[0], *slope)) : Value();
  });
  add("aten.sigmoid", 1, [](Scalars &s, ArrayRef<Value> x, TorchCall &) {
    return buildSigmoidOfBound(s, buildSigmoidBound(s, x[0]));
  });
  add("aten.silu", 1, [](Scalars &s, ArrayRef<Value> x, TorchCall &) {
    // Both factors, or a large one would undo that the other is small.
    Value bound = buildSigmoidBound(s, x[0]);
    return s.mul(bound, buildSigmoidOfBound(s, bound));
  });
  add("aten.tanh", 1, [](Scalars &s, ArrayRef<Value> x, TorchCall &) {
    return s.unary<math::TanhOp>(x[0]);
  });
  add("aten.exp", 1, [](Scalars &s, ArrayRef<Value> x, TorchCall &) {
    return s.unary<math::ExpOp>(x[0]);
  });
  add("aten.log", 1, [](Scalars &s, ArrayRef<Value> x, TorchCall &) {
    return s.unary<math::LogOp>(x[0]);
  });
  add("aten.neg", 1, [](Scalars &s, ArrayRef<Value> x, TorchCall &) {
    return s.unary<arith::NegFOp>(x[0]);
  });
  add("aten.abs", 1, [](Scalars &s, ArrayRef<Value> x, TorchCall &) {
    return s.unary<math::AbsFOp>(x[0]);
  });
  // Of NaN it is 0.
  add("aten.sign", 1, [](Scalars &s, ArrayRef<Value> x, TorchCall &) {
    Value one = s.constant(1.0), zero = s.constant(0.0);
    return s.sub(s.ifPositive(x[0], one, zero),
                 s.ifPositive(s.unary<arith::NegFOp>(x[0]), one, zero));
  });
  add("aten.sqrt", 1, [](Scalars &s, ArrayRef<Value> x, TorchCall &) {
    return s.unary<math::SqrtOp>(x[0]);
  });
  add("aten.rsqrt", 1, [](Scalars &s, ArrayRef<Value> x, TorchCall &) {
    return s.unary<math::RsqrtOp>(x[0]);
  });
  add("aten.reciprocal", 1, [](Scalars &s, ArrayRef<Value> x, TorchCall &) {
    return s.div(s.constant(1.0), x[0]);
  });
  add("aten.gelu", 1, buildGelu);
  add("aten.elu", 1, buildElu);
  add("aten.pow.Tensor_Scalar", 1, buildPower);
  add("aten.clamp", 1, buildClamp);
  add("aten.clamp_min", 1, [](Scalars &s, ArrayRef<Value> x, TorchCall &call) {
    std::optional<double> bound = getNumber(call, 1);
    return bound ? buildBound(s, x[0], *bound, /*isLower=*/true) : Value();
  });
  add("aten.clamp_max", 1, [](Scalars &s, ArrayRef<Value> x, TorchCall &call) {
    std::optional<double> bound = getNumber(call, 1);
    return bound ? buildBound(s, x[0], *bound, /*isLower=*/false) : Value();
  });
}

static void addBinaryRules(AddFn add) {
  for (StringRef name : {"aten.add.Tensor", "aten.add.Scalar"})
    add(name, 2, [](Scalars &s, ArrayRef<Value> x, TorchCall &call) {
      return buildSum(s, x[0], x[1], 1.0, call);
    });
  for (StringRef name : {"aten.sub.Tensor", "aten.sub.Scalar"})
    add(name, 2, [](Scalars &s, ArrayRef<Value> x, TorchCall &call) {
      return buildSum(s, x[0], x[1], -1.0, call);
    });
  for (StringRef name : {"aten.rsub.Tensor", "aten.rsub.Scalar"})
    add(name, 2, [](Scalars &s, ArrayRef<Value> x, TorchCall &call) {
      return buildSum(s, x[1], x[0], -1.0, call);
    });
  for (StringRef name : {"aten.mul.Tensor", "aten.mul.Scalar"})
    add(name, 2, [](Scalars &s, ArrayRef<Value> x, TorchCall &) {
      return s.mul(x[0], x[1]);
    });
  for (StringRef name : {"aten.div.Tensor", "aten.div.Scalar"})
    add(name, 2, [](Scalars &s, ArrayRef<Value> x, TorchCall &) {
      return s.div(x[0], x[1]);
    });
  add("aten.maximum", 2, [](Scalars &s, ArrayRef<Value> x, TorchCall &) {
    return s.binary<arith::MaximumFOp>(x[0], x[1]);
  });
  add("aten.minimum", 2, [](Scalars &s, ArrayRef<Value> x, TorchCall &) {
    return s.binary<arith::MinimumFOp>(x[0], x[1]);
  });
}

void lift::addElementFns(AddFn add) {
  addUnaryRules(add);
  addBinaryRules(add);
}
