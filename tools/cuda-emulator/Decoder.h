//===- Decoder.h - From statements to instructions --------------*- C++ -*-===//

#ifndef RGNN_TOOLS_CUDAEMULATOR_DECODER_H
#define RGNN_TOOLS_CUDAEMULATOR_DECODER_H

#include "Machine.h"
#include "Numbers.h"
#include "Statements.h"
#include <map>
#include <set>
#include <string_view>

namespace emulator {

/// Memory that the kernels of a module share.
struct Globals {
  std::vector<std::unique_ptr<std::vector<char>>> memory;
  std::map<std::string, uint64_t> addresses;
};

/// One instruction, whose registers and constants get their places.
class Decoder {
public:
  Decoder(Kernel &kernel, const Entry &entry, const Globals &globals);

  /// Throws InvalidPTX.
  void decode(const Statement &statement);
  void finish();

  /// The parts of its name: "add", "rn", "f32".
  std::vector<std::string_view> parts;
  bool has(std::string_view part) const;
  const Statement *statement = nullptr;
  Instruction now;

  /// Sets operand `number` of `now` to the register, or the constant, with the
  /// name `name`; it must have `bytes`.
  void set(unsigned number, const std::string &name, unsigned bytes);

  /// Where a predicate is, or a constant one.
  uint32_t getPredicate(const std::string &name);
  /// The name of operand `number` in PTX, which is one.
  const std::string &getName(unsigned number) const;
  const Operand &getOperand(unsigned number, Operand::Kind kind) const;
  void expectOperands(size_t count) const;
  unsigned getRegisterBytes(const std::string &name) const;
  uint64_t getNumber(const std::string &name) const;
  /// Whether it is a variable of each thread.
  bool isOfThread(const std::string &name) const;
  /// Where `bytes` at an address of a parameter are.
  uint64_t getParameter(const Operand &address, unsigned bytes) const;
  [[noreturn]] void fail(const std::string &what) const {
    throw InvalidPTX(statement->line, what);
  }

private:
  Timing getTiming() const;
  uint32_t allocate(unsigned bytes, uint64_t value);

  Kernel &kernel;
  struct Register {
    uint32_t offset;
    unsigned bits;
  };
  std::map<std::string, Register> registers;
  std::map<std::pair<unsigned, uint64_t>, uint32_t> constants;
  std::map<std::string, uint64_t> symbols;
  std::set<std::string> ofThreads;
  /// Where a parameter begins and ends.
  std::map<std::string, std::pair<uint64_t, uint64_t>> parameters;
  std::map<std::string, uint32_t> labels;
};

template <typename T>
struct Tag {
  using type = T;
};

/// What `function` returns for the type with the name `name`; null if there is
/// none.
template <typename Function>
Handler withType(std::string_view name, Function function) {
  if (name == "u16" || name == "b16")
    return function(Tag<uint16_t>());
  if (name == "s16")
    return function(Tag<int16_t>());
  if (name == "u32" || name == "b32")
    return function(Tag<uint32_t>());
  if (name == "s32")
    return function(Tag<int32_t>());
  if (name == "u64" || name == "b64")
    return function(Tag<uint64_t>());
  if (name == "s64")
    return function(Tag<int64_t>());
  if (name == "f16")
    return function(Tag<Half>());
  if (name == "bf16")
    return function(Tag<BFloat>());
  if (name == "f32")
    return function(Tag<float>());
  if (name == "f64")
    return function(Tag<double>());
  if (name == "f16x2")
    return function(Tag<Pair<Half>>());
  if (name == "bf16x2")
    return function(Tag<Pair<BFloat>>());
  return nullptr;
}

/// 4 of "u32" and "f16x2".
unsigned getBytes(std::string_view type);

/// Each sets `decoder.now` if the instruction is one of its kind.
bool decodePredicate(Decoder &decoder);
bool decodeArithmetic(Decoder &decoder);
bool decodeConversion(Decoder &decoder);
bool decodeMemory(Decoder &decoder);
bool decodeTogether(Decoder &decoder);

} // namespace emulator

#endif // RGNN_TOOLS_CUDAEMULATOR_DECODER_H
