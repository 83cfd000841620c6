//===- Message.h - what the compiler says ----------------------*- C++ -*-===//

#ifndef RGNN_CODEGEN_MESSAGE_H
#define RGNN_CODEGEN_MESSAGE_H

#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

#include <string>
#include <vector>

namespace mlir::rgnn {

/// A diagnostic, or a remark of a pass.
struct Message {
  /// "error", "warning", "remark" or "note"; of what a pass remarks "passed",
  /// "missed" or "failure".
  std::string kind;
  /// Of what a pass remarks: the pass, the name of such remarks, the function.
  std::string category, name, function;
  /// The innermost place in the user's source; no file where there is none.
  std::string file;
  int64_t line = 0, column = 0;
  /// The op, or captured operator, that it is about; empty where it names none.
  std::string op;
  /// The rest. Notes follow in lines of their own.
  std::string text;

  bool operator==(const Message &other) const;
};

/// "file:line:column: kind: 'op' op text".
std::string toString(const Message &message);

/// Of the cache.
llvm::json::Value toJSON(const Message &message);
bool fromJSON(const llvm::json::Value &value, Message &message,
              llvm::json::Path path);

/// The errors that ended a compilation; prints them, one below the other.
class CompileFailure : public llvm::ErrorInfo<CompileFailure> {
public:
  static char ID;

  explicit CompileFailure(std::vector<Message> messages)
      : messages(std::move(messages)) {}

  void log(llvm::raw_ostream &stream) const override;
  std::error_code convertToErrorCode() const override;

  std::vector<Message> messages;
};

} // namespace mlir::rgnn

#endif // RGNN_CODEGEN_MESSAGE_H
