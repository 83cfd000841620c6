//===- Statements.cpp - PTX as text, taken apart --------------------------===//

#include "Statements.h"
#include <cctype>
#include <cstdlib>
#include <cstring>

using namespace emulator;

namespace {
class Parser {
public:
  explicit Parser(const std::string &source) : source(source) { advance(); }

  Text parse();

private:
  /// Reads the next token: a word, or a character.
  void advance();
  bool take(const char *wanted);
  void expect(const char *wanted);
  std::string takeWord();
  uint64_t takeNumber();
  [[noreturn]] void fail(const std::string &wanted) {
    throw InvalidPTX(line, "expected " + wanted + ", got '" + token + "'");
  }

  /// The bits of a type's numbers.
  unsigned takeBits();
  Variable parseVariable(Variable::Space space);
  Entry parseEntry();
  std::vector<Parameter> parseParameters();
  void parseFunction(Text &text);
  std::vector<std::string> parseTargets();
  void parseRegisters(Entry &entry);
  void parseBody(Entry &entry);
  Statement parseInstruction();
  Operand parseOperand();

  const std::string &source;
  size_t place = 0;
  unsigned line = 1;
  std::string token;
  /// What a call passes, by its name within the braces of the call.
  std::map<std::string, std::string> passed;
  unsigned numPassed = 0;
};
} // namespace

static bool isWordCharacter(char c) {
  return isalnum(static_cast<unsigned char>(c)) || strchr("._$%", c);
}

void Parser::advance() {
  while (place < source.size()) {
    if (source[place] == '\n')
      ++line;
    if (source.compare(place, 2, "//") == 0)
      place = std::min(source.find('\n', place), source.size());
    else if (isspace(static_cast<unsigned char>(source[place])))
      ++place;
    else
      break;
  }
  size_t begin = place;
  if (place < source.size() && source[place] == '"')
    place = std::min(source.find('"', place + 1), source.size() - 1) + 1;
  else
    while (place < source.size() && source[place] &&
           isWordCharacter(source[place]))
      ++place;
  if (place == begin && place < source.size() && source[place])
    ++place;
  token = source.substr(begin, place - begin);
}

bool Parser::take(const char *wanted) {
  if (token != wanted)
    return false;
  advance();
  return true;
}

void Parser::expect(const char *wanted) {
  if (!take(wanted))
    fail(std::string("'") + wanted + "'");
}

std::string Parser::takeWord() {
  if (token.empty() || !isWordCharacter(token[0]))
    fail("a word");
  std::string word = token;
  advance();
  return word;
}

uint64_t Parser::takeNumber() {
  bool isNegative = take("-");
  if (token.empty() || !isdigit(static_cast<unsigned char>(token[0])))
    fail("a number");
  char *end = nullptr;
  uint64_t number = std::strtoull(token.c_str(), &end, 0);
  if (*end)
    fail("a number");
  advance();
  return isNegative ? -number : number;
}

unsigned Parser::takeBits() {
  std::string type = takeWord();
  if (type == ".pred")
    return 1;
  if (type.size() > 2 && type[0] == '.')
    for (unsigned bits : {8, 16, 32, 64})
      if (type.substr(2) == std::to_string(bits))
        return bits;
  throw InvalidPTX(line, "expected a type, got '" + type + "'");
}

Variable Parser::parseVariable(Variable::Space space) {
  Variable variable = {space, 1, line, "", 0, {}};
  if (take(".align"))
    variable.alignment = takeNumber();
  unsigned bytes = takeBits() / 8;
  variable.name = takeWord();
  variable.bytes = bytes;
  if (take("[")) {
    // Without a size it is the memory that a launch asks for.
    variable.bytes = token == "]" ? 0 : bytes * takeNumber();
    expect("]");
  }
  if (space == Variable::Global)
    variable.value.resize(variable.bytes);
  if (take("=")) {
    expect("{");
    for (size_t at = 0; !take("}"); at += bytes) {
      uint64_t number = takeNumber();
      if (at + bytes > variable.value.size())
        fail("fewer numbers");
      memcpy(&variable.value[at], &number, bytes);
      take(",");
    }
  }
  expect(";");
  return variable;
}

std::vector<Parameter> Parser::parseParameters() {
  std::vector<Parameter> parameters;
  expect("(");
  while (!take(")")) {
    expect(".param");
    Parameter parameter;
    if (take(".align"))
      takeNumber();
    parameter.bytes = takeBits() / 8;
    while (token == ".ptr" || token == ".align" || token == ".global") {
      bool hasNumber = token == ".align";
      advance();
      if (hasNumber)
        takeNumber();
    }
    parameter.name = takeWord();
    if (take("[")) {
      parameter.bytes *= takeNumber();
      expect("]");
    }
    parameters.push_back(parameter);
    take(",");
  }
  return parameters;
}

Operand Parser::parseOperand() {
  Operand operand;
  auto takeName = [&] {
    bool isNegative = take("-");
    std::string name = takeWord();
    auto found = passed.find(name);
    operand.names.push_back((isNegative ? "-" : "") +
                            (found != passed.end() ? found->second : name));
  };
  if (take("[")) {
    operand.kind = Operand::Address;
    takeName();
    if (take("+"))
      operand.offset = takeNumber();
    expect("]");
  } else if (token == "{" || token == "(") {
    operand.kind = Operand::List;
    const char *end = token == "{" ? "}" : ")";
    advance();
    while (!take(end)) {
      takeName();
      take(",");
    }
  } else {
    takeName();
    while (take("|"))
      takeName();
  }
  return operand;
}

Statement Parser::parseInstruction() {
  Statement statement;
  statement.line = line;
  if (take("@")) {
    statement.guardIsNegated = take("!");
    statement.guard = takeWord();
  }
  statement.name = takeWord();
  if (take(";"))
    return statement;
  do
    statement.operands.push_back(parseOperand());
  while (take(","));
  expect(";");
  return statement;
}

std::vector<std::string> Parser::parseTargets() {
  std::vector<std::string> targets;
  do
    targets.push_back(takeWord());
  while (take(","));
  expect(";");
  return targets;
}

void Parser::parseRegisters(Entry &entry) {
  unsigned bits = takeBits();
  do {
    Registers registers{takeWord(), 0, bits};
    if (take("<")) {
      registers.count = takeNumber();
      expect(">");
    }
    bool isKnown = false;
    for (const Registers &other : entry.registers)
      isKnown |= other.prefix == registers.prefix;
    if (!isKnown)
      entry.registers.push_back(registers);
  } while (take(","));
  expect(";");
}

void Parser::parseBody(Entry &entry) {
  // Braces limit where the names of registers count. LLVM writes them around
  // one `tmp`, which is read nowhere else: one register can stand for all.
  for (unsigned depth = 1; depth != 0;) {
    if (take("{")) {
      ++depth;
    } else if (take("}")) {
      --depth;
      passed.clear();
    } else if (take(".param")) {
      Variable variable = parseVariable(Variable::Local);
      std::string &name = passed[variable.name];
      name = variable.name + "." + std::to_string(numPassed++);
      variable.name = name;
      entry.variables.push_back(variable);
    } else if (take(".reg")) {
      parseRegisters(entry);
    } else if (take(".shared")) {
      entry.variables.push_back(parseVariable(Variable::Shared));
    } else if (take(".local")) {
      entry.variables.push_back(parseVariable(Variable::Local));
    } else if (take(".pragma")) {
      while (!take(";"))
        advance();
    } else if (token[0] == '$') {
      Statement statement;
      statement.line = line;
      statement.label = takeWord();
      expect(":");
      if (take(".branchtargets"))
        entry.tables[statement.label] = parseTargets();
      else
        entry.statements.push_back(statement);
    } else {
      entry.statements.push_back(parseInstruction());
    }
  }
  expandJumps(entry);
}

Entry Parser::parseEntry() {
  Entry entry;
  entry.name = takeWord();
  if (token == "(")
    entry.parameters = parseParameters();
  while (!take("{")) {
    bool isMost = token == ".maxntid";
    if (!isMost && token != ".minnctapersm")
      fail("'{'");
    advance();
    uint64_t number = takeNumber();
    while (take(","))
      number *= takeNumber();
    if (isMost)
      entry.maxThreads = number;
  }
  parseBody(entry);
  return entry;
}

/// What is only declared is defined further below.
void Parser::parseFunction(Text &text) {
  Entry function;
  if (token == "(")
    function.results = parseParameters();
  function.name = takeWord();
  if (token == "(")
    function.parameters = parseParameters();
  if (take(";"))
    return;
  expect("{");
  parseBody(function);
  text.functions.push_back(std::move(function));
}

Text Parser::parse() {
  Text text;
  while (!token.empty()) {
    if (take(".version") || take(".target") || take(".address_size")) {
      advance();
      while (take(","))
        advance();
    } else if (take(".visible") || take(".weak")) {
      // Whoever may see it.
    } else if (take(".entry")) {
      text.entries.push_back(parseEntry());
    } else if (take(".func")) {
      parseFunction(text);
    } else if (take(".global") || take(".const")) {
      text.variables.push_back(parseVariable(Variable::Global));
    } else if (take(".extern")) {
      expect(".shared");
      text.variables.push_back(parseVariable(Variable::Shared));
    } else {
      fail("'.entry', '.func' or a variable");
    }
  }
  return text;
}

Text emulator::parse(const std::string &source) {
  Text text = Parser(source).parse();
  inlineCalls(text);
  return text;
}
