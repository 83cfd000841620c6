//===- Numbers.h - The types of PTX and what they compute -------*- C++ -*-===//

#ifndef RGNN_TOOLS_CUDAEMULATOR_NUMBERS_H
#define RGNN_TOOLS_CUDAEMULATOR_NUMBERS_H

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

namespace emulator {

template <typename To, typename From>
To bitCast(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  memcpy(&to, &from, sizeof(To));
  return to;
}

struct Half {
  Half() = default;
  Half(double value) : bits(bitCast<uint16_t>(static_cast<_Float16>(value))) {}
  operator float() const { return bitCast<_Float16>(bits); }
  uint16_t bits;
};

struct BFloat {
  BFloat() = default;
  BFloat(double value) {
    // To odd first, so that the second rounding sees what the first cut off.
    float cut = static_cast<float>(value);
    auto word = bitCast<uint32_t>(cut);
    if (std::isnan(value)) {
      bits = 0x7FFF;
      return;
    }
    if (cut != value && !std::isinf(cut)) {
      if (std::fabs(static_cast<double>(cut)) > std::fabs(value))
        --word;
      word |= 1;
    }
    bits = (word + 0x7FFF + (word >> 16 & 1)) >> 16;
  }
  operator float() const {
    return bitCast<float>(static_cast<uint32_t>(bits) << 16);
  }
  uint16_t bits;
};

/// Two numbers of 16 bits in a register of 32.
template <typename T>
struct Pair {
  T low, high;
};

template <typename T>
constexpr bool isFloat = std::is_floating_point_v<T> ||
                         std::is_same_v<T, Half> || std::is_same_v<T, BFloat>;
template <typename T>
constexpr bool isHalf = std::is_same_v<T, Half> || std::is_same_v<T, BFloat>;

template <typename T>
constexpr bool isPair = false;
template <typename T>
constexpr bool isPair<Pair<T>> = true;

/// What a number is computed in: one whose overflow has a meaning, or that
/// holds the sums and products of halves.
template <typename T>
auto widened(T value) {
  if constexpr (isHalf<T>)
    return static_cast<double>(float(value));
  else if constexpr (isFloat<T>)
    return value;
  else
    return static_cast<std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>>(
        value);
}

template <typename T>
bool isNaN(T value) {
  if constexpr (isFloat<T>)
    return std::isnan(widened(value));
  return false;
}

/// Whether `a` is the less; -0 is less than 0.
template <typename T>
bool isLess(T a, T b) {
  if constexpr (isFloat<T>)
    return a < b || (a == b && std::signbit(widened(a)));
  return a < b;
}

/// A sum that is odd where it is not exact: rounding it to fewer bits gives
/// what rounding the exact sum would.
inline double addToOdd(double a, double b) {
  double sum = a + b, part = sum - a;
  double error = (a - (sum - part)) + (b - part);
  auto bits = bitCast<uint64_t>(sum);
  if ((error < 0 || error > 0) && bits % 2 == 0)
    bits += (error > 0) == (sum > 0) ? 1 : -1;
  return bitCast<double>(bits);
}

struct Add {
  template <typename T>
  static T run(T a, T b) {
    return T(widened(a) + widened(b));
  }
};
struct Subtract {
  template <typename T>
  static T run(T a, T b) {
    return T(widened(a) - widened(b));
  }
};
struct Multiply {
  template <typename T>
  static T run(T a, T b) {
    return T(widened(a) * widened(b));
  }
};
struct MultiplyHigh {
  template <typename T>
  static T run(T a, T b) {
    using Half = std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>;
    using Whole =
        std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>;
    using Wide = std::conditional_t<sizeof(T) == 8, Whole, Half>;
    return static_cast<Wide>(a) * static_cast<Wide>(b) >> (8 * sizeof(T));
  }
};
struct MultiplyAdd {
  template <typename T>
  static T run(T a, T b, T c) {
    if constexpr (isHalf<T>)
      return T(addToOdd(widened(a) * widened(b), widened(c)));
    else if constexpr (isFloat<T>)
      return std::fma(a, b, c);
    else
      return T(widened(a) * widened(b) + widened(c));
  }
};
/// Rounds down.
struct MultiplyAddDown {
  static float run(float a, float b, float c) {
    double product = static_cast<double>(a) * b; // exact
    double sum = addToOdd(product, c);
    if (sum == 0)
      return std::signbit(product) || std::signbit(c) ? -0.0f : 0.0f;
    auto rounded = static_cast<float>(sum);
    return rounded > sum ? std::nextafter(rounded, -HUGE_VALF) : rounded;
  }
};
/// The nearest that is no further from zero.
inline float roundToZero(double value) {
  auto rounded = static_cast<float>(value);
  return std::fabs(rounded) > std::fabs(value) ? std::nextafter(rounded, 0.0f)
                                               : rounded;
}
struct AddZero {
  static float run(float a, float b) { return roundToZero(addToOdd(a, b)); }
};
struct MultiplyAddZero {
  static float run(float a, float b, float c) {
    return roundToZero(addToOdd(static_cast<double>(a) * b, c));
  }
};
struct SubtractZero {
  static float run(float a, float b) { return AddZero::run(a, -b); }
};
struct Divide {
  template <typename T>
  static T run(T a, T b) {
    if constexpr (isFloat<T>)
      return a / b;
    else if (b == 0)
      return -1;
    else if (std::is_signed_v<T> && b == T(-1))
      return T(-widened(a));
    else
      return a / b;
  }
};
struct Remainder {
  template <typename T>
  static T run(T a, T b) {
    if (b == 0)
      return a;
    return std::is_signed_v<T> && b == T(-1) ? 0 : a % b;
  }
};
struct Minimum {
  template <typename T>
  static T run(T a, T b) {
    return isNaN(a) ? b : isNaN(b) || isLess(a, b) ? a : b;
  }
};
struct Maximum {
  template <typename T>
  static T run(T a, T b) {
    return isNaN(a) ? b : isNaN(b) || !isLess(a, b) ? a : b;
  }
};
struct MinimumNaN {
  template <typename T>
  static T run(T a, T b) {
    return isNaN(a) || (!isNaN(b) && isLess(a, b)) ? a : b;
  }
};
struct MaximumNaN {
  template <typename T>
  static T run(T a, T b) {
    return isNaN(a) || (!isNaN(b) && !isLess(a, b)) ? a : b;
  }
};
struct And {
  template <typename T>
  static T run(T a, T b) {
    return a & b;
  }
};
struct Or {
  template <typename T>
  static T run(T a, T b) {
    return a | b;
  }
};
/// Four of the eight bytes of `a` and `b`, or their signs.
/// The upper half of a pair that is shifted to the left; it begins with `b`.
struct FunnelShift {
  static uint32_t run(uint32_t a, uint32_t b, uint32_t count) {
    uint64_t pair = uint64_t(b) << 32 | a;
    return pair << (count & 31) >> 32;
  }
};
struct Permute {
  static uint32_t run(uint32_t a, uint32_t b, uint32_t selector) {
    uint64_t bytes = uint64_t(b) << 32 | a;
    uint32_t result = 0;
    for (unsigned i = 0; i < 4; ++i) {
      unsigned choice = selector >> 4 * i & 15;
      uint32_t byte = bytes >> 8 * (choice & 7) & 0xFF;
      if (choice & 8)
        byte = byte & 0x80 ? 0xFF : 0;
      result |= byte << 8 * i;
    }
    return result;
  }
};
struct Xor {
  template <typename T>
  static T run(T a, T b) {
    return a ^ b;
  }
};
struct Not {
  template <typename T>
  static T run(T a) {
    return ~a;
  }
};
struct Negate {
  template <typename T>
  static T run(T a) {
    return T(-widened(a));
  }
};
struct Absolute {
  template <typename T>
  static T run(T a) {
    if constexpr (isFloat<T>)
      return T(std::fabs(widened(a)));
    else
      return a < 0 ? T(-widened(a)) : a;
  }
};
/// The sign of the first, and all else of the second.
struct CopySign {
  template <typename T>
  static T run(T a, T b) {
    return std::copysign(b, a);
  }
};
struct Reciprocal {
  template <typename T>
  static T run(T a) {
    return 1 / a;
  }
};
struct SquareRoot {
  template <typename T>
  static T run(T a) {
    return std::sqrt(a);
  }
};
struct ReciprocalRoot {
  template <typename T>
  static T run(T a) {
    return 1 / std::sqrt(a);
  }
};

/// 2 to the power of `power`: exact for integers, as code relies on, else off
/// by up to two units in the last place, as the approximation of a GPU may be.
struct ApproximateExp2 {
  static float run(float power) {
    float value = std::exp2(power);
    if (!std::isfinite(value) || value == 0 || power == std::trunc(power))
      return value;
    uint32_t noise = bitCast<uint32_t>(power) * 2654435761u >> 29;
    return bitCast<float>(bitCast<uint32_t>(value) + noise % 5 - 2);
  }
};

template <typename T>
T flushed(T value) {
  return std::fabs(value) < std::numeric_limits<T>::min()
             ? std::copysign(T(0), value)
             : value;
}
/// Numbers below the normal range are zeros, before and after.
template <typename Op>
struct Flushed {
  template <typename T>
  static T run(T a) {
    return flushed(Op::run(flushed(a)));
  }
};

/// `Op` of numbers, or of both halves of pairs.
template <typename Op, typename T, typename... Ts>
T apply(T a, Ts... others) {
  if constexpr (isPair<T>)
    return {Op::run(a.low, others.low...), Op::run(a.high, others.high...)};
  else
    return Op::run(a, others...);
}

} // namespace emulator

#endif // RGNN_TOOLS_CUDAEMULATOR_NUMBERS_H
