//===- Arithmetic.cpp - Instructions of numbers ---------------------------===//

#include "Decoder.h"

using namespace emulator;

/// What types an instruction has.
enum Types : unsigned {
  Unsigned = 1,
  Signed = 2,
  Integers = Unsigned | Signed,
  Single = 4,
  Double = 8,
  Reals = Single | Double,
  /// And pairs of them.
  Halves = 16,
  Floats = Reals | Halves,
};
template <typename T>
constexpr unsigned typeOf =
    std::is_unsigned_v<T>                          ? Unsigned
    : std::is_signed_v<T> && std::is_integral_v<T> ? Signed
    : std::is_same_v<T, float>                     ? Single
    : std::is_same_v<T, double>                    ? Double
                                                   : Halves;

template <typename Op, typename T, unsigned count>
static void elementwise(Warp &warp, const Instruction &now, Lanes lanes) {
  T *to = warp.get<T>(now.operands[0]);
  const T *a = warp.get<T>(now.operands[1]), *b = warp.get<T>(now.operands[2]),
          *c = warp.get<T>(now.operands[3]);
  forEach(lanes, [=](unsigned i) {
    if constexpr (count == 1)
      to[i] = apply<Op>(a[i]);
    else if constexpr (count == 2)
      to[i] = apply<Op>(a[i], b[i]);
    else
      to[i] = apply<Op>(a[i], b[i], c[i]);
  });
}

namespace {
struct Elementwise {
  /// Without the type.
  const char *name;
  /// Besides the result.
  unsigned numOperands;
  Handler (*select)(std::string_view type);
};
} // namespace

template <typename Op, unsigned count, unsigned types>
static constexpr Elementwise describe(const char *name) {
  return {name, count, [](std::string_view type) {
            return withType(type, [](auto tag) -> Handler {
              using T = typename decltype(tag)::type;
              if constexpr (types & typeOf<T>)
                return elementwise<Op, T, count>;
              return nullptr;
            });
          }};
}

static const Elementwise elementwiseInstructions[] = {
    describe<Add, 2, Integers | Floats>("add"),
    describe<Add, 2, Floats>("add.rn"),
    describe<AddZero, 2, Single>("add.rz"),
    describe<SubtractZero, 2, Single>("sub.rz"),
    describe<Subtract, 2, Integers | Floats>("sub"),
    describe<Subtract, 2, Floats>("sub.rn"),
    describe<Multiply, 2, Floats>("mul"),
    describe<Multiply, 2, Floats>("mul.rn"),
    describe<Multiply, 2, Integers>("mul.lo"),
    describe<MultiplyHigh, 2, Integers>("mul.hi"),
    describe<MultiplyAdd, 3, Integers>("mad.lo"),
    describe<MultiplyAdd, 3, Floats>("fma.rn"),
    describe<MultiplyAddDown, 3, Single>("fma.rm"),
    describe<MultiplyAddZero, 3, Single>("fma.rz"),
    describe<Divide, 2, Integers>("div"),
    describe<Divide, 2, Reals>("div.rn"),
    describe<Divide, 2, Single>("div.approx"),
    describe<Remainder, 2, Integers>("rem"),
    describe<Minimum, 2, Integers | Floats>("min"),
    describe<Maximum, 2, Integers | Floats>("max"),
    describe<MinimumNaN, 2, Single | Halves>("min.NaN"),
    describe<MaximumNaN, 2, Single | Halves>("max.NaN"),
    describe<And, 2, Unsigned>("and"),
    describe<Or, 2, Unsigned>("or"),
    describe<Xor, 2, Unsigned>("xor"),
    describe<Not, 1, Unsigned>("not"),
    describe<Negate, 1, Signed | Floats>("neg"),
    describe<Absolute, 1, Signed | Floats>("abs"),
    describe<CopySign, 2, Reals>("copysign"),
    describe<Reciprocal, 1, Reals>("rcp.rn"),
    describe<SquareRoot, 1, Reals>("sqrt.rn"),
    describe<ReciprocalRoot, 1, Reals>("rsqrt.approx"),
    describe<SquareRoot, 1, Single>("sqrt.approx"),
    describe<Flushed<Reciprocal>, 1, Single>("rcp.approx.ftz"),
    describe<ApproximateExp2, 1, Single>("ex2.approx"),
    describe<Flushed<ApproximateExp2>, 1, Single>("ex2.approx.ftz"),
};

static bool decodeElementwise(Decoder &decoder) {
  std::string_view name = decoder.statement->name, type = decoder.parts.back();
  for (const Elementwise &instruction : elementwiseInstructions) {
    if (name.substr(0, name.size() - type.size() - 1) != instruction.name)
      continue;
    decoder.expectOperands(1 + instruction.numOperands);
    for (unsigned i = 0; i <= instruction.numOperands; ++i)
      decoder.set(i, decoder.getName(i), getBytes(type));
    decoder.now.handler = instruction.select(type);
    return decoder.now.handler;
  }
  return false;
}

static bool decodePermute(Decoder &decoder) {
  bool shifts = decoder.statement->name == "shf.l.wrap.b32";
  if (!shifts && decoder.statement->name != "prmt.b32")
    return false;
  decoder.expectOperands(4);
  for (unsigned i = 0; i < 4; ++i)
    decoder.set(i, decoder.getName(i), 4);
  decoder.now.handler = shifts ? elementwise<FunnelShift, uint32_t, 3>
                               : elementwise<Permute, uint32_t, 3>;
  return true;
}

/// Sets a predicate of some lanes.
template <typename T, bool isLeft>
static void shift(Warp &warp, const Instruction &now, Lanes lanes) {
  T *to = warp.get<T>(now.operands[0]);
  const T *a = warp.get<T>(now.operands[1]);
  const uint32_t *b = warp.get<uint32_t>(now.operands[2]);
  constexpr uint32_t bits = 8 * sizeof(T);
  forEach(lanes, [=](unsigned i) {
    T beyond = !isLeft && std::is_signed_v<T> ? a[i] >> (bits - 1) : 0;
    to[i] = b[i] >= bits ? beyond : isLeft ? a[i] << b[i] : a[i] >> b[i];
  });
}

static bool decodeShift(Decoder &decoder) {
  std::string_view op = decoder.parts[0], type = decoder.parts.back();
  if ((op != "shl" && op != "shr") || decoder.parts.size() != 2)
    return false;
  decoder.now.handler = withType(type, [=](auto tag) -> Handler {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_integral_v<T>)
      return op == "shl" ? shift<std::make_unsigned_t<T>, true>
                         : shift<T, false>;
    return nullptr;
  });
  decoder.expectOperands(3);
  decoder.set(0, decoder.getName(0), getBytes(type));
  decoder.set(1, decoder.getName(1), getBytes(type));
  decoder.set(2, decoder.getName(2), 4);
  return decoder.now.handler;
}

/// `count` bits from `begin` on; beyond them, and beyond the number, are copies
/// of the sign of a signed one.
template <typename T>
static void extractBits(Warp &warp, const Instruction &now, Lanes lanes) {
  T *to = warp.get<T>(now.operands[0]);
  const T *a = warp.get<T>(now.operands[1]);
  const uint32_t *begin = warp.get<uint32_t>(now.operands[2]),
                 *count = warp.get<uint32_t>(now.operands[3]);
  constexpr unsigned bits = 8 * sizeof(T);
  forEach(lanes, [=](unsigned i) {
    unsigned first = begin[i] & 255, length = count[i] & 255;
    T beyond = std::is_signed_v<T> ? a[i] >> (bits - 1) : 0;
    T value = first < bits ? a[i] >> first : beyond;
    if (length == 0)
      value = 0;
    else if (length < bits)
      value = T(widened(value) << (bits - length)) >> (bits - length);
    to[i] = value;
  });
}

template <typename T, bool isPopulation>
static void countBits(Warp &warp, const Instruction &now, Lanes lanes) {
  uint32_t *to = warp.get<uint32_t>(now.operands[0]);
  const T *a = warp.get<T>(now.operands[1]);
  constexpr unsigned bits = 8 * sizeof(T);
  forEach(lanes, [=](unsigned i) {
    to[i] = isPopulation ? __builtin_popcountll(a[i])
            : a[i]       ? __builtin_clzll(a[i]) - (64 - bits)
                         : bits;
  });
}

static bool decodeBits(Decoder &decoder) {
  std::string_view op = decoder.parts[0], type = decoder.parts.back();
  unsigned bytes = getBytes(type);
  if (decoder.parts.size() != 2)
    return false;
  if (op == "bfe") {
    decoder.now.handler = withType(type, [](auto tag) -> Handler {
      using T = typename decltype(tag)::type;
      if constexpr (std::is_integral_v<T> && sizeof(T) >= 4)
        return extractBits<T>;
      return nullptr;
    });
    decoder.expectOperands(4);
    decoder.set(0, decoder.getName(0), bytes);
    decoder.set(1, decoder.getName(1), bytes);
    decoder.set(2, decoder.getName(2), 4);
    decoder.set(3, decoder.getName(3), 4);
    return decoder.now.handler;
  }
  bool isPopulation = op == "popc";
  if ((!isPopulation && op != "clz") || (type != "b32" && type != "b64"))
    return false;
  decoder.expectOperands(2);
  decoder.set(0, decoder.getName(0), 4);
  decoder.set(1, decoder.getName(1), bytes);
  decoder.now.handler = bytes == 4
                            ? (isPopulation ? countBits<uint32_t, true>
                                            : countBits<uint32_t, false>)
                            : (isPopulation ? countBits<uint64_t, true>
                                            : countBits<uint64_t, false>);
  return true;
}

template <typename T, typename Wide, bool adds>
static void multiplyWide(Warp &warp, const Instruction &now, Lanes lanes) {
  Wide *to = warp.get<Wide>(now.operands[0]);
  const T *a = warp.get<T>(now.operands[1]), *b = warp.get<T>(now.operands[2]);
  const Wide *c = warp.get<Wide>(now.operands[3]);
  using U = std::make_unsigned_t<Wide>;
  forEach(lanes, [=](unsigned i) {
    U product = static_cast<U>(static_cast<Wide>(a[i])) *
                static_cast<U>(static_cast<Wide>(b[i]));
    to[i] = adds ? product + static_cast<U>(c[i]) : product;
  });
}

/// What the last operand is added to: the first, or a half of the product of
/// the first two; or it is taken from the first.
enum class Addend { First, Low, High, Minus };

/// A carry, or what a difference borrows, goes into 32 bits, or out of them.
template <Addend addend, bool reads, bool writes>
static void addCarry(Warp &warp, const Instruction &now, Lanes lanes) {
  uint32_t *to = warp.get<uint32_t>(now.operands[0]);
  const uint32_t *a = warp.get<uint32_t>(now.operands[1]),
                 *b = warp.get<uint32_t>(now.operands[2]),
                 *c = warp.get<uint32_t>(now.operands[3]);
  for (; lanes; lanes &= lanes - 1) {
    unsigned i = __builtin_ctz(lanes);
    uint64_t product = uint64_t(a[i]) * b[i];
    uint32_t other = addend == Addend::High  ? product >> 32
                     : addend == Addend::Low ? product
                                             : a[i];
    uint64_t last = uint64_t(c[i]) + (reads && warp.carry >> i & 1);
    uint64_t sum = addend == Addend::Minus ? other - last : other + last;
    to[i] = static_cast<uint32_t>(sum);
    if (writes)
      warp.carry = (warp.carry & ~(Lanes(1) << i)) | Lanes(sum >> 32 & 1) << i;
  }
}

static bool decodeCarry(Decoder &decoder) {
  using A = Addend;
  static const std::pair<const char *, Handler> handlers[] = {
      {"add.cc.u32", addCarry<A::First, false, true>},
      {"addc.cc.u32", addCarry<A::First, true, true>},
      {"addc.u32", addCarry<A::First, true, false>},
      {"sub.cc.u32", addCarry<A::Minus, false, true>},
      {"subc.cc.u32", addCarry<A::Minus, true, true>},
      {"subc.u32", addCarry<A::Minus, true, false>},
      {"mad.lo.cc.u32", addCarry<A::Low, false, true>},
      {"madc.lo.cc.u32", addCarry<A::Low, true, true>},
      {"madc.hi.cc.u32", addCarry<A::High, true, true>},
      {"madc.hi.u32", addCarry<A::High, true, false>}};
  for (auto [name, handler] : handlers) {
    if (decoder.statement->name != name)
      continue;
    bool multiplies = name[0] == 'm';
    decoder.expectOperands(multiplies ? 4 : 3);
    for (unsigned i = 0; i < 3; ++i)
      decoder.set(i, decoder.getName(i), 4);
    decoder.set(3, decoder.getName(multiplies ? 3 : 2), 4);
    decoder.now.handler = handler;
    return true;
  }
  return false;
}

static bool decodeWide(Decoder &decoder) {
  std::string_view op = decoder.parts[0], type = decoder.parts.back();
  bool adds = op == "mad";
  if ((!adds && op != "mul") || decoder.parts.size() != 3 ||
      !decoder.has("wide"))
    return false;
  unsigned bytes = getBytes(type);
  decoder.expectOperands(adds ? 4 : 3);
  decoder.set(0, decoder.getName(0), 2 * bytes);
  decoder.set(1, decoder.getName(1), bytes);
  decoder.set(2, decoder.getName(2), bytes);
  decoder.now.operands[3] = decoder.now.operands[0];
  if (adds)
    decoder.set(3, decoder.getName(3), 2 * bytes);
  auto select = [&](auto tag, auto wide) -> Handler {
    using T = typename decltype(tag)::type;
    using W = typename decltype(wide)::type;
    return adds ? multiplyWide<T, W, true> : multiplyWide<T, W, false>;
  };
  decoder.now.handler = type == "u32" ? select(Tag<uint32_t>(), Tag<uint64_t>())
                        : type == "s32" ? select(Tag<int32_t>(), Tag<int64_t>())
                        : type == "u16"
                            ? select(Tag<uint16_t>(), Tag<uint32_t>())
                        : type == "s16" ? select(Tag<int16_t>(), Tag<int32_t>())
                                        : nullptr;
  return decoder.now.handler;
}

/// The upper half of the reciprocal.
static void reciprocalApprox(Warp &warp, const Instruction &now, Lanes lanes) {
  double *to = warp.get<double>(now.operands[0]);
  const double *a = warp.get<double>(now.operands[1]);
  forEach(lanes, [=](unsigned i) {
    double result = flushed(1 / flushed(a[i]));
    to[i] = bitCast<double>(bitCast<uint64_t>(result) >> 32 << 32);
  });
}

static bool decodeApproximation(Decoder &decoder) {
  if (decoder.statement->name != "rcp.approx.ftz.f64")
    return false;
  decoder.expectOperands(2);
  decoder.set(0, decoder.getName(0), 8);
  decoder.set(1, decoder.getName(1), 8);
  decoder.now.handler = reciprocalApprox;
  return true;
}

bool emulator::decodeArithmetic(Decoder &decoder) {
  return decodeElementwise(decoder) || decodePermute(decoder) ||
         decodeShift(decoder) || decodeBits(decoder) ||
         decodeApproximation(decoder) || decodeCarry(decoder) ||
         decodeWide(decoder);
}
