//===- Math.cpp - functions of floats -------------------------------------===//

#include "Elementwise.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace mlir;
using namespace mlir::rgnn;
using namespace mlir::rgnn::simulator;

void simulator::emitFMA(Translator &translator, Operation *op) {
  withFormat(getElementTypeOrSelf(op->getResult(0)), [&](auto format) {
    emitTernary(translator, op, [=](Word a, Word b, Word c) {
      return format.write(
          std::fma(format.read(a), format.read(b), format.read(c)));
    });
  });
}

void simulator::addMathOps(OpTable &table) {
  addFloatUnary<math::AbsFOp>(table, [](auto a) { return std::fabs(a); });
  addFloatUnary<math::AtanOp>(table, [](auto a) { return std::atan(a); });
  addFloatUnary<math::CeilOp>(table, [](auto a) { return std::ceil(a); });
  addFloatUnary<math::CosOp>(table, [](auto a) { return std::cos(a); });
  addFloatUnary<math::ErfOp>(table, [](auto a) { return std::erf(a); });
  addFloatUnary<math::ErfcOp>(table, [](auto a) { return std::erfc(a); });
  addFloatUnary<math::ExpOp>(table, [](auto a) { return std::exp(a); });
  addFloatUnary<math::Exp2Op>(table, [](auto a) { return std::exp2(a); });
  addFloatUnary<math::ExpM1Op>(table, [](auto a) { return std::expm1(a); });
  addFloatUnary<math::FloorOp>(table, [](auto a) { return std::floor(a); });
  addFloatUnary<math::LogOp>(table, [](auto a) { return std::log(a); });
  addFloatUnary<math::Log10Op>(table, [](auto a) { return std::log10(a); });
  addFloatUnary<math::Log1pOp>(table, [](auto a) { return std::log1p(a); });
  addFloatUnary<math::Log2Op>(table, [](auto a) { return std::log2(a); });
  addFloatUnary<math::RoundOp>(table, [](auto a) { return std::round(a); });
  addFloatUnary<math::RoundEvenOp>(table,
                                   [](auto a) { return std::nearbyint(a); });
  addFloatUnary<math::RsqrtOp>(table, [](auto a) { return 1 / std::sqrt(a); });
  addFloatUnary<math::SinOp>(table, [](auto a) { return std::sin(a); });
  addFloatUnary<math::SqrtOp>(table, [](auto a) { return std::sqrt(a); });
  addFloatUnary<math::TanOp>(table, [](auto a) { return std::tan(a); });
  addFloatUnary<math::TanhOp>(table, [](auto a) { return std::tanh(a); });
  addFloatUnary<math::TruncOp>(table, [](auto a) { return std::trunc(a); });
  addFloatBinary<math::Atan2Op>(
      table, [](auto a, auto b) { return std::atan2(a, b); });
  addFloatBinary<math::CopySignOp>(
      table, [](auto a, auto b) { return std::copysign(a, b); });
  addFloatBinary<math::PowFOp>(table,
                               [](auto a, auto b) { return std::pow(a, b); });
  table.addAll<math::FmaOp>([](Translator &translator, Operation *op) {
    emitFMA(translator, op);
    return success();
  });
}
