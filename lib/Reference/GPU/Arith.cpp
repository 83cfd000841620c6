//===- Arith.cpp - integers, floats and casts -----------------------------===//

#include "Elementwise.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <cmath>

using namespace mlir;
using namespace mlir::rgnn;
using namespace mlir::rgnn::simulator;

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

using IntBinary = Word (*)(Word a, Word b, unsigned width);

static unsigned getOperandWidth(Operation *op) {
  return getWidth(getElementTypeOrSelf(op->getOperand(0)));
}

template <typename OpTy>
static void addInt(OpTable &table, IntBinary fn) {
  table.addAll<OpTy>([fn](Translator &translator, Operation *op) {
    unsigned width = getOperandWidth(op);
    emitBinary(translator, op, [=](Word a, Word b) {
      return truncate(fn(a, b, width), width);
    });
    return success();
  });
}

/// An integer op whose second operand, a divisor or a number of bits, must be
/// valid.
template <typename OpTy>
static void addPartialInt(OpTable &table, StringRef expected,
                          bool (*isValid)(Word b, unsigned width),
                          IntBinary fn) {
  table.addAll<OpTy>([=](Translator &translator, Operation *op) {
    unsigned width = getOperandWidth(op);
    unsigned b = translator.getSlot(op->getOperand(1)),
             lanes = Translator::getNumWords(op->getResult(0).getType());
    translator.emit(op, [=](Thread &thread) -> LogicalResult {
      for (unsigned i = 0; i < lanes; ++i)
        if (!isValid(thread.at(b + i), width))
          return fail(thread, op,
                      "expected " + expected + ", got " +
                          Twine(toSigned(thread.at(b + i), width)));
      return success();
    });
    emitBinary(translator, op, [=](Word a, Word b) {
      return truncate(fn(a, b, width), width);
    });
    return success();
  });
}

/// Rounds towards minus infinity, or with `up` towards infinity.
static int64_t divide(int64_t a, int64_t b, bool up) {
  int64_t quotient = a / b;
  bool isExact = quotient * b == a;
  if (!isExact && ((a < 0) == (b < 0)) == up)
    quotient += up ? 1 : -1;
  return quotient;
}

static void addIntegers(OpTable &table) {
  addInt<arith::AddIOp>(table, [](Word a, Word b, unsigned) { return a + b; });
  addInt<arith::SubIOp>(table, [](Word a, Word b, unsigned) { return a - b; });
  addInt<arith::MulIOp>(table, [](Word a, Word b, unsigned) { return a * b; });
  addInt<arith::AndIOp>(table, [](Word a, Word b, unsigned) { return a & b; });
  addInt<arith::OrIOp>(table, [](Word a, Word b, unsigned) { return a | b; });
  addInt<arith::XOrIOp>(table, [](Word a, Word b, unsigned) { return a ^ b; });
  addInt<arith::MinUIOp>(
      table, [](Word a, Word b, unsigned) { return std::min(a, b); });
  addInt<arith::MaxUIOp>(
      table, [](Word a, Word b, unsigned) { return std::max(a, b); });
  addInt<arith::MinSIOp>(table, [](Word a, Word b, unsigned width) {
    return toSigned(a, width) < toSigned(b, width) ? a : b;
  });
  addInt<arith::MaxSIOp>(table, [](Word a, Word b, unsigned width) {
    return toSigned(a, width) > toSigned(b, width) ? a : b;
  });

  StringRef divisor = "a divisor other than 0";
  auto isNotZero = [](Word b, unsigned) { return b != 0; };
  addPartialInt<arith::DivUIOp>(table, divisor, isNotZero,
                                [](Word a, Word b, unsigned) { return a / b; });
  addPartialInt<arith::RemUIOp>(table, divisor, isNotZero,
                                [](Word a, Word b, unsigned) { return a % b; });
  addPartialInt<arith::CeilDivUIOp>(
      table, divisor, isNotZero,
      [](Word a, Word b, unsigned) { return a / b + (a % b != 0); });
  addPartialInt<arith::DivSIOp>(
      table, divisor, isNotZero, [](Word a, Word b, unsigned width) {
        // The smallest number over -1 does not fit.
        return toSigned(b, width) == -1
                   ? -a
                   : Word(toSigned(a, width) / toSigned(b, width));
      });
  addPartialInt<arith::RemSIOp>(
      table, divisor, isNotZero, [](Word a, Word b, unsigned width) {
        return toSigned(b, width) == -1
                   ? Word(0)
                   : Word(toSigned(a, width) % toSigned(b, width));
      });
  addPartialInt<arith::CeilDivSIOp>(
      table, divisor, isNotZero, [](Word a, Word b, unsigned width) {
        return Word(divide(toSigned(a, width), toSigned(b, width), true));
      });
  addPartialInt<arith::FloorDivSIOp>(
      table, divisor, isNotZero, [](Word a, Word b, unsigned width) {
        return Word(divide(toSigned(a, width), toSigned(b, width), false));
      });

  StringRef bits = "to shift by less than the width";
  auto isBelowWidth = [](Word b, unsigned width) { return b < width; };
  addPartialInt<arith::ShLIOp>(table, bits, isBelowWidth,
                               [](Word a, Word b, unsigned) { return a << b; });
  addPartialInt<arith::ShRUIOp>(
      table, bits, isBelowWidth,
      [](Word a, Word b, unsigned) { return a >> b; });
  addPartialInt<arith::ShRSIOp>(table, bits, isBelowWidth,
                                [](Word a, Word b, unsigned width) {
                                  return Word(toSigned(a, width) >> b);
                                });
}

static bool compare(arith::CmpIPredicate predicate, Word a, Word b,
                    unsigned width) {
  int64_t x = toSigned(a, width), y = toSigned(b, width);
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return a == b;
  case arith::CmpIPredicate::ne:
    return a != b;
  case arith::CmpIPredicate::slt:
    return x < y;
  case arith::CmpIPredicate::sle:
    return x <= y;
  case arith::CmpIPredicate::sgt:
    return x > y;
  case arith::CmpIPredicate::sge:
    return x >= y;
  case arith::CmpIPredicate::ult:
    return a < b;
  case arith::CmpIPredicate::ule:
    return a <= b;
  case arith::CmpIPredicate::ugt:
    return a > b;
  case arith::CmpIPredicate::uge:
    return a >= b;
  }
  llvm_unreachable("unknown predicate");
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

/// Between integer types: extended by sign or by zeros, and cut.
template <bool isSigned>
static LogicalResult translateIntCast(Translator &translator, Operation *op) {
  unsigned from = getOperandWidth(op),
           to = getWidth(getElementTypeOrSelf(op->getResult(0)));
  emitUnary(translator, op, [=](Word a) {
    return truncate(isSigned ? toSigned(a, from) : a, to);
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
  addIntegers(table);
  addFloats(table);
  table.add<arith::CmpIOp>([](Translator &translator, arith::CmpIOp op) {
    unsigned width = getOperandWidth(op);
    emitBinary(translator, op,
               [=, predicate = op.getPredicate()](Word a, Word b) -> Word {
                 return compare(predicate, a, b, width);
               });
    return success();
  });
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
  table.addAll<arith::ExtUIOp, arith::TruncIOp, arith::IndexCastUIOp>(
      translateIntCast<false>);
  table.addAll<arith::ExtSIOp, arith::IndexCastOp>(translateIntCast<true>);
  table.addAll<arith::ExtFOp, arith::TruncFOp>(translateFloatCast);
  table.addAll<arith::SIToFPOp>(translateIntToFloat<true>);
  table.addAll<arith::UIToFPOp>(translateIntToFloat<false>);
  table.addAll<arith::FPToSIOp>(translateFloatToInt<true>);
  table.addAll<arith::FPToUIOp>(translateFloatToInt<false>);
  table.addAll<arith::BitcastOp>(translateBitcast);
}
