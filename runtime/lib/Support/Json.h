//===- Json.h - Reading of JSON that may be wrong ---------------*- C++ -*-===//

#ifndef RGNN_RUNTIME_SUPPORT_JSON_H
#define RGNN_RUNTIME_SUPPORT_JSON_H

#include "Support/Error.h"
#include <cstdint>
#include <limits>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rgnn {

/// A value in a document and its place there, e.g. "manifest.inputs[2].dtype":
/// whatever is not as asked for fails with both.
class JsonNode {
public:
  /// `value` must outlive the node.
  JsonNode(const nlohmann::json &value, std::string place)
      : value(&value), where(std::move(place)) {}

  /// A field, which must be there.
  JsonNode operator[](const char *name) const;
  /// A field; none where it is absent or null.
  std::optional<JsonNode> find(const char *name) const;
  bool isNull() const;
  bool isInteger() const;
  bool isList() const;

  bool boolean() const;
  const std::string &string() const;
  double number() const;
  int64_t integer(int64_t least = std::numeric_limits<int64_t>::min(),
                  int64_t most = std::numeric_limits<int64_t>::max()) const;
  /// Fails on another number than `expected`.
  void expect(int64_t expected) const;
  /// The place of one of `count` things.
  int32_t index(size_t count) const;
  std::vector<JsonNode> list() const;
  std::vector<std::string> strings() const;
  /// The fields of an object with their names, in alphabetical order.
  std::vector<std::pair<std::string, JsonNode>> fields() const;

  /// What `parse` makes of the string; its failures get the place.
  template <typename Parse>
  auto parsed(Parse parse) const {
    const std::string &text = string();
    try {
      return parse(text);
    } catch (const Error &error) {
      failLoad(where, ": ", error.what());
    }
  }

  const std::string &place() const { return where; }
  /// The value as JSON, cut where it is long.
  std::string text() const;
  [[noreturn]] void fail(const std::string &expected) const;

private:
  const nlohmann::json *value;
  std::string where;
};

/// A document, and access to it from its root.
class JsonDocument {
public:
  /// Fails on what is not JSON, or deeper than what is read recursively may be.
  JsonDocument(std::string_view text, const std::string &name);
  ~JsonDocument();

  JsonNode root() const { return {*value, name}; }

private:
  const std::string name;
  const std::unique_ptr<const nlohmann::json> value;
};

} // namespace rgnn

#endif // RGNN_RUNTIME_SUPPORT_JSON_H
