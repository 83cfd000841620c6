//===- Arguments.h - of a captured operator ---------------------*- C++ -*-===//

#ifndef RGNN_LIB_DIALECT_RGNN_TRANSFORMS_LIFTTORCH_ARGUMENTS_H
#define RGNN_LIB_DIALECT_RGNN_TRANSFORMS_LIFTTORCH_ARGUMENTS_H

#include "RGNN/Dialect/RGNN/IR/RGNN.h"

namespace mlir::rgnn::lift {

/// The arguments of a captured operator, in the order of its schema.
class Arguments {
public:
  explicit Arguments(TorchOp op) : op(op) {}

  /// The argument as written, or null if the list is shorter.
  Attribute get(unsigned i);
  /// The operand that the argument stands for, or null.
  Value value(unsigned i);
  /// The same if it is a tensor of floats, or null.
  Value floats(unsigned i);
  /// The operands of a list of tensors; nothing where one is not an operand.
  std::optional<SmallVector<Value>> values(unsigned i);
  std::optional<int64_t> integer(unsigned i);
  std::optional<SmallVector<int64_t>> integers(unsigned i);
  /// An integer or a float, or a constant tensor without dimensions.
  std::optional<double> number(unsigned i);
  std::optional<bool> boolean(unsigned i);
  StringRef string(unsigned i);
  bool isNone(unsigned i) { return isa_and_present<UnitAttr>(get(i)); }

  StringRef name() { return op.getName(); }
  /// The type that was captured for a result, or null if it is no tensor.
  RankedTensorType resultType(unsigned i = 0);

  TorchOp op;

private:
  Value resolve(Attribute argument);
};

/// The values of a constant that was captured as an argument of the function;
/// null if they are not known.
DenseElementsAttr getConstant(Value value);

/// `dim` counted from the front, or nothing if there is no such dimension.
std::optional<int64_t> normalizeDim(std::optional<int64_t> dim, int64_t rank);

/// The dimension of argument 0 that argument `i` names.
std::optional<int64_t> getDim(Arguments arguments, unsigned i);

} // namespace mlir::rgnn::lift

#endif // RGNN_LIB_DIALECT_RGNN_TRANSFORMS_LIFTTORCH_ARGUMENTS_H
