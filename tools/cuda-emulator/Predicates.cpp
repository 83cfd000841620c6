//===- Predicates.cpp - Comparisons, and what follows from them -----------===//

#include "Decoder.h"

using namespace emulator;

static void assign(Lanes &to, Lanes lanes, Lanes value) {
  to = (to & ~lanes) | (value & lanes);
}

template <typename Op>
static void predicates(Warp &warp, const Instruction &now, Lanes lanes) {
  assign(warp.predicate(now.operands[0]), lanes,
         Op::run(warp.predicate(now.operands[1]),
                 warp.predicate(now.operands[2])));
}

/// `not`, `and`, `or`, `xor` and `mov` of predicates.
static bool decodePredicates(Decoder &decoder) {
  std::string_view op = decoder.parts[0];
  if (decoder.parts.back() != "pred")
    return false;
  Handler handler = op == "and"   ? predicates<And>
                    : op == "or"  ? predicates<Or>
                    : op == "xor" ? predicates<Xor>
                    : op == "mov" ? predicates<And>
                    : op == "not" ? predicates<Xor>
                                  : nullptr;
  bool isUnary = op == "mov" || op == "not";
  decoder.expectOperands(isUnary ? 2 : 3);
  for (unsigned i = 0; i < 3; ++i)
    decoder.now.operands[i] =
        decoder.getPredicate(i == 2 && isUnary ? "1" : decoder.getName(i));
  decoder.now.handler = handler;
  return handler;
}

enum Order { Less, Equal, Greater, Unordered };
template <typename T>
static Order getOrder(T a, T b) {
  return a < b ? Less : a == b ? Equal : a > b ? Greater : Unordered;
}

template <typename T>
static void setPredicate(Warp &warp, const Instruction &now, Lanes lanes) {
  const T *a = warp.get<T>(now.operands[2]), *b = warp.get<T>(now.operands[3]);
  // Which of the four orders make it true.
  unsigned wanted = now.number;
  Lanes result = 0;
  forEach(lanes, [&](unsigned i) {
    result |= Lanes(wanted >> getOrder(a[i], b[i]) & 1) << i;
  });
  assign(warp.predicate(now.operands[0]), lanes, result);
}

template <typename P>
static void setPredicates(Warp &warp, const Instruction &now, Lanes lanes) {
  const P *a = warp.get<P>(now.operands[2]), *b = warp.get<P>(now.operands[3]);
  unsigned wanted = now.number;
  Lanes low = 0, high = 0;
  forEach(lanes, [&](unsigned i) {
    low |= Lanes(wanted >> getOrder(a[i].low, b[i].low) & 1) << i;
    high |= Lanes(wanted >> getOrder(a[i].high, b[i].high) & 1) << i;
  });
  assign(warp.predicate(now.operands[0]), lanes, low);
  assign(warp.predicate(now.operands[1]), lanes, high);
}

/// Which orders a comparison is true for; 0 for an unknown one.
static unsigned getOrders(std::string_view name) {
  constexpr unsigned lt = 1 << Less, eq = 1 << Equal, gt = 1 << Greater,
                     un = 1 << Unordered;
  if (name == "num")
    return lt | eq | gt;
  if (name == "nan")
    return un;
  bool orUnordered = name.size() == 3 && name[2] == 'u';
  std::string_view base = name.substr(0, 2);
  unsigned orders = base == "eq"                   ? eq
                    : base == "ne"                 ? lt | gt
                    : base == "lt" || base == "lo" ? lt
                    : base == "le" || base == "ls" ? lt | eq
                    : base == "gt" || base == "hi" ? gt
                    : base == "ge" || base == "hs" ? gt | eq
                                                   : 0;
  return orders ? orders | (orUnordered ? un : 0) : 0;
}

static bool decodeSetPredicate(Decoder &decoder) {
  if (decoder.parts[0] != "setp" || decoder.parts.size() != 3)
    return false;
  std::string_view type = decoder.parts.back();
  decoder.expectOperands(3);
  const Operand &to = decoder.getOperand(0, Operand::Single);
  bool areTwo = type == "f16x2" || type == "bf16x2";
  decoder.now.number = getOrders(decoder.parts[1]);
  if (to.names.size() != (areTwo ? 2 : 1) || decoder.now.number == 0)
    return false;
  decoder.now.operands[0] = decoder.getPredicate(to.names[0]);
  decoder.now.operands[1] = decoder.getPredicate(to.names.back());
  decoder.set(2, decoder.getName(1), getBytes(type));
  decoder.set(3, decoder.getName(2), getBytes(type));
  decoder.now.handler = withType(type, [](auto tag) -> Handler {
    using T = typename decltype(tag)::type;
    if constexpr (isPair<T>)
      return setPredicates<T>;
    else
      return setPredicate<T>;
  });
  return decoder.now.handler;
}

template <typename T>
static void select(Warp &warp, const Instruction &now, Lanes lanes) {
  T *to = warp.get<T>(now.operands[0]);
  const T *a = warp.get<T>(now.operands[1]), *b = warp.get<T>(now.operands[2]);
  Lanes predicate = warp.predicate(now.operands[3]);
  forEach(lanes, [=](unsigned i) { to[i] = predicate >> i & 1 ? a[i] : b[i]; });
}

static bool decodeSelect(Decoder &decoder) {
  if (decoder.parts[0] != "selp")
    return false;
  unsigned bytes = getBytes(decoder.parts.back());
  decoder.expectOperands(4);
  for (unsigned i = 0; i < 3; ++i)
    decoder.set(i, decoder.getName(i), bytes);
  decoder.now.operands[3] = decoder.getPredicate(decoder.getName(3));
  decoder.now.handler = bytes == 2   ? select<uint16_t>
                        : bytes == 4 ? select<uint32_t>
                        : bytes == 8 ? select<uint64_t>
                                     : nullptr;
  return decoder.now.handler;
}

bool emulator::decodePredicate(Decoder &decoder) {
  return decodePredicates(decoder) || decodeSetPredicate(decoder) ||
         decodeSelect(decoder);
}
