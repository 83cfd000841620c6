//===- Json.cpp - Reading of JSON that may be wrong -----------------------===//

#include "Support/Json.h"
#include <nlohmann/json.hpp>

using namespace rgnn;
using nlohmann::json;

/// Far above what any file has; far below what a stack holds.
static constexpr int maxDepth = 100;

static json parse(std::string_view text, const std::string &name) {
  auto checkDepth = [&](int depth, json::parse_event_t, json &) {
    if (depth > maxDepth)
      failLoad(name, ": expected at most ", maxDepth, " levels, got more");
    return true;
  };
  try {
    return json::parse(text, checkDepth);
  } catch (const json::exception &error) {
    failLoad(name, ": expected JSON: ", error.what());
  }
}

JsonDocument::JsonDocument(std::string_view text, const std::string &name)
    : name(name), value(std::make_unique<json>(parse(text, name))) {}

JsonDocument::~JsonDocument() = default;

std::string JsonNode::text() const {
  constexpr size_t maxLength = 100;
  const std::string text = value->dump();
  return text.size() > maxLength ? text.substr(0, maxLength) + "..." : text;
}

void JsonNode::fail(const std::string &expected) const {
  failLoad(where, ": expected ", expected, ", got ", text());
}

JsonNode JsonNode::operator[](const char *name) const {
  const auto found = value->find(name);
  if (found == value->end())
    fail("a field '" + std::string(name) + "'");
  return {*found, where + "." + name};
}

std::optional<JsonNode> JsonNode::find(const char *name) const {
  const auto found = value->find(name);
  if (found == value->end() || found->is_null())
    return std::nullopt;
  return JsonNode(*found, where + "." + name);
}

bool JsonNode::isNull() const { return value->is_null(); }

bool JsonNode::isInteger() const { return value->is_number_integer(); }

bool JsonNode::isList() const { return value->is_array(); }

bool JsonNode::boolean() const {
  if (!value->is_boolean())
    fail("true or false");
  return value->get<bool>();
}

const std::string &JsonNode::string() const {
  if (!value->is_string())
    fail("a string");
  return value->get_ref<const std::string &>();
}

double JsonNode::number() const {
  if (!value->is_number())
    fail("a number");
  return value->get<double>();
}

int64_t JsonNode::integer(int64_t least, int64_t most) const {
  constexpr uint64_t largest = std::numeric_limits<int64_t>::max();
  if (!isInteger() ||
      (value->is_number_unsigned() && value->get<uint64_t>() > largest))
    fail("an integer");
  const auto integer = value->get<int64_t>();
  if (integer < least || integer > most)
    fail(most == std::numeric_limits<int64_t>::max()
             ? "at least " + std::to_string(least)
             : "a number from " + std::to_string(least) + " to " +
                   std::to_string(most));
  return integer;
}

void JsonNode::expect(int64_t expected) const {
  if (integer() != expected)
    fail(std::to_string(expected));
}

int32_t JsonNode::index(size_t count) const {
  const int64_t index = integer();
  if (index < 0 || static_cast<uint64_t>(index) >= count)
    fail("a number in [0, " + std::to_string(count) + ")");
  return static_cast<int32_t>(index);
}

std::vector<JsonNode> JsonNode::list() const {
  if (!value->is_array())
    fail("a list");
  std::vector<JsonNode> elements;
  elements.reserve(value->size());
  for (const json &element : *value)
    elements.emplace_back(element,
                          where + "[" + std::to_string(elements.size()) + "]");
  return elements;
}

std::vector<std::string> JsonNode::strings() const {
  std::vector<std::string> result;
  for (const JsonNode &element : list())
    result.push_back(element.string());
  return result;
}

std::vector<std::pair<std::string, JsonNode>> JsonNode::fields() const {
  if (!value->is_object())
    fail("an object");
  std::vector<std::pair<std::string, JsonNode>> result;
  for (const auto &[name, field] : value->items())
    result.emplace_back(name, JsonNode(field, where + "." + name));
  return result;
}
