//===- Together.cpp - What the lanes of a warp, or all threads, do at once ===//

#include "Decoder.h"

using namespace emulator;

namespace {
enum class Shuffle { Butterfly, Index, Down, Up };
} // namespace

template <Shuffle mode>
static void shuffle(Warp &warp, const Instruction &now, Lanes lanes) {
  uint32_t *to = warp.get<uint32_t>(now.operands[0]);
  std::array<uint32_t, numLanes> from;
  memcpy(from.data(), warp.get<uint32_t>(now.operands[1]), sizeof(from));
  const uint32_t *numbers = warp.get<uint32_t>(now.operands[2]);
  const uint32_t *limits = warp.get<uint32_t>(now.operands[3]);
  Lanes found = 0;
  for (Lanes left = lanes; left; left &= left - 1) {
    int lane = __builtin_ctz(left), by = numbers[lane] & 31;
    // Lanes exchange numbers where these bits are the same.
    int segment = limits[lane] >> 8 & 31, first = lane & segment;
    int last = first | (limits[lane] & 31 & ~segment);
    int source = mode == Shuffle::Butterfly ? lane ^ by
                 : mode == Shuffle::Index   ? first | (by & ~segment)
                 : mode == Shuffle::Down    ? lane + by
                                            : lane - by;
    bool isThere = mode == Shuffle::Up ? source >= last : source <= last;
    if (!isThere)
      source = lane;
    if (!(lanes >> source & 1))
      throw Fault("a shuffle from a lane that takes no part");
    to[lane] = from[source];
    found |= Lanes(isThere) << lane;
  }
  if (now.operands[4]) {
    Lanes &predicate = warp.predicate(now.operands[4]);
    predicate = (predicate & ~lanes) | found;
  }
}

static bool decodeShuffle(Decoder &decoder) {
  if (decoder.parts[0] != "shfl" || decoder.parts.size() != 4 ||
      decoder.parts[1] != "sync" || decoder.parts[3] != "b32")
    return false;
  decoder.expectOperands(5);
  Instruction &now = decoder.now;
  const Operand &to = decoder.getOperand(0, Operand::Single);
  if (to.names.size() > 1)
    now.operands[4] = decoder.getPredicate(to.names[1]);
  decoder.set(0, to.names[0], 4);
  for (unsigned i = 1; i < 4; ++i)
    decoder.set(i, decoder.getName(i), 4);
  now.members = decoder.getNumber(decoder.getName(4));
  std::string_view mode = decoder.parts[2];
  now.kind = Instruction::Together;
  now.handler = mode == "bfly"   ? shuffle<Shuffle::Butterfly>
                : mode == "idx"  ? shuffle<Shuffle::Index>
                : mode == "down" ? shuffle<Shuffle::Down>
                : mode == "up"   ? shuffle<Shuffle::Up>
                                 : nullptr;
  return now.handler;
}

/// A product of two fragments and a sum, by all lanes. `Shape` says who has
/// which number: lane `4 * group + thread` of 8 groups.
template <typename Shape>
static void multiply(Warp &warp, const Instruction &now, Lanes) {
  using T = typename Shape::Element;
  using Sum = typename Shape::Sum;
  constexpr unsigned n = 8;
  T a[Shape::m][Shape::k], b[Shape::k][n];
  for (unsigned lane = 0; lane < numLanes; ++lane) {
    unsigned group = lane / 4, thread = lane % 4;
    auto read = [&](unsigned number, unsigned half) {
      return Shape::read(warp, now.operands[Shape::first + number], lane, half);
    };
    constexpr unsigned width = Shape::packed;
    for (unsigned column = 0; column < Shape::k / (4 * width); ++column)
      for (unsigned half = 0; half < width; ++half) {
        unsigned k = column * 4 * width + thread * width + half;
        for (unsigned row = 0; row < Shape::m / 8; ++row)
          a[row * 8 + group][k] = read(column * (Shape::m / 8) + row, half);
        b[k][group] = read(Shape::numA + column, half);
      }
  }
  for (unsigned lane = 0; lane < numLanes; ++lane) {
    unsigned group = lane / 4, thread = lane % 4;
    for (unsigned i = 0; i < Shape::m / 4; ++i) {
      unsigned row = group + i / 2 * 8, column = 2 * thread + i % 2;
      double sum = warp.get<Sum>(
          now.operands[Shape::first + Shape::numA + Shape::numB + i])[lane];
      for (unsigned k = 0; k < Shape::k; ++k)
        sum = std::fma(static_cast<double>(a[row][k]),
                       static_cast<double>(b[k][column]), sum);
      warp.get<Sum>(now.operands[i])[lane] = static_cast<Sum>(sum);
    }
  }
}

namespace {
template <unsigned mValue, unsigned kValue, unsigned packedValue, typename E,
          typename S>
struct Fragments {
  using Element = E;
  using Sum = S;
  static constexpr unsigned m = mValue, k = kValue, packed = packedValue;
  static constexpr unsigned first = m / 4, numA = m * k / packed / numLanes,
                            numB = 8 * k / packed / numLanes;
};
struct TensorFloat : Fragments<16, 8, 1, float, float> {
  static float read(Warp &warp, uint32_t operand, unsigned lane, unsigned) {
    return bitCast<float>(warp.get<uint32_t>(operand)[lane] & ~0x1FFFu);
  }
};
template <typename H, unsigned k>
struct Packed : Fragments<16, k, 2, float, float> {
  static float read(Warp &warp, uint32_t operand, unsigned lane,
                    unsigned half) {
    return warp.get<H>(operand)[2 * lane + half];
  }
};
struct Double : Fragments<8, 4, 1, double, double> {
  static double read(Warp &warp, uint32_t operand, unsigned lane, unsigned) {
    return warp.get<double>(operand)[lane];
  }
};
} // namespace

static bool decodeMultiply(Decoder &decoder) {
  std::string_view shape = decoder.statement->name,
                   prefix = "mma.sync.aligned.";
  if (shape.substr(0, prefix.size()) != prefix)
    return false;
  shape.remove_prefix(prefix.size());
  Instruction &now = decoder.now;
  now.handler =
      shape == "m16n8k8.row.col.f32.tf32.tf32.f32" ? multiply<TensorFloat>
      : shape == "m16n8k8.row.col.f32.f16.f16.f32" ? multiply<Packed<Half, 8>>
      : shape == "m16n8k8.row.col.f32.bf16.bf16.f32"
          ? multiply<Packed<BFloat, 8>>
      : shape == "m16n8k16.row.col.f32.f16.f16.f32" ? multiply<Packed<Half, 16>>
      : shape == "m16n8k16.row.col.f32.bf16.bf16.f32"
          ? multiply<Packed<BFloat, 16>>
      : shape == "m8n8k4.row.col.f64.f64.f64.f64" ? multiply<Double>
                                                  : nullptr;
  if (!now.handler)
    return false;
  decoder.expectOperands(4);
  unsigned place = 0, bytes = getBytes(decoder.parts.back());
  for (const Operand &operand : decoder.statement->operands)
    for (const std::string &number : operand.names)
      decoder.set(place++, number, bytes);
  now.kind = Instruction::Together;
  return true;
}

/// Matrices of 8 rows of 8 numbers of 16 bits; lanes have the rows' addresses.
template <unsigned count, bool transposed>
static void loadMatrices(Warp &warp, const Instruction &now, Lanes) {
  const uint64_t *base = warp.get<uint64_t>(now.operands[0]);
  for (unsigned matrix = 0; matrix < count; ++matrix) {
    uint16_t numbers[8][8];
    for (unsigned row = 0; row < 8; ++row)
      memcpy(numbers[row],
             getShared(warp, base[8 * matrix + row] + now.number, 16), 16);
    auto *to = warp.get<Pair<uint16_t>>(now.operands[1 + matrix]);
    for (unsigned lane = 0; lane < numLanes; ++lane) {
      unsigned group = lane / 4, thread = 2 * (lane % 4);
      to[lane] = transposed ? Pair<uint16_t>{numbers[thread][group],
                                             numbers[thread + 1][group]}
                            : Pair<uint16_t>{numbers[group][thread],
                                             numbers[group][thread + 1]};
    }
  }
}

static bool decodeLoadMatrices(Decoder &decoder) {
  std::string_view name = decoder.statement->name,
                   prefix = "ldmatrix.sync.aligned.m8n8.";
  if (name.substr(0, prefix.size()) != prefix)
    return false;
  name.remove_prefix(prefix.size());
  Instruction &now = decoder.now;
  now.handler = name == "x4.shared.b16"         ? loadMatrices<4, false>
                : name == "x2.shared.b16"       ? loadMatrices<2, false>
                : name == "x1.shared.b16"       ? loadMatrices<1, false>
                : name == "x4.trans.shared.b16" ? loadMatrices<4, true>
                : name == "x2.trans.shared.b16" ? loadMatrices<2, true>
                : name == "x1.trans.shared.b16" ? loadMatrices<1, true>
                                                : nullptr;
  if (!now.handler)
    return false;
  decoder.expectOperands(2);
  const Operand &address = decoder.getOperand(1, Operand::Address);
  decoder.set(0, address.names[0], 8);
  now.number = address.offset;
  const Operand &to = decoder.getOperand(0, Operand::List);
  if (to.names.size() != size_t(name[1] - '0'))
    decoder.fail("expected as many registers as matrices");
  for (size_t i = 0; i < to.names.size(); ++i)
    decoder.set(1 + i, to.names[i], 4);
  now.kind = Instruction::Together;
  return true;
}

bool emulator::decodeTogether(Decoder &decoder) {
  if (decoder.statement->name == "bar.sync") {
    decoder.expectOperands(1);
    if (decoder.getName(0) != "0")
      decoder.fail("expected barrier 0");
    decoder.now.kind = Instruction::Barrier;
    return true;
  }
  return decodeShuffle(decoder) || decodeMultiply(decoder) ||
         decodeLoadMatrices(decoder);
}
