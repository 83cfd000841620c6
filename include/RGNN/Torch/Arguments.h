//===- Arguments.h - Arguments of PyTorch's operators -----------*- C++ -*-===//
//
// Saved modules name operators of PyTorch, and hold their arguments as words:
// "%0" is an operand, "i2", "f0.5" and "sfloat32" a number or text, "[2" a list
// of the two arguments behind it, "true", "false" and "none" themselves.
//
//===----------------------------------------------------------------------===//

#ifndef RGNN_TORCH_ARGUMENTS_H
#define RGNN_TORCH_ARGUMENTS_H

#include "RGNN/Torch/Operators.h"

#include <c10/core/ScalarType.h>

namespace rgnn::detail {

/// Reads arguments one after another, as the types of a schema ask for them.
class ArgumentReader {
public:
  ArgumentReader(const Strings &words, const std::vector<c10::IValue> &operands)
      : words(words), operands(operands) {}

  /// `type` is null for numbers of no operator's.
  c10::IValue next(c10::TypePtr type) {
    const std::string &word = words.at(position++);
    if (word == "none")
      return {};
    if (type)
      if (const auto optional = type->cast<c10::OptionalType>())
        type = optional->getElementType();
    const std::string text = word.substr(1);
    switch (word[0]) {
    case '%':
      return operands.at(std::stoul(text));
    case 'i':
      return integer(std::stoll(text), type);
    case 'f':
      return std::stod(text);
    case 's':
      return named(text, type);
    case '[':
      return list(std::stoul(text), type);
    default:
      return word == "true";
    }
  }

  bool done() const { return position == words.size(); }

private:
  static c10::IValue integer(int64_t value, const c10::TypePtr &type) {
    if (type && type->kind() == c10::TypeKind::FloatType)
      return static_cast<double>(value);
    if (type && type->kind() == c10::TypeKind::ListType)
      return Numbers{value};
    return value;
  }

  static c10::IValue named(const std::string &text, const c10::TypePtr &type) {
    switch (type ? type->kind() : c10::TypeKind::StringType) {
    case c10::TypeKind::ScalarTypeType:
    case c10::TypeKind::IntType:
      return c10::getStringToDtypeMap().at(text);
    case c10::TypeKind::DeviceObjType:
      return c10::Device(text);
    case c10::TypeKind::LayoutType:
      TORCH_CHECK(text == "strided", "expected layout strided, got ", text);
      return c10::kStrided;
    case c10::TypeKind::MemoryFormatType:
      TORCH_CHECK(text == "contiguous_format" || text == "preserve_format",
                  "expected rows one after another, got ", text);
      return text == "preserve_format" ? c10::MemoryFormat::Preserve
                                       : c10::MemoryFormat::Contiguous;
    default:
      return text;
    }
  }

  c10::IValue list(size_t size, const c10::TypePtr &type) {
    TORCH_CHECK(type && type->cast<c10::ListType>(),
                "expected an operator that takes a list");
    const c10::TypePtr element =
        type->expectRef<c10::ListType>().getElementType();
    // Sizes are plain numbers here.
    const bool isSize = element->kind() == c10::TypeKind::SymIntType;
    c10::impl::GenericList values(isSize ? c10::IntType::get() : element);
    for (size_t i = 0; i < size; ++i)
      values.push_back(next(element));
    return values;
  }

  const Strings &words;
  const std::vector<c10::IValue> &operands;
  size_t position = 0;
};

/// Calls an operator by its name in a saved module: "aten.sum.dim_IntList".
inline torch::jit::Stack callTorch(const std::string &name,
                                   const Strings &arguments,
                                   const std::vector<c10::IValue> &operands) {
  const size_t space = name.find('.');
  const size_t dot = name.find('.', space + 1);
  const std::string overload =
      dot == std::string::npos ? "" : name.substr(dot + 1);
  const auto found = c10::Dispatcher::singleton().findSchemaOrThrow(
      (name.substr(0, space) + "::" + name.substr(space + 1, dot - space - 1))
          .c_str(),
      overload == "default" ? "" : overload.c_str());
  torch::jit::Stack stack;
  ArgumentReader reader(arguments, operands);
  for (const c10::Argument &argument : found.schema().arguments())
    if (!reader.done())
      stack.push_back(reader.next(argument.real_type()));
    else if (argument.default_value())
      stack.push_back(*argument.default_value());
  found.callBoxed(&stack);
  return stack;
}

} // namespace rgnn::detail

#endif // RGNN_TORCH_ARGUMENTS_H
