//===- Memory.cpp - Loads, stores, copies and atomics ---------------------===//

#include "Decoder.h"

using namespace emulator;

namespace {
struct Global {
  static char *get(Warp &, unsigned, uint64_t address, unsigned bytes) {
    return getGlobal(address, bytes);
  }
};
struct Shared {
  static char *get(Warp &warp, unsigned, uint64_t address, unsigned bytes) {
    return getShared(warp, address, bytes);
  }
};
struct Local {
  static constexpr auto get = getLocal;
};
} // namespace

/// Loads or stores `count` numbers as wide as `T`, in registers as wide as
/// `Register`.
template <bool isLoad, typename Space, typename T, typename Register,
          unsigned count>
static void access(Warp &warp, const Instruction &now, Lanes lanes) {
  const uint64_t *base = warp.get<uint64_t>(now.operands[0]);
  for (; lanes; lanes &= lanes - 1) {
    unsigned lane = __builtin_ctz(lanes);
    char *memory =
        Space::get(warp, lane, base[lane] + now.number, count * sizeof(T));
    for (unsigned i = 0; i < count; ++i) {
      Register &number = warp.get<Register>(now.operands[1 + i])[lane];
      T value = static_cast<T>(number);
      if (isLoad) {
        memcpy(&value, memory + i * sizeof(T), sizeof(T));
        number = static_cast<Register>(value);
      } else {
        memcpy(memory + i * sizeof(T), &value, sizeof(T));
      }
    }
  }
}

template <typename T>
static void loadParameter(Warp &warp, const Instruction &now, Lanes lanes) {
  T value;
  memcpy(&value, warp.block.launch.parameters.data() + now.number, sizeof(T));
  T *to = warp.get<T>(now.operands[0]);
  forEach(lanes, [=](unsigned i) { to[i] = value; });
}

template <bool isLoad, typename Space, typename T, typename Register>
static Handler selectCount(size_t count) {
  return count == 1   ? access<isLoad, Space, T, Register, 1>
         : count == 2 ? access<isLoad, Space, T, Register, 2>
                      : access<isLoad, Space, T, Register, 4>;
}

template <bool isLoad, typename Space>
static Handler selectAccess(std::string_view type, unsigned registerBytes,
                            size_t count) {
  auto withRegister = [=](auto tag) -> Handler {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_integral_v<T>)
      return registerBytes == 2 ? selectCount<isLoad, Space, T, uint16_t>(count)
             : registerBytes == 4
                 ? selectCount<isLoad, Space, T, uint32_t>(count)
                 : selectCount<isLoad, Space, T, uint64_t>(count);
    return nullptr;
  };
  if (type == "b8" || type == "u8")
    return withRegister(Tag<uint8_t>());
  if (type == "s8")
    return withRegister(Tag<int8_t>());
  if (type == "f32" || type == "f64")
    type = type == "f32" ? "b32" : "b64";
  return withType(type, withRegister);
}

static void setAddress(Decoder &decoder, const Operand &operand,
                       unsigned number) {
  decoder.set(number, operand.names[0], 8);
  decoder.now.number = operand.offset;
}

static bool decodeAccess(Decoder &decoder) {
  std::string_view op = decoder.parts[0], type = decoder.parts.back();
  bool isLoad = op == "ld";
  if ((!isLoad && op != "st") || decoder.parts.size() < 3)
    return false;
  decoder.expectOperands(2);
  const Operand &address = decoder.getOperand(isLoad ? 1 : 0, Operand::Address);
  Instruction &now = decoder.now;
  std::string_view space = decoder.parts[1];
  if (space == "param" && decoder.isOfThread(address.names[0]))
    space = "local"; // what a call passes
  if (space == "param") {
    unsigned bytes = getBytes(type);
    decoder.set(0, decoder.getName(0), bytes);
    now.number = decoder.getParameter(address, bytes);
    now.isFolded = true;
    now.handler = bytes == 4   ? loadParameter<uint32_t>
                  : bytes == 8 ? loadParameter<uint64_t>
                  : bytes == 2 ? loadParameter<uint16_t>
                               : nullptr;
    return isLoad && decoder.parts.size() == 3 && now.handler;
  }
  size_t count = 1;
  for (size_t i = 2; i + 1 < decoder.parts.size(); ++i)
    if (std::string_view part = decoder.parts[i]; part == "v2" || part == "v4")
      count = part[1] - '0';
    else if (part != "nc")
      return false;
  const std::vector<std::string> &numbers =
      decoder.statement->operands[isLoad ? 0 : 1].names;
  if (numbers.size() != count)
    decoder.fail("expected " + std::to_string(count) + " registers");
  setAddress(decoder, address, 0);
  unsigned bytes = 0;
  for (size_t i = 0; i < count; ++i) {
    const std::string &name = numbers[i];
    unsigned wanted =
        name[0] == '%' ? decoder.getRegisterBytes(name) : getBytes(type);
    if (bytes && wanted != bytes)
      decoder.fail("expected registers of one size");
    bytes = wanted;
    if (bytes < std::max(getBytes(type), 2u))
      decoder.fail("expected a register of at least the size of the access");
    decoder.set(1 + i, name, bytes);
  }
  now.access = {space == "shared"   ? Instruction::Access::Shared
                : space == "global" ? Instruction::Access::Global
                                    : Instruction::Access::None,
                !isLoad, static_cast<uint8_t>(count * getBytes(type)), 0};
  if (space == "shared")
    now.handler = isLoad ? selectAccess<true, Shared>(type, bytes, count)
                         : selectAccess<false, Shared>(type, bytes, count);
  else if (space == "local")
    now.handler = isLoad ? selectAccess<true, Local>(type, bytes, count)
                         : selectAccess<false, Local>(type, bytes, count);
  else if (space == "global")
    now.handler = isLoad ? selectAccess<true, Global>(type, bytes, count)
                         : selectAccess<false, Global>(type, bytes, count);
  return now.handler;
}

/// Starts copies, which are done when they must be.
template <unsigned bytes>
static void copyAsync(Warp &warp, const Instruction &now, Lanes lanes) {
  const uint64_t *to = warp.get<uint64_t>(now.operands[0]),
                 *from = warp.get<uint64_t>(now.operands[1]);
  const uint32_t *length = warp.get<uint32_t>(now.operands[2]);
  // Where both addresses have a part that is known.
  int64_t toOffset = now.number >> 32,
          fromOffset = static_cast<int32_t>(now.number);
  for (; lanes; lanes &= lanes - 1) {
    unsigned lane = __builtin_ctz(lanes);
    uint64_t target = to[lane] + toOffset;
    getShared(warp, target, bytes);
    unsigned count = length[lane];
    if (count > bytes)
      throw Fault("expected to copy at most " + std::to_string(bytes) +
                  " bytes, got " + std::to_string(count));
    const char *source =
        count ? getGlobal(from[lane] + fromOffset, bytes) : nullptr;
    warp.copies.push_back(
        {lane, count, bytes - count, target, source, warp.groups[lane]});
  }
}

static void commitCopies(Warp &warp, const Instruction &, Lanes lanes) {
  for (; lanes; lanes &= lanes - 1)
    ++warp.groups[__builtin_ctz(lanes)];
}

/// Ends the copies of all groups but the last ones.
static void waitForCopies(Warp &warp, const Instruction &now, Lanes lanes) {
  std::deque<AsyncCopy> left;
  for (const AsyncCopy &copy : warp.copies) {
    if (!(lanes >> copy.lane & 1) ||
        copy.group + now.number >= warp.groups[copy.lane]) {
      left.push_back(copy);
      continue;
    }
    char *to = warp.block.shared.data() + copy.target;
    if (copy.bytes)
      memcpy(to, copy.source, copy.bytes);
    memset(to + copy.bytes, 0, copy.zeros);
  }
  warp.copies = std::move(left);
}

static bool decodeAsync(Decoder &decoder) {
  const std::string &name = decoder.statement->name;
  Instruction &now = decoder.now;
  const auto &operands = decoder.statement->operands;
  if (name == "cp.async.commit_group" && operands.empty()) {
    now.handler = commitCopies;
    return true;
  }
  if (name == "cp.async.wait_group") {
    decoder.expectOperands(1);
    now.number = decoder.getNumber(decoder.getName(0));
    now.handler = waitForCopies;
    return true;
  }
  bool passesL1 = name == "cp.async.cg.shared.global";
  if (!passesL1 && name != "cp.async.ca.shared.global")
    return false;
  if (operands.size() != 3)
    decoder.expectOperands(4);
  const Operand &to = decoder.getOperand(0, Operand::Address),
                &from = decoder.getOperand(1, Operand::Address);
  decoder.set(0, to.names[0], 8);
  decoder.set(1, from.names[0], 8);
  decoder.set(2, decoder.getName(operands.size() - 1), 4);
  now.number = to.offset << 32 | (from.offset & 0xFFFFFFFF);
  uint64_t bytes = decoder.getNumber(decoder.getName(2));
  now.access = {Instruction::Access::Global, /*writes=*/false,
                static_cast<uint8_t>(bytes), /*address=*/1};
  now.handler = bytes == 16  ? copyAsync<16>
                : passesL1   ? nullptr
                : bytes == 8 ? copyAsync<8>
                : bytes == 4 ? copyAsync<4>
                             : nullptr;
  return now.handler;
}

/// Adds, and returns what was there. Floats in global memory are flushed.
template <typename Space, typename T, bool returns>
static void atomicAdd(Warp &warp, const Instruction &now, Lanes lanes) {
  const uint64_t *base = warp.get<uint64_t>(now.operands[0]);
  using Bits = std::conditional_t<
      sizeof(T) == 8, uint64_t,
      std::conditional_t<sizeof(T) == 4, uint32_t, uint16_t>>;
  for (; lanes; lanes &= lanes - 1) {
    unsigned lane = __builtin_ctz(lanes);
    auto *to = reinterpret_cast<Bits *>(
        Space::get(warp, lane, base[lane] + now.number, sizeof(T)));
    T value = warp.get<T>(now.operands[1])[lane];
    Bits old = __atomic_load_n(to, __ATOMIC_RELAXED), sum;
    do {
      if constexpr (std::is_same_v<T, float> && std::is_same_v<Space, Global>)
        sum = bitCast<Bits>(flushed(flushed(bitCast<T>(old)) + flushed(value)));
      else
        sum = bitCast<Bits>(apply<Add>(bitCast<T>(old), value));
    } while (!__atomic_compare_exchange_n(to, &old, sum, true, __ATOMIC_RELAXED,
                                          __ATOMIC_RELAXED));
    if (returns)
      warp.get<Bits>(now.operands[2])[lane] = old;
  }
}

template <typename Space, typename T>
static void compareAndSwap(Warp &warp, const Instruction &now, Lanes lanes) {
  const uint64_t *base = warp.get<uint64_t>(now.operands[0]);
  for (; lanes; lanes &= lanes - 1) {
    unsigned lane = __builtin_ctz(lanes);
    auto *to = reinterpret_cast<T *>(
        Space::get(warp, lane, base[lane] + now.number, sizeof(T)));
    T old = warp.get<T>(now.operands[1])[lane];
    __atomic_compare_exchange_n(to, &old, warp.get<T>(now.operands[2])[lane],
                                false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    warp.get<T>(now.operands[3])[lane] = old;
  }
}

static bool decodeAtomic(Decoder &decoder) {
  std::string_view op = decoder.parts[0], type = decoder.parts.back();
  bool returns = op == "atom";
  if (!returns && op != "red")
    return false;
  unsigned bytes = getBytes(type);
  bool isShared = decoder.has("shared"), isSwap = decoder.has("cas");
  if (!isShared && !decoder.has("global"))
    return false;
  decoder.expectOperands(isSwap ? 4 : returns ? 3 : 2);
  setAddress(decoder, decoder.getOperand(returns ? 1 : 0, Operand::Address), 0);
  Instruction &now = decoder.now;
  now.access = {isShared ? Instruction::Access::Shared
                         : Instruction::Access::Global,
                /*writes=*/true, static_cast<uint8_t>(bytes), /*address=*/0};
  if (isSwap) {
    decoder.set(1, decoder.getName(2), bytes);
    decoder.set(2, decoder.getName(3), bytes);
    decoder.set(3, decoder.getName(0), bytes);
    now.handler = isShared ? (bytes == 8 ? compareAndSwap<Shared, uint64_t>
                                         : compareAndSwap<Shared, uint32_t>)
                           : (bytes == 8 ? compareAndSwap<Global, uint64_t>
                                         : compareAndSwap<Global, uint32_t>);
    return bytes >= 4;
  }
  if (!decoder.has("add"))
    return false;
  decoder.set(1, decoder.getName(returns ? 2 : 1), bytes);
  if (returns)
    decoder.set(2, decoder.getName(0), bytes);
  now.handler = withType(type, [=](auto tag) -> Handler {
    using T = typename decltype(tag)::type;
    if (isShared)
      return returns ? atomicAdd<Shared, T, true> : atomicAdd<Shared, T, false>;
    return returns ? atomicAdd<Global, T, true> : atomicAdd<Global, T, false>;
  });
  return now.handler;
}

bool emulator::decodeMemory(Decoder &decoder) {
  return decodeAccess(decoder) || decodeAsync(decoder) || decodeAtomic(decoder);
}
