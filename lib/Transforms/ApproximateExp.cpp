//===- ApproximateExp.cpp - exp of f64 as a polynomial --------------------===//
//
// exp(x) = 2^n exp(r), where n is the whole number next to x / ln 2, and r, not
// over ln 2 / 2, what is left. The series of exp(r) up to r^13 / 13! is off by
// less than its last digit.
//
//===----------------------------------------------------------------------===//

#include "ApproximateExp.h"
#include "FloatCode.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using rgnn::FloatCode;
using rgnn::kRounding;

/// Beyond these, exp is infinite, or zero.
static constexpr double kGreatest = 710.0, kLeast = -746.0;
static constexpr double kLog2E = 0x1.71547652b82fep0;
/// ln 2 in two parts. The first has zeros behind its digits: its product with n
/// is exact.
static constexpr double kLn2 = 0x1.62e42fefa38p-1,
                        kLn2Rest = 0x1.ef35793c7673p-45;

/// `bound` where `x` is beyond it. NaN stays NaN.
static Value clamp(FloatCode &f, Value x, arith::CmpFPredicate isBeyond,
                   double bound) {
  Value limit = f.number(bound);
  return arith::SelectOp::create(
      f.builder, arith::CmpFOp::create(f.builder, isBeyond, x, limit), limit,
      x);
}

/// 2 to the whole number that was added to `kRounding`.
static Value powerOfTwo(FloatCode &f, Value shifted) {
  Value exponent =
      arith::AddIOp::create(f.builder, f.toBits(shifted), f.integer(1023));
  return f.fromBits(arith::ShLIOp::create(f.builder, exponent, f.integer(52)));
}

static LogicalResult approximateExp(math::ExpOp op, PatternRewriter &rewriter) {
  if (!getElementTypeOrSelf(op.getType()).isF64())
    return rewriter.notifyMatchFailure(op, "not f64");
  FloatCode f(op.getLoc(), rewriter, op.getType());
  Value x = clamp(f, op.getOperand(), arith::CmpFPredicate::OGT, kGreatest);
  x = clamp(f, x, arith::CmpFPredicate::OLT, kLeast);
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
      op, f.mul(f.mul(series, powerOfTwo(f, half)), powerOfTwo(f, rest)));
  return success();
}

void rgnn::populateApproximateExpPatterns(RewritePatternSet &patterns) {
  patterns.add(approximateExp);
}
