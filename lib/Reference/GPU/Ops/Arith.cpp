//===- Arith.cpp - floats, casts and constants ----------------------------===//

#include "Elementwise.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <cmath>

using namespace mlir;
using namespace mlir::rgnn;
using namespace mlir::rgnn::simulator;

static unsigned getOperandWidth(Operation *op) {
  return getWidth(getElementTypeOrSelf(op->getOperand(0)));
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

static void addFloats(OpTable &table) {
  addFloatUnary<arith::NegFOp>(table, [](auto a) { return -a; });
  addFloatBinary<arith::AddFOp>(table, [](auto a, auto b) { return a + b; });
  addFloatBinary<arith::SubFOp>(table, [](auto a, auto b) { return a - b; });
  addFloatBinary<arith::MulFOp>(table, [](auto a, auto b) { return a * b; });
  addFloatBinary<arith::DivFOp>(table, [](auto a, auto b) { return a / b; });
  addFloatBinary<arith::RemFOp>(table,
                                [](auto a, auto b) { return std::fmod(a, b); });
  addFloatBinary<arith::MaximumFOp>(table, [](auto a, auto b) {
    return std::isnan(a) ? a : std::isnan(b) || b > a ? b : a;
  });
  addFloatBinary<arith::MinimumFOp>(table, [](auto a, auto b) {
    return std::isnan(a) ? a : std::isnan(b) || b < a ? b : a;
  });
  addFloatBinary<arith::MaxNumFOp>(
      table, [](auto a, auto b) { return std::fmax(a, b); });
  addFloatBinary<arith::MinNumFOp>(
      table, [](auto a, auto b) { return std::fmin(a, b); });
}

static bool compare(arith::CmpFPredicate predicate, double a, double b) {
  // A predicate is a set of the four ways that numbers compare. Those that hold
  // of NaN come 7 behind those that do not.
  enum { Equal = 1, Greater = 2, Less = 4, Unordered = 8 };
  unsigned relation = a == b  ? Equal
                      : a > b ? Greater
                      : a < b ? Less
                              : Unordered;
  unsigned set = unsigned(predicate);
  if (predicate == arith::CmpFPredicate::UNO)
    set = Unordered;
  else if (predicate == arith::CmpFPredicate::AlwaysTrue)
    set = Equal | Greater | Less | Unordered;
  else if (predicate >= arith::CmpFPredicate::UEQ)
    set = (set - 7) | Unordered;
  return (set & relation) != 0;
}

//===----------------------------------------------------------------------===//
// Constants and casts
//===----------------------------------------------------------------------===//

static LogicalResult translateConstant(Translator &translator,
                                       arith::ConstantOp op) {
  unsigned slot = translator.define(op.getResult());
  auto getWord = [](Attribute element) -> Word {
    if (auto number = dyn_cast<FloatAttr>(element))
      return number.getValue().bitcastToAPInt().getZExtValue();
    return cast<IntegerAttr>(element).getValue().getZExtValue();
  };
  Word *words = &translator.program.registers[slot];
  if (auto elements = dyn_cast<DenseElementsAttr>(op.getValue()))
    for (Attribute element : elements.getValues<Attribute>())
      *words++ = getWord(element);
  else if (isa<FloatAttr, IntegerAttr>(op.getValue()))
    *words = getWord(op.getValue());
  else
    return op.emitOpError("the simulator does not know constants of type ")
           << op.getType();
  return success();
}

static LogicalResult translateSelect(Translator &translator,
                                     arith::SelectOp op) {
  unsigned condition = translator.getSlot(op.getCondition()),
           a = translator.getSlot(op.getTrueValue()),
           b = translator.getSlot(op.getFalseValue()),
           result = translator.define(op.getResult()),
           lanes = Translator::getNumWords(op.getType()),
           step = isa<VectorType>(op.getCondition().getType()) ? 1 : 0;
  translator.emitPlain(op, [=](Thread &thread) {
    for (unsigned i = 0; i < lanes; ++i)
      thread.at(result + i) =
          thread.at((thread.at(condition + i * step) ? a : b) + i);
  });
  return success();
}

/// Between float types.
static LogicalResult translateFloatCast(Translator &translator, Operation *op) {
  withFormat(getElementTypeOrSelf(op->getOperand(0)), [&](auto from) {
    withFormat(getElementTypeOrSelf(op->getResult(0)), [&](auto to) {
      emitUnary(translator, op, [=](Word a) { return to.write(from.read(a)); });
    });
  });
  return success();
}

template <bool isSigned>
static LogicalResult translateIntToFloat(Translator &translator,
                                         Operation *op) {
  unsigned width = getOperandWidth(op);
  withFormat(getElementTypeOrSelf(op->getResult(0)), [&](auto format) {
    emitUnary(translator, op, [=](Word a) {
      using Float = decltype(format.read(a));
      return format.write(isSigned ? Float(toSigned(a, width)) : Float(a));
    });
  });
  return success();
}

/// A number that does not fit is an error: the result would be poison.
template <bool isSigned>
static LogicalResult translateFloatToInt(Translator &translator,
                                         Operation *op) {
  unsigned width = getWidth(getElementTypeOrSelf(op->getResult(0)));
  double low = isSigned ? -std::ldexp(1.0, width - 1) : 0.0,
         high = std::ldexp(1.0, isSigned ? width - 1 : width);
  unsigned a = translator.getSlot(op->getOperand(0)),
           result = translator.define(op->getResult(0)),
           lanes = Translator::getNumWords(op->getResult(0).getType());
  withFormat(getElementTypeOrSelf(op->getOperand(0)), [&](auto format) {
    translator.emit(op, [=](Thread &thread) -> LogicalResult {
      for (unsigned i = 0; i < lanes; ++i) {
        double value = std::trunc(double(format.read(thread.at(a + i))));
        if (!(value >= low && value < high))
          return fail(thread, op,
                      "expected a number that fits " + Twine(width) +
                          " bits, got " + std::to_string(value));
        thread.at(result + i) =
            truncate(isSigned ? Word(int64_t(value)) : Word(value), width);
      }
      return success();
    });
  });
  return success();
}

static LogicalResult translateBitcast(Translator &translator, Operation *op) {
  emitUnary(translator, op, [](Word a) { return a; });
  return success();
}

void simulator::addArithOps(OpTable &table) {
  addFloats(table);
  table.add<arith::CmpFOp>([](Translator &translator, arith::CmpFOp op) {
    withFormat(getElementTypeOrSelf(op.getLhs()), [&](auto format) {
      emitBinary(translator, op,
                 [=, predicate = op.getPredicate()](Word a, Word b) -> Word {
                   return compare(predicate, format.read(a), format.read(b));
                 });
    });
    return success();
  });
  table.add<arith::ConstantOp>(translateConstant);
  table.add<arith::SelectOp>(translateSelect);
  table.addAll<arith::ExtFOp, arith::TruncFOp>(translateFloatCast);
  table.addAll<arith::SIToFPOp>(translateIntToFloat<true>);
  table.addAll<arith::UIToFPOp>(translateIntToFloat<false>);
  table.addAll<arith::FPToSIOp>(translateFloatToInt<true>);
  table.addAll<arith::FPToUIOp>(translateFloatToInt<false>);
  table.addAll<arith::BitcastOp>(translateBitcast);
}
