//===- Statements.h - PTX as text, taken apart ------------------*- C++ -*-===//
//
// The syntax of PTX that LLVM writes, without what it means.
//
//===----------------------------------------------------------------------===//

#ifndef RGNN_TOOLS_CUDAEMULATOR_STATEMENTS_H
#define RGNN_TOOLS_CUDAEMULATOR_STATEMENTS_H

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace emulator {

/// What is wrong with a module, and in which line.
struct InvalidPTX : std::runtime_error {
  InvalidPTX(unsigned line, const std::string &what)
      : std::runtime_error("line " + std::to_string(line) + ": " + what) {}
};

/// `%r1`, `42`, `0f3F800000`, `name`, `[%rd1+4]`, `{%r1, %r2}`, `(a, b)` or
/// `%p1|%p2`.
struct Operand {
  enum Kind { Single, Address, List };
  Kind kind = Single;
  /// One, or those of a list.
  std::vector<std::string> names;
  /// What is added to an address.
  int64_t offset = 0;
};

/// A label, or an instruction: `@!%p1 add.s32 %r1, %r2, 4;`.
struct Statement {
  unsigned line;
  std::string label;
  /// The predicate that an instruction depends on, or empty.
  std::string guard;
  bool guardIsNegated = false;
  std::string name;
  std::vector<Operand> operands;
};

/// `.shared .align 4 .b8 name[64];`
struct Variable {
  /// Whose it is: the GPU's, a block's or a thread's.
  enum Space { Global, Shared, Local };
  Space space;
  unsigned alignment, line;
  std::string name;
  uint64_t bytes;
  /// What the GPU's memory holds.
  std::vector<char> value;
};

struct Parameter {
  std::string name;
  unsigned bytes;
};

/// `.reg .b32 %r<12>;`
struct Registers {
  std::string prefix;
  unsigned count, bits;
};

/// A kernel, or a function that kernels call, which may give results.
struct Entry {
  std::string name;
  std::vector<Parameter> parameters, results;
  std::vector<Registers> registers;
  std::vector<Variable> variables;
  std::vector<Statement> statements;
  /// `$table: .branchtargets $first, $second;`, which `brx.idx` chooses from.
  std::map<std::string, std::vector<std::string>> tables;
  /// At most so many threads a block; 0 where it says nothing.
  unsigned maxThreads = 0;
};

struct Text {
  std::vector<Variable> variables;
  std::vector<Entry> entries, functions;
};

/// Puts comparisons and branches in the place of `brx.idx`. Throws InvalidPTX.
void expandJumps(Entry &entry);

/// Puts the code of functions in the place of their calls. Throws InvalidPTX.
void inlineCalls(Text &text);

/// Without calls. Throws InvalidPTX.
Text parse(const std::string &source);

} // namespace emulator

#endif // RGNN_TOOLS_CUDAEMULATOR_STATEMENTS_H
