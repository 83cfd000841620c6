//===- Combine.cpp - what reductions and atomics do to two elements -------===//

#include "Elementwise.h"

#include "llvm/ADT/StringSwitch.h"

#include <cmath>

using namespace mlir;
using namespace mlir::rgnn;
using namespace mlir::rgnn::simulator;

namespace {
enum class Kind {
  Add,
  Mul,
  And,
  Or,
  Xor,
  Assign,
  MinSigned,
  MaxSigned,
  MinUnsigned,
  MaxUnsigned,
  Minimum,
  Maximum,
  MinNumber,
  MaxNumber,
  Unknown
};
} // namespace

static Kind parse(StringRef kind) {
  return llvm::StringSwitch<Kind>(kind)
      .Cases({"add", "addi", "addf"}, Kind::Add)
      .Cases({"mul", "muli", "mulf"}, Kind::Mul)
      .Cases({"and", "andi"}, Kind::And)
      .Cases({"or", "ori"}, Kind::Or)
      .Cases({"xor", "xori"}, Kind::Xor)
      .Case("assign", Kind::Assign)
      .Cases({"mins", "minsi"}, Kind::MinSigned)
      .Cases({"maxs", "maxsi"}, Kind::MaxSigned)
      .Cases({"minu", "minui"}, Kind::MinUnsigned)
      .Cases({"maxu", "maxui"}, Kind::MaxUnsigned)
      .Case("minimumf", Kind::Minimum)
      .Case("maximumf", Kind::Maximum)
      .Case("minnumf", Kind::MinNumber)
      .Case("maxnumf", Kind::MaxNumber)
      .Default(Kind::Unknown);
}

template <typename Number>
static Number combineFloats(Kind kind, Number a, Number b) {
  switch (kind) {
  case Kind::Add:
    return a + b;
  case Kind::Mul:
    return a * b;
  case Kind::Minimum:
    return std::isnan(a) ? a : std::isnan(b) || b < a ? b : a;
  case Kind::Maximum:
    return std::isnan(a) ? a : std::isnan(b) || b > a ? b : a;
  case Kind::MinNumber:
    return std::fmin(a, b);
  case Kind::MaxNumber:
    return std::fmax(a, b);
  default:
    return b;
  }
}

static Word combineIntegers(Kind kind, Word a, Word b, unsigned width) {
  switch (kind) {
  case Kind::Add:
    return a + b;
  case Kind::Mul:
    return a * b;
  case Kind::And:
    return a & b;
  case Kind::Or:
    return a | b;
  case Kind::Xor:
    return a ^ b;
  case Kind::MinSigned:
    return toSigned(a, width) < toSigned(b, width) ? a : b;
  case Kind::MaxSigned:
    return toSigned(a, width) > toSigned(b, width) ? a : b;
  case Kind::MinUnsigned:
    return std::min(a, b);
  case Kind::MaxUnsigned:
    return std::max(a, b);
  default:
    return b;
  }
}

static bool isOfFloats(Kind kind) {
  return kind == Kind::Add || kind == Kind::Mul || kind == Kind::Assign ||
         (kind >= Kind::Minimum && kind < Kind::Unknown);
}

Combine simulator::getCombine(StringRef name, Type element) {
  Kind kind = parse(name);
  if (isa<FloatType>(element) ? !isOfFloats(kind) : kind >= Kind::Minimum)
    return nullptr;
  if (!isa<FloatType>(element))
    return [kind, width = getWidth(element)](Word a, Word b) {
      return truncate(combineIntegers(kind, a, b, width), width);
    };
  return withFormat(element, [&](auto format) -> Combine {
    return [=](Word a, Word b) {
      return format.write(combineFloats(kind, format.read(a), format.read(b)));
    };
  });
}
