//===- Conversion.cpp - Moves, and conversions from type to type ----------===//

#include "Decoder.h"

using namespace emulator;

namespace {
struct Cast {
  template <typename To, typename From>
  static To run(From value) {
    if constexpr (isHalf<From>)
      return static_cast<To>(float(value));
    else
      return static_cast<To>(value);
  }
};
/// To integers, but as floats.
struct RoundNearest {
  template <typename To, typename From>
  static To run(From value) {
    return std::nearbyint(value);
  }
};
struct RoundDown {
  template <typename To, typename From>
  static To run(From value) {
    return std::floor(value);
  }
};
struct RoundUp {
  template <typename To, typename From>
  static To run(From value) {
    return std::ceil(value);
  }
};
struct RoundZero {
  template <typename To, typename From>
  static To run(From value) {
    return std::trunc(value);
  }
};
struct Saturate {
  template <typename To, typename From>
  static To run(From value) {
    return value > 1 ? 1 : value > 0 ? value : 0;
  }
};
/// To integers, by `Round`; what is beyond them is the nearest.
template <typename Round>
struct ToInteger {
  template <typename To, typename From>
  static To run(From value) {
    double number = Round::template run<double>(double(value));
    using Limits = std::numeric_limits<To>;
    if (std::isnan(number))
      return sizeof(From) == 8 || sizeof(To) == 8
                 ? To(uint64_t(1) << (8 * sizeof(To) - 1))
                 : 0;
    if (number <= static_cast<double>(Limits::min()))
      return Limits::min();
    if (number >= static_cast<double>(Limits::max()))
      return Limits::max();
    return static_cast<To>(number);
  }
};
/// 10 bits of a float's fraction, to the nearest.
struct TF32 {
  template <typename To, typename From>
  static To run(From value) {
    auto bits = bitCast<uint32_t>(value);
    if (!std::isfinite(value))
      return bits;
    return (bits + 0x1000) & ~uint32_t(0x1FFF);
  }
};
} // namespace

template <typename Op, typename To, typename From>
static void convert(Warp &warp, const Instruction &now, Lanes lanes) {
  To *to = warp.get<To>(now.operands[0]);
  const From *from = warp.get<From>(now.operands[1]);
  forEach(lanes,
          [=](unsigned i) { to[i] = Op::template run<To, From>(from[i]); });
}

template <typename H>
static void pack(Warp &warp, const Instruction &now, Lanes lanes) {
  auto *to = warp.get<Pair<H>>(now.operands[0]);
  const float *high = warp.get<float>(now.operands[1]),
              *low = warp.get<float>(now.operands[2]);
  forEach(lanes, [=](unsigned i) { to[i] = {H(low[i]), H(high[i])}; });
}

/// `rounding` says how, and is empty where every number has its like.
template <typename To, typename From>
static Handler selectConversion(std::string_view rounding) {
  constexpr bool fromInteger = std::is_integral_v<From>,
                 toInteger = std::is_integral_v<To>;
  if constexpr (isPair<To> || isPair<From>) {
    return nullptr;
  } else if constexpr (toInteger && !fromInteger) {
    return rounding == "rzi"   ? convert<ToInteger<RoundZero>, To, From>
           : rounding == "rni" ? convert<ToInteger<RoundNearest>, To, From>
                               : nullptr;
  } else if constexpr (std::is_same_v<To, From> &&
                       std::is_floating_point_v<To>) {
    return rounding == "rni"   ? convert<RoundNearest, To, From>
           : rounding == "rmi" ? convert<RoundDown, To, From>
           : rounding == "rpi" ? convert<RoundUp, To, From>
           : rounding == "rzi" ? convert<RoundZero, To, From>
           : rounding == "sat" ? convert<Saturate, To, From>
                               : nullptr;
  } else {
    constexpr bool isExact =
        fromInteger ? toInteger : sizeof(To) > sizeof(From);
    return rounding == (isExact ? "" : "rn") ? convert<Cast, To, From>
                                             : nullptr;
  }
}

static bool decodeConvert(Decoder &decoder) {
  const auto &parts = decoder.parts;
  if (parts[0] != "cvt" || parts.size() < 3 || parts.size() > 4)
    return false;
  std::string_view from = parts.back(), to = parts[parts.size() - 2],
                   rounding = parts.size() == 4 ? parts[1] : "";
  if (to == "f16x2" || to == "bf16x2") {
    decoder.expectOperands(3);
    for (unsigned i = 0; i < 3; ++i)
      decoder.set(i, decoder.getName(i), 4);
    decoder.now.handler = to == "f16x2" ? pack<Half> : pack<BFloat>;
    return from == "f32" && rounding == "rn";
  }
  decoder.expectOperands(2);
  decoder.set(0, decoder.getName(0), getBytes(to));
  decoder.set(1, decoder.getName(1), getBytes(from));
  if (to == "tf32") {
    decoder.now.handler = convert<TF32, uint32_t, float>;
    return from == "f32" && rounding == "rna";
  }
  decoder.now.handler = withType(to, [&](auto toTag) {
    return withType(from, [&](auto fromTag) {
      return selectConversion<typename decltype(toTag)::type,
                              typename decltype(fromTag)::type>(rounding);
    });
  });
  return decoder.now.handler;
}

template <typename T>
static void move(Warp &warp, const Instruction &now, Lanes lanes) {
  T *to = warp.get<T>(now.operands[0]);
  const T *from = warp.get<T>(now.operands[1]);
  forEach(lanes, [=](unsigned i) { to[i] = from[i]; });
}

template <typename Narrow, typename Wide>
static void join(Warp &warp, const Instruction &now, Lanes lanes) {
  Wide *to = warp.get<Wide>(now.operands[0]);
  const Narrow *low = warp.get<Narrow>(now.operands[1]),
               *high = warp.get<Narrow>(now.operands[2]);
  forEach(lanes, [=](unsigned i) {
    to[i] = static_cast<Wide>(high[i]) << (8 * sizeof(Narrow)) | low[i];
  });
}

template <typename Narrow, typename Wide>
static void divide(Warp &warp, const Instruction &now, Lanes lanes) {
  Narrow *low = warp.get<Narrow>(now.operands[0]),
         *high = warp.get<Narrow>(now.operands[1]);
  const Wide *from = warp.get<Wide>(now.operands[2]);
  forEach(lanes, [=](unsigned i) {
    Wide whole = from[i];
    low[i] = static_cast<Narrow>(whole);
    high[i] = static_cast<Narrow>(whole >> (8 * sizeof(Narrow)));
  });
}

static bool decodeMove(Decoder &decoder) {
  if (decoder.parts[0] != "mov" || decoder.parts.size() != 2)
    return false;
  decoder.expectOperands(2);
  unsigned bytes = getBytes(decoder.parts[1]);
  Instruction &now = decoder.now;
  const Operand &to = decoder.statement->operands[0],
                &from = decoder.statement->operands[1];
  if (to.kind == Operand::List || from.kind == Operand::List) {
    bool joins = from.kind == Operand::List;
    const Operand &parts = joins ? from : to, &whole = joins ? to : from;
    if (parts.names.size() != 2 || whole.kind != Operand::Single)
      return false;
    decoder.set(joins ? 1 : 0, parts.names[0], bytes / 2);
    decoder.set(joins ? 2 : 1, parts.names[1], bytes / 2);
    decoder.set(joins ? 0 : 2, whole.names[0], bytes);
    now.handler =
        bytes == 8
            ? (joins ? join<uint32_t, uint64_t> : divide<uint32_t, uint64_t>)
        : bytes == 4
            ? (joins ? join<uint16_t, uint32_t> : divide<uint16_t, uint32_t>)
            : nullptr;
    return now.handler;
  }
  decoder.set(0, decoder.getName(0), bytes);
  decoder.set(1, decoder.getName(1), bytes);
  now.handler = bytes == 2   ? move<uint16_t>
                : bytes == 4 ? move<uint32_t>
                : bytes == 8 ? move<uint64_t>
                             : nullptr;
  return now.handler;
}

bool emulator::decodeConversion(Decoder &decoder) {
  const std::string &name = decoder.statement->name;
  if (name.rfind("cvta", 0) == 0) {
    // Memory of the GPU has the same addresses everywhere.
    decoder.expectOperands(2);
    decoder.set(0, decoder.getName(0), 8);
    decoder.set(1, decoder.getName(1), 8);
    decoder.now.handler = move<uint64_t>;
    decoder.now.isFolded = true;
    return name == "cvta.to.global.u64" || name == "cvta.global.u64";
  }
  return decodeConvert(decoder) || decodeMove(decoder);
}
