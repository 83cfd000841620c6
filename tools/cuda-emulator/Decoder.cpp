//===- Decoder.cpp - From statements to instructions ----------------------===//

#include "Decoder.h"
#include <cstdlib>

using namespace emulator;

unsigned emulator::getBytes(std::string_view type) {
  size_t digits = type.find_first_of("0123456789");
  if (digits == type.npos)
    return 0;
  unsigned bits = std::strtoul(type.data() + digits, nullptr, 10);
  return type.size() > 2 && type.substr(type.size() - 2) == "x2" ? bits / 4
                                                                 : bits / 8;
}

Decoder::Decoder(Kernel &kernel, const Entry &entry, const Globals &globals)
    : kernel(kernel), symbols(globals.addresses) {
  kernel.name = entry.name;
  kernel.registers.resize(registerAlignment); // 0 is no register
  if (entry.maxThreads)
    kernel.maxThreads = entry.maxThreads;
  for (const Registers &group : entry.registers) {
    unsigned bytes = group.bits == 1 ? 0 : group.bits / 8;
    for (unsigned i = 0; i < std::max(group.count, 1u); ++i) {
      std::string name = group.prefix;
      if (group.count)
        name += std::to_string(i);
      registers[name] = {allocate(bytes, ~uint64_t(0)), group.bits};
    }
  }
  const char *special[] = {"%tid", "%ntid", "%ctaid", "%nctaid", "%laneid"};
  for (unsigned i = 0; i < kernel.special.size(); ++i) {
    kernel.special[i] = allocate(4, 0);
    std::string name = special[i / 3];
    if (i != Kernel::Lane)
      name += std::string(".") + "xyz"[i % 3];
    registers[name] = {kernel.special[i], 32};
  }

  uint64_t offset = 0;
  for (const Parameter &parameter : entry.parameters) {
    offset = (offset + parameter.bytes - 1) / parameter.bytes * parameter.bytes;
    parameters[parameter.name] = {offset, offset + parameter.bytes};
    kernel.parameterBytes.push_back(parameter.bytes);
    offset += parameter.bytes;
  }
  for (const Variable &variable : entry.variables) {
    uint64_t &bytes = variable.space == Variable::Shared ? kernel.sharedBytes
                                                         : kernel.localBytes;
    bytes = (bytes + variable.alignment - 1) / variable.alignment *
            variable.alignment;
    symbols[variable.name] = bytes;
    if (variable.space == Variable::Local)
      ofThreads.insert(variable.name);
    bytes += variable.bytes;
  }
  // What a launch asks for lies behind.
  kernel.sharedBytes = (kernel.sharedBytes + 15) / 16 * 16;
  for (auto &[name, address] : symbols)
    if (address == ~uint64_t(0))
      address = kernel.sharedBytes;

  uint32_t place = 0;
  for (const Statement &statement : entry.statements) {
    if (!statement.label.empty())
      labels[statement.label] = place;
    ++place;
  }
}

bool Decoder::has(std::string_view part) const {
  for (std::string_view other : parts)
    if (other == part)
      return true;
  return false;
}

uint32_t Decoder::allocate(unsigned bytes, uint64_t value) {
  // A predicate has a bit for each lane.
  unsigned copies = bytes == 0 ? 1 : numLanes;
  unsigned size = bytes == 0 ? sizeof(Lanes) : bytes;
  uint32_t offset = kernel.registers.size();
  for (unsigned i = 0; i < copies; ++i) {
    const char *begin = reinterpret_cast<const char *>(&value);
    kernel.registers.insert(kernel.registers.end(), begin, begin + size);
  }
  while (kernel.registers.size() % registerAlignment != 0)
    kernel.registers.push_back(0);
  return offset;
}

const Operand &Decoder::getOperand(unsigned number, Operand::Kind kind) const {
  if (number >= statement->operands.size() ||
      statement->operands[number].kind != kind)
    fail("operand " + std::to_string(number) + " of " + statement->name +
         " is missing or of another kind than expected");
  return statement->operands[number];
}

const std::string &Decoder::getName(unsigned number) const {
  return getOperand(number, Operand::Single).names[0];
}

void Decoder::expectOperands(size_t count) const {
  if (statement->operands.size() != count)
    fail("expected " + std::to_string(count) + " operands of " +
         statement->name + ", got " +
         std::to_string(statement->operands.size()));
}

unsigned Decoder::getRegisterBytes(const std::string &name) const {
  auto found = registers.find(name);
  if (found == registers.end() || found->second.bits == 1)
    fail("expected a register with a number, got " + name);
  return found->second.bits / 8;
}

uint64_t Decoder::getNumber(const std::string &name) const {
  char *end = nullptr;
  uint64_t number;
  if (name.rfind("0f", 0) == 0 || name.rfind("0d", 0) == 0)
    number = std::strtoull(name.c_str() + 2, &end, 16);
  else if (name[0] == '-')
    number = std::strtoll(name.c_str(), &end, 0);
  else
    number = std::strtoull(name.c_str(), &end, 0);
  if (*end == 'U') // unsigned
    ++end;
  if (*end || end == name.c_str())
    fail("expected a number, got " + name);
  return number;
}

bool Decoder::isOfThread(const std::string &name) const {
  return ofThreads.count(name);
}

uint64_t Decoder::getParameter(const Operand &address, unsigned bytes) const {
  auto found = parameters.find(address.names[0]);
  if (found == parameters.end())
    fail("expected a parameter, got " + address.names[0]);
  auto [begin, end] = found->second;
  uint64_t place = begin + address.offset;
  if (place < begin || place + bytes > end)
    fail("expected a place in " + address.names[0]);
  return place;
}

void Decoder::set(unsigned number, const std::string &name, unsigned bytes) {
  uint32_t &operand = now.operands[number];
  if (auto found = registers.find(name); found != registers.end()) {
    if (found->second.bits != 8 * bytes)
      fail("expected a register of " + std::to_string(8 * bytes) +
           " bits, got " + name);
    operand = found->second.offset;
    return;
  }
  if (name == "_") { // nobody reads it
    operand = allocate(bytes, 0);
    return;
  }
  auto symbol = symbols.find(name);
  uint64_t value = symbol != symbols.end() ? symbol->second : getNumber(name);
  auto [place, isNew] = constants.insert({{bytes, value}, 0});
  if (isNew)
    place->second = allocate(bytes, value);
  operand = place->second;
}

uint32_t Decoder::getPredicate(const std::string &name) {
  if (name == "0" || name == "1" || name == "-1")
    return allocate(0, name == "0" ? 0 : allLanes);
  auto found = registers.find(name);
  if (found == registers.end() || found->second.bits != 1)
    fail("expected a predicate, got " + name);
  return found->second.offset;
}

void Decoder::decode(const Statement &from) {
  statement = &from;
  now = {};
  now.line = from.line;
  parts.clear();
  if (!from.label.empty()) {
    now.kind = Instruction::Join;
    kernel.code.push_back(now);
    kernel.timings.push_back({{}, {}, 0, Timing::Label, 0});
    return;
  }
  for (size_t begin = 0; begin <= from.name.size();) {
    size_t end = std::min(from.name.find('.', begin), from.name.size());
    parts.push_back(std::string_view(from.name).substr(begin, end - begin));
    begin = end + 1;
  }
  if (parts[0] == "bra") {
    now.kind = Instruction::Branch;
    auto label = labels.find(getName(0));
    if (label == labels.end())
      fail("expected a label, got " + getName(0));
    now.number = label->second;
  } else if (parts[0] == "ret" || parts[0] == "exit") {
    now.kind = Instruction::Exit;
  } else if (!decodePredicate(*this) && !decodeArithmetic(*this) &&
             !decodeConversion(*this) && !decodeMemory(*this) &&
             !decodeTogether(*this)) {
    fail("the emulator does not know " + from.name);
  }
  if (!from.guard.empty()) {
    if (now.kind == Instruction::Together)
      fail("expected no predicate of " + from.name);
    now.isGuarded = true;
    now.guardIsNegated = from.guardIsNegated;
    now.guard = getPredicate(from.guard);
  }
  kernel.code.push_back(now);
  kernel.timings.push_back(getTiming());
}

/// Registers behind the name are read, but for those of the first operand of
/// what gives a result.
Timing Decoder::getTiming() const {
  std::string_view op = parts[0];
  Timing timing;
  timing.cycles = getCycles(statement->name);
  bool writes = op != "st" && op != "red" && op != "cp" && op != "bra";
  auto add = [&](const std::string &name, std::vector<uint32_t> &to) {
    if (auto found = registers.find(name); found != registers.end())
      to.push_back(found->second.offset / registerAlignment);
  };
  for (const Operand &operand : statement->operands)
    for (const std::string &name : operand.names)
      add(name, writes && &operand == &statement->operands.front()
                    ? timing.writes
                    : timing.reads);
  add(statement->guard, timing.reads);
  if (now.isFolded)
    timing.kind = Timing::Folded;
  else if (now.kind == Instruction::Branch ||
           now.kind == Instruction::Barrier || now.kind == Instruction::Exit)
    timing.kind = Timing::Border;
  if (timing.kind == Timing::Folded)
    timing.cycles = 0;
  if (op == "cp")
    timing.kind = has("commit_group") ? Timing::Commit
                  : has("wait_group") ? Timing::Wait
                                      : Timing::Copy;
  if (timing.kind == Timing::Wait)
    timing.left = now.number;
  return timing;
}

void Decoder::finish() {
  Instruction end;
  end.kind = Instruction::Exit;
  end.line = kernel.code.empty() ? 0 : kernel.code.back().line;
  kernel.code.push_back(end);
  kernel.timings.push_back({{}, {}, 0, Timing::Border, 0});
  kernel.orderPlaces();
}
