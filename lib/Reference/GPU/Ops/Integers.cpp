//===- Integers.cpp - integers of any width -------------------------------===//

#include "Elementwise.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::rgnn;
using namespace mlir::rgnn::simulator;

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

static void addArithmetic(OpTable &table) {
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

void simulator::addIntegerOps(OpTable &table) {
  addArithmetic(table);
  table.add<arith::CmpIOp>([](Translator &translator, arith::CmpIOp op) {
    unsigned width = getOperandWidth(op);
    emitBinary(translator, op,
               [=, predicate = op.getPredicate()](Word a, Word b) -> Word {
                 return compare(predicate, a, b, width);
               });
    return success();
  });
  table.addAll<arith::ExtUIOp, arith::TruncIOp, arith::IndexCastUIOp>(
      translateIntCast<false>);
  table.addAll<arith::ExtSIOp, arith::IndexCastOp>(translateIntCast<true>);
}
