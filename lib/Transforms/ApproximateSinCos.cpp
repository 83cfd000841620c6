//===- ApproximateSinCos.cpp - sin and cos as polynomials -----------------===//
//
// With n the whole number next to x / (pi / 2), and r what is left, at most
// pi / 4, sin(x) and cos(x) are sin(r) or cos(r), or the negative: the last two
// bits of n say which. r is computed in f64, and the series in the type of x.
//
//===----------------------------------------------------------------------===//

#include "ApproximateSinCos.h"
#include "FloatCode.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using rgnn::FloatCode;
using rgnn::kRounding;

static constexpr double kTwoOverPi = 0x1.45f306dc9c883p-1;
/// Up to here, n has at most 31 bits, and its product with 22 bits is exact.
static constexpr double kGreatest = 0x1p31;
/// pi / 2, in numbers of 22 bits and what is left.
static constexpr double kHalfPiSingle[] = {0x1.921fbp0, 0x1.5110bp-22,
                                           0x1.18469898cc517p-44};
static constexpr double kHalfPiDouble[] = {
    0x1.921fbp0, 0x1.5110bp-22, 0x1.184698p-44, 0x1.3198a2e037073p-69};

namespace {

/// Writes sin or cos of one value.
class Turns {
public:
  Turns(Operation *op, OpBuilder &builder)
      : type(op->getResult(0).getType()), x(op->getOperand(0)),
        isCos(isa<math::CosOp>(op)), f(op->getLoc(), builder, type) {}

  Value get();

private:
  void reduce();
  Value getSeries();
  Value isBeyond();
  Value getFromLibm(Value instead);
  Value apply(Value each) {
    if (isCos)
      return math::CosOp::create(f.builder, each);
    return math::SinOp::create(f.builder, each);
  }

  Type type;
  Value x;
  bool isCos;
  FloatCode f;
  /// r, and n in its last bits.
  Value rest, quarters;
};

} // namespace

void Turns::reduce() {
  bool isSingle = getElementTypeOrSelf(type).isF32();
  FloatCode d(f.builder.getLoc(), f.builder,
              FloatCode::withElements(type, f.builder.getF64Type()));
  Value all = isSingle ? arith::ExtFOp::create(f.builder, d.getType(), x) : x;
  Value shifted = d.add(d.mul(all, d.number(kTwoOverPi)), d.number(kRounding));
  Value n = d.sub(shifted, d.number(kRounding));
  rest = all;
  ArrayRef<double> parts = kHalfPiDouble;
  if (isSingle)
    parts = kHalfPiSingle;
  for (double part : parts)
    rest = d.sub(rest, d.mul(n, d.number(part)));
  quarters = d.toBits(shifted);
  if (isSingle) {
    rest = arith::TruncFOp::create(f.builder, type, rest);
    quarters = arith::TruncIOp::create(f.builder, f.getBitsType(), quarters);
  }
  if (isCos) // cos(x) = sin(x + pi / 2)
    quarters = arith::AddIOp::create(f.builder, quarters, f.integer(1));
}

/// `sign / number!` of every other number up to `last`.
static SmallVector<double> getCoefficients(int first, int last) {
  SmallVector<double> all;
  double each = first == 2 ? -0.5 : -1.0 / 6;
  for (int number = first; number <= last; number += 2) {
    all.push_back(each);
    each /= -(number + 1.0) * (number + 2.0);
  }
  return all;
}

Value Turns::getSeries() {
  bool isSingle = getElementTypeOrSelf(type).isF32();
  Value square = f.mul(rest, rest);
  Value sin = f.mul(
      square, f.polynomial(square, getCoefficients(3, isSingle ? 9 : 17)));
  // Plus zero, for the sine of -0 is -0: of that, the square's product is -0.
  sin = f.add(rest, f.mul(rest, f.add(sin, f.number(0))));
  Value cos = f.mul(
      square, f.polynomial(square, getCoefficients(2, isSingle ? 10 : 16)));
  cos = f.add(f.number(1), cos);

  int64_t width = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  Value odd = arith::AndIOp::create(f.builder, quarters, f.integer(1));
  Value isOdd = arith::CmpIOp::create(f.builder, arith::CmpIPredicate::ne, odd,
                                      f.integer(0));
  Value series = arith::SelectOp::create(f.builder, isOdd, cos, sin);
  Value sign = arith::ShLIOp::create(f.builder, quarters, f.integer(width - 2));
  sign =
      arith::AndIOp::create(f.builder, sign, f.integer(llvm::minIntN(width)));
  return f.fromBits(arith::XOrIOp::create(f.builder, f.toBits(series), sign));
}

Value Turns::isBeyond() {
  Value beyond = arith::CmpFOp::create(f.builder, arith::CmpFPredicate::OGT,
                                       math::AbsFOp::create(f.builder, x),
                                       f.number(kGreatest));
  if (isa<VectorType>(type))
    return vector::ReductionOp::create(f.builder, vector::CombiningKind::OR,
                                       beyond);
  return beyond;
}

Value Turns::getFromLibm(Value instead) {
  auto vector = dyn_cast<VectorType>(type);
  if (!vector)
    return apply(x);
  auto index = [&](int64_t value) {
    return arith::ConstantIndexOp::create(f.builder, value);
  };
  auto loop = scf::ForOp::create(
      f.builder, index(0), index(vector.getNumElements()), index(1), instead);
  OpBuilder::InsertionGuard guard(f.builder);
  f.builder.setInsertionPointToStart(loop.getBody());
  Value i = loop.getInductionVar();
  Value each = apply(vector::ExtractOp::create(f.builder, x, i));
  scf::YieldOp::create(f.builder,
                       ValueRange(vector::InsertOp::create(
                           f.builder, each, loop.getRegionIterArg(0), i)));
  return loop.getResult(0);
}

Value Turns::get() {
  reduce();
  Value series = getSeries();
  auto branch = scf::IfOp::create(f.builder, type, isBeyond(),
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(f.builder);
  f.builder.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(f.builder, getFromLibm(series));
  f.builder.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(f.builder, series);
  return branch.getResult(0);
}

void rgnn::approximateSinCos(Operation *root) {
  SmallVector<Operation *> ops;
  root->walk([&](Operation *op) {
    if (!isa<math::SinOp, math::CosOp>(op))
      return;
    Type type = op->getResult(0).getType(),
         element = getElementTypeOrSelf(type);
    auto vector = dyn_cast<VectorType>(type);
    if ((element.isF32() || element.isF64()) &&
        (!vector || (vector.getRank() == 1 && !vector.isScalable())))
      ops.push_back(op);
  });
  for (Operation *op : ops) {
    OpBuilder builder(op);
    op->getResult(0).replaceAllUsesWith(Turns(op, builder).get());
    op->erase();
  }
}
