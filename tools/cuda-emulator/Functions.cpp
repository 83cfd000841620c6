//===- Functions.cpp - Calls in kernels, inlined --------------------------===//
//
// libdevice calls a few functions, such as for the sine of a large number. Each
// call becomes a copy of the function's code. What is passed lies in memory of
// the thread, which calls have as `.param`.
//
//===----------------------------------------------------------------------===//

#include "Statements.h"
#include <functional>
#include <map>
#include <set>

using namespace emulator;

namespace {
using Rename = std::function<std::string(const std::string &)>;

class Inliner {
public:
  Inliner(const std::map<std::string, const Entry *> &functions, Entry &entry)
      : functions(functions), entry(entry) {}

  void run() {
    std::vector<Statement> statements = std::move(entry.statements);
    entry.statements.clear();
    append(statements, [](const std::string &name) { return name; });
  }

private:
  void append(const std::vector<Statement> &statements, const Rename &rename);
  void inlineCall(const Statement &call);
  /// The names in a function's code, for one call of it.
  Rename renameFor(const Entry &function, const Statement &call);
  /// Makes room for what it keeps, which all calls of it share.
  void addRoom(const Entry &function);

  const std::map<std::string, const Entry *> &functions;
  Entry &entry;
  std::set<std::string> known;
  /// The functions whose code is being copied.
  std::vector<const Entry *> open;
  unsigned numCalls = 0;
};
} // namespace

static bool isCall(const Statement &statement) {
  return statement.name == "call" || statement.name == "call.uni";
}

void Inliner::append(const std::vector<Statement> &statements,
                     const Rename &rename) {
  for (Statement statement : statements) {
    for (std::string *name : {&statement.label, &statement.guard})
      if (!name->empty())
        *name = rename(*name);
    for (Operand &operand : statement.operands)
      for (std::string &name : operand.names)
        name = rename(name);
    if (isCall(statement))
      inlineCall(statement);
    else
      entry.statements.push_back(std::move(statement));
  }
}

void Inliner::inlineCall(const Statement &call) {
  const Entry *function = nullptr;
  for (const Operand &operand : call.operands)
    if (auto found =
            functions.find(operand.names.empty() ? "" : operand.names[0]);
        operand.kind == Operand::Single && found != functions.end())
      function = found->second;
  if (!function || !call.guard.empty())
    throw InvalidPTX(call.line, "expected a call of a function of the module");
  for (const Entry *other : open)
    if (other == function)
      throw InvalidPTX(call.line, function->name + " calls itself");

  addRoom(*function);
  std::vector<Statement> body = function->statements;
  for (Statement &statement : body)
    if (statement.name == "ret" || statement.name == "ret.uni") {
      statement.name = "bra";
      statement.operands = {{Operand::Single, {"$end"}, 0}};
    }
  Statement label;
  label.line = call.line;
  label.label = "$end";
  body.push_back(label);
  open.push_back(function);
  append(body, renameFor(*function, call));
  open.pop_back();
}

Rename Inliner::renameFor(const Entry &function, const Statement &call) {
  std::map<std::string, std::string> names;
  auto pass = [&](const std::vector<Parameter> &formal, const Operand *actual) {
    size_t count = actual ? actual->names.size() : 0;
    if (formal.size() != count)
      throw InvalidPTX(call.line, "expected " + std::to_string(formal.size()) +
                                      " of what " + function.name +
                                      " takes or gives, got " +
                                      std::to_string(count));
    for (size_t i = 0; i < count; ++i)
      names[formal[i].name] = actual->names[i];
  };
  const Operand &first = call.operands.front(), &last = call.operands.back();
  pass(function.results, first.kind == Operand::List ? &first : nullptr);
  pass(function.parameters,
       last.kind == Operand::List && &last != &first ? &last : nullptr);
  for (const Variable &variable : function.variables)
    names[variable.name] = function.name + "." + variable.name;
  std::set<std::string> prefixes;
  for (const Registers &registers : function.registers)
    prefixes.insert(registers.prefix);
  std::string suffix = "@" + std::to_string(numCalls++);
  return [=](const std::string &name) {
    if (auto found = names.find(name); found != names.end())
      return found->second;
    if (name[0] == '$')
      return name + suffix;
    size_t digits = name.find_last_not_of("0123456789") + 1;
    bool isRegister =
        prefixes.count(name) || prefixes.count(name.substr(0, digits));
    return isRegister ? "%" + function.name + "." + name : name;
  };
}

void Inliner::addRoom(const Entry &function) {
  if (!known.insert(function.name).second)
    return;
  for (Registers registers : function.registers) {
    registers.prefix = "%" + function.name + "." + registers.prefix;
    entry.registers.push_back(registers);
  }
  for (Variable variable : function.variables) {
    variable.name = function.name + "." + variable.name;
    entry.variables.push_back(variable);
  }
}

void emulator::inlineCalls(Text &text) {
  std::map<std::string, const Entry *> functions;
  for (const Entry &function : text.functions)
    functions[function.name] = &function;
  for (Entry &entry : text.entries)
    Inliner(functions, entry).run();
}
