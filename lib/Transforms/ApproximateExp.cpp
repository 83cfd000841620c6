//===- ApproximateExp.cpp - exp of f64 as a polynomial --------------------===//
//
// exp(x) = 2^n exp(r), where n is the whole number next to x / ln 2, and r, not
// over ln 2 / 2, what is left. The series of exp(r) up to r^13 / 13! is off by
// less than its last digit.
//
//===----------------------------------------------------------------------===//

#include "ApproximateExp.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;

/// What is added to a whole number to have it in the last bits of the sum, and
/// to any other to round it.
static constexpr double kRounding = 0x1.8p52;
/// Beyond these, exp is infinite, or zero.
static constexpr double kGreatest = 710.0, kLeast = -746.0;
static constexpr double kLog2E = 0x1.71547652b82fep0;
/// ln 2 in two parts. The first has zeros behind its digits: its product with n
/// is exact.
static constexpr double kLn2 = 0x1.62e42fefa38p-1,
                        kLn2Rest = 0x1.ef35793c7673p-45;

namespace {

/// Makes ops on f64, or on vectors of it.
class Doubles {
public:
  Doubles(Location loc, OpBuilder &builder, Type type)
      : builder(loc, builder), type(type) {}

  Value number(double value) {
    return arith::ConstantOp::create(
        builder, getAttr(type, builder.getF64FloatAttr(value)));
  }
  Value add(Value a, Value b) { return arith::AddFOp::create(builder, a, b); }
  Value sub(Value a, Value b) { return arith::SubFOp::create(builder, a, b); }
  Value mul(Value a, Value b) { return arith::MulFOp::create(builder, a, b); }

  /// `bound` where `x` is beyond it. NaN stays NaN.
  Value clamp(Value x, arith::CmpFPredicate isBeyond, double bound) {
    Value limit = number(bound);
    return arith::SelectOp::create(
        builder, arith::CmpFOp::create(builder, isBeyond, x, limit), limit, x);
  }

  /// `coefficients[0] + x coefficients[1] + ...`
  Value polynomial(Value x, ArrayRef<double> coefficients) {
    Value sum = number(coefficients.back());
    for (double each : llvm::reverse(coefficients.drop_back()))
      sum = add(mul(sum, x), number(each));
    return sum;
  }

  /// 2 to the whole number that was added to `kRounding`.
  Value powerOfTwo(Value shifted) {
    Type bitsType = builder.getI64Type();
    if (auto vector = dyn_cast<VectorType>(type))
      bitsType = vector.clone(bitsType);
    auto integer = [&](int64_t value) {
      return arith::ConstantOp::create(
          builder, getAttr(bitsType, builder.getI64IntegerAttr(value)));
    };
    Value bits = arith::BitcastOp::create(builder, bitsType, shifted);
    Value exponent = arith::AddIOp::create(builder, bits, integer(1023));
    return arith::BitcastOp::create(
        builder, type, arith::ShLIOp::create(builder, exponent, integer(52)));
  }

private:
  static TypedAttr getAttr(Type type, TypedAttr element) {
    auto vector = dyn_cast<VectorType>(type);
    return vector ? DenseElementsAttr::get(vector, Attribute(element))
                  : element;
  }

  ImplicitLocOpBuilder builder;
  Type type;
};

} // namespace

static LogicalResult approximateExp(math::ExpOp op, PatternRewriter &rewriter) {
  if (!getElementTypeOrSelf(op.getType()).isF64())
    return rewriter.notifyMatchFailure(op, "not f64");
  Doubles f(op.getLoc(), rewriter, op.getType());
  Value x = f.clamp(op.getOperand(), arith::CmpFPredicate::OGT, kGreatest);
  x = f.clamp(x, arith::CmpFPredicate::OLT, kLeast);
  Value rounding = f.number(kRounding);
  Value n = f.sub(f.add(f.mul(x, f.number(kLog2E)), rounding), rounding);
  Value r = f.sub(x, f.mul(n, f.number(kLn2)));
  r = f.sub(r, f.mul(n, f.number(kLn2Rest)));

  // Even and odd powers apart: two chains of products, not one twice as long.
  SmallVector<double> even, odd;
  double factorial = 1;
  for (int power = 0; power <= 13; ++power) {
    factorial *= std::max(power, 1);
    (power % 2 ? odd : even).push_back(1 / factorial);
  }
  Value square = f.mul(r, r);
  Value series =
      f.add(f.polynomial(square, even), f.mul(r, f.polynomial(square, odd)));

  // In two steps: 2^n may be below or above all numbers where exp(x) is not.
  Value half = f.add(f.mul(n, f.number(0.5)), rounding);
  Value rest = f.add(f.sub(n, f.sub(half, rounding)), rounding);
  rewriter.replaceOp(
      op, f.mul(f.mul(series, f.powerOfTwo(half)), f.powerOfTwo(rest)));
  return success();
}

void rgnn::populateApproximateExpPatterns(RewritePatternSet &patterns) {
  patterns.add(approximateExp);
}
