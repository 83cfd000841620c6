//===- Jumps.cpp - Branches that choose from a table ----------------------===//

#include "Statements.h"

using namespace emulator;

static Operand makeOperand(const std::string &name) {
  return {Operand::Single, {name}, 0};
}

/// What an index beyond the table does is not defined; here it goes on.
void emulator::expandJumps(Entry &entry) {
  if (entry.tables.empty())
    return;
  const std::string isChosen = "%brx";
  entry.registers.push_back({isChosen, 0, 1});
  std::vector<Statement> all;
  for (Statement &statement : entry.statements) {
    if (statement.name != "brx.idx" && statement.name != "brx.idx.uni") {
      all.push_back(std::move(statement));
      continue;
    }
    const std::vector<Operand> &operands = statement.operands;
    auto table = operands.size() == 2
                     ? entry.tables.find(operands[1].names.front())
                     : entry.tables.end();
    if (table == entry.tables.end() || !statement.guard.empty())
      throw InvalidPTX(statement.line, "expected an index and a table");
    for (size_t i = 0; i < table->second.size(); ++i) {
      Statement compare, branch;
      compare.line = branch.line = statement.line;
      compare.name = "setp.eq.b32";
      compare.operands = {makeOperand(isChosen), operands[0],
                          makeOperand(std::to_string(i))};
      branch.name = "bra";
      branch.guard = isChosen;
      branch.operands = {makeOperand(table->second[i])};
      all.push_back(std::move(compare));
      all.push_back(std::move(branch));
    }
  }
  entry.statements = std::move(all);
}
