//===- Activations.cpp - activations, with PyTorch's gradients ------------===//
//
// Of a branch that is not taken the gradient is multiplied by zero, so that it
// must be finite: branches read bounded numbers. At a bound, `buildBound`
// passes the gradient on, and a maximum or minimum with a constant does not.
//
//===----------------------------------------------------------------------===//

#include "Elementwise.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace mlir;
using namespace mlir::rgnn;
using namespace mlir::rgnn::lift;

std::optional<double> lift::getNumber(TorchCall &call, unsigned i) {
  std::optional<double> number = call.number(i);
  if (!number)
    (void)call.refuse("argument " + Twine(i) + " is not a number");
  return number;
}

Value lift::buildBound(Scalars &s, Value x, double bound, bool isLower) {
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

Value lift::buildSigmoid(Scalars &s, Value x) {
  return buildSigmoidOfBound(s, buildSigmoidBound(s, x));
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

/// `scale` times `x` where it is positive, and else
/// `scale * alpha * (exp(input_scale * x) - 1)`.
static Value buildElu(Scalars &s, Value x, double alpha, double scale,
                      double inputScale) {
  Value negative = buildBound(s, x, 0.0, /*isLower=*/false);
  Value grown = s.unary<math::ExpM1Op>(s.scale(negative, inputScale));
  return s.ifPositive(x, s.scale(x, scale), s.scale(grown, alpha * scale));
}

/// `log(1 + exp(x))` of what is at most `most`.
static Value buildLogOfSum(Scalars &s, Value x, double most) {
  Value bound = buildBound(s, x, most, /*isLower=*/false);
  return s.unary<math::Log1pOp>(s.unary<math::ExpOp>(bound));
}

/// softplus(x, beta, threshold): `x` itself beyond the threshold.
static Value buildSoftplus(Scalars &s, ArrayRef<Value> x, TorchCall &call) {
  std::optional<double> beta = getNumber(call, 1),
                        threshold = getNumber(call, 2);
  if (!beta || !threshold)
    return {};
  Value scaled = s.scale(x[0], *beta);
  Value isBeyond =
      arith::CmpFOp::create(s.builder, s.loc, arith::CmpFPredicate::OGT, scaled,
                            s.constant(*threshold));
  Value log = s.div(buildLogOfSum(s, scaled, *threshold), s.constant(*beta));
  return arith::SelectOp::create(s.builder, s.loc, isBeyond, x[0], log);
}

/// Of two branches that meet at zero, where the second one's slope is taken.
static Value buildLogSigmoid(Scalars &s, ArrayRef<Value> x, TorchCall &) {
  Value minus = s.unary<arith::NegFOp>(x[0]);
  Value negative = buildBound(s, x[0], 0.0, /*isLower=*/false);
  return s.ifPositive(minus, s.sub(negative, buildLogOfSum(s, x[0], 0.0)),
                      s.unary<arith::NegFOp>(buildLogOfSum(s, minus, 0.0)));
}

/// The number in the range; at its ends it has no slope.
static Value buildFlatEnds(Scalars &s, Value x, double least, double most) {
  Value atLeast = s.binary<arith::MaximumFOp>(x, s.constant(least));
  return s.binary<arith::MinimumFOp>(atLeast, s.constant(most));
}

static Value buildHardtanh(Scalars &s, ArrayRef<Value> x, TorchCall &call) {
  std::optional<double> least = getNumber(call, 1), most = getNumber(call, 2);
  return least && most ? buildFlatEnds(s, x[0], *least, *most) : Value();
}

/// threshold(x, threshold, value)
static Value buildThreshold(Scalars &s, ArrayRef<Value> x, TorchCall &call) {
  std::optional<double> threshold = getNumber(call, 1),
                        value = getNumber(call, 2);
  if (!threshold || !value)
    return {};
  Value isBelow =
      arith::CmpFOp::create(s.builder, s.loc, arith::CmpFPredicate::OLE, x[0],
                            s.constant(*threshold));
  return arith::SelectOp::create(s.builder, s.loc, isBelow, s.constant(*value),
                                 x[0]);
}

/// prelu(x, weight): slopes of negative numbers, one for all or of each column.
static Value buildPrelu(Scalars &s, ArrayRef<Value> x, TorchCall &call) {
  auto type = cast<RankedTensorType>(call.floats(0).getType()),
       weight = cast<RankedTensorType>(call.floats(1).getType());
  if (weight.getNumElements() != 1 && type.getRank() != 2) {
    (void)call.refuse("its slopes are not those of columns");
    return {};
  }
  return s.ifPositive(x[0], x[0], s.mul(x[0], x[1]));
}

void lift::addActivationRules(AddElementRule add) {
  // The maximum keeps NaN, as PyTorch's relu does.
  add("aten.relu", {1, [](Scalars &s, ArrayRef<Value> x, TorchCall &) {
                      return s.binary<arith::MaximumFOp>(x[0], s.constant(0.0));
                    }});
  add("aten.leaky_relu",
      {1, [](Scalars &s, ArrayRef<Value> x, TorchCall &call) {
         std::optional<double> slope = getNumber(call, 1);
         return slope ? s.ifPositive(x[0], x[0], s.scale(x[0], *slope))
                      : Value();
       }});
  add("aten.sigmoid", {1, [](Scalars &s, ArrayRef<Value> x, TorchCall &) {
                         return buildSigmoid(s, x[0]);
                       }});
  add("aten.silu", {1, [](Scalars &s, ArrayRef<Value> x, TorchCall &) {
                      // Both factors, or a large one would undo that the other
                      // is small.
                      Value bound = buildSigmoidBound(s, x[0]);
                      return s.mul(bound, buildSigmoidOfBound(s, bound));
                    }});

  add("aten.gelu", {1, buildGelu});
  add("aten.elu", {1, [](Scalars &s, ArrayRef<Value> x, TorchCall &call) {
                     std::optional<double> alpha = getNumber(call, 1),
                                           scale = getNumber(call, 2),
                                           inputScale = getNumber(call, 3);
                     return alpha && scale && inputScale
                                ? buildElu(s, x[0], *alpha, *scale, *inputScale)
                                : Value();
                   }});
  add("aten.celu",
      {1, [](Scalars &s, ArrayRef<Value> x, TorchCall &call) {
         std::optional<double> alpha = getNumber(call, 1);
         return alpha ? buildElu(s, x[0], *alpha, 1.0, 1.0 / *alpha) : Value();
       }});
  add("aten.selu", {1, [](Scalars &s, ArrayRef<Value> x, TorchCall &) {
                      return buildElu(s, x[0], 1.6732632423543772,
                                      1.0507009873554805, 1.0);
                    }});
  add("aten.softplus", {1, buildSoftplus});
  add("aten.mish", {1, [](Scalars &s, ArrayRef<Value> x, TorchCall &) {
                      // Of more than that, the tangent rounds to one.
                      return s.mul(x[0], s.unary<math::TanhOp>(
                                             buildLogOfSum(s, x[0], 40.0)));
                    }});
  add("aten.log_sigmoid", {1, buildLogSigmoid});
  add("aten.hardtanh", {1, buildHardtanh});
  add("aten.relu6", {1, [](Scalars &s, ArrayRef<Value> x, TorchCall &) {
                       return buildFlatEnds(s, x[0], 0.0, 6.0);
                     }});
  add("aten.threshold", {1, buildThreshold});
  add("aten.prelu", {2, buildPrelu});
}
