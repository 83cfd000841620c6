//===- Message.cpp - what the compiler says -------------------------------===//

#include "RGNN/CodeGen/Message.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <tuple>

using namespace mlir;
namespace json = llvm::json;

bool rgnn::Message::operator==(const Message &other) const {
  auto fields = [](const Message &message) {
    return std::tie(message.kind, message.category, message.name,
                    message.function, message.file, message.line,
                    message.column, message.op, message.text);
  };
  return fields(*this) == fields(other);
}

std::string rgnn::toString(const Message &message) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (!message.file.empty())
    stream << message.file << ':' << message.line << ':' << message.column
           << ": ";
  stream << message.kind << ": ";
  if (!message.op.empty())
    stream << '\'' << message.op << "' op ";
  stream << message.text;
  return text;
}

json::Value rgnn::toJSON(const Message &message) {
  // Names in the user's source may be any bytes.
  return json::Object{{"kind", message.kind},
                      {"category", message.category},
                      {"name", message.name},
                      {"function", json::fixUTF8(message.function)},
                      {"file", json::fixUTF8(message.file)},
                      {"line", message.line},
                      {"column", message.column},
                      {"op", json::fixUTF8(message.op)},
                      {"text", json::fixUTF8(message.text)}};
}

bool rgnn::fromJSON(const json::Value &value, Message &message,
                    json::Path path) {
  json::ObjectMapper fields(value, path);
  return fields && fields.map("kind", message.kind) &&
         fields.map("category", message.category) &&
         fields.map("name", message.name) &&
         fields.map("function", message.function) &&
         fields.map("file", message.file) && fields.map("line", message.line) &&
         fields.map("column", message.column) && fields.map("op", message.op) &&
         fields.map("text", message.text);
}

char rgnn::CompileFailure::ID = 0;

void rgnn::CompileFailure::log(llvm::raw_ostream &stream) const {
  llvm::interleave(
      messages, stream,
      [&](const Message &message) { stream << toString(message); }, "\n");
}

std::error_code rgnn::CompileFailure::convertToErrorCode() const {
  return std::make_error_code(std::errc::invalid_argument);
}
