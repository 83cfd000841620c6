//===- Operands.h - what element-wise operators read ------------*- C++ -*-===//

#ifndef RGNN_LIB_DIALECT_RGNN_TRANSFORMS_LIFTTORCH_ELEMENTS_OPERANDS_H
#define RGNN_LIB_DIALECT_RGNN_TRANSFORMS_LIFTTORCH_ELEMENTS_OPERANDS_H

#include "Elementwise.h"

namespace mlir::rgnn::lift {

/// Whether it is a tensor of truth values.
bool isTruth(Value value);

/// Whether the operator compares two numbers by their order.
bool comparesNumbers(StringRef name);

/// The operands of one element-wise operator, as elements. Rows hold no truth
/// values: who reads a comparison makes it, from the numbers that it compares.
class ElementOperands {
public:
  explicit ElementOperands(TorchCall &call) : call(call) {}

  /// Argument `i` of the call; fails with a reason.
  LogicalResult add(unsigned i);
  /// The captured tensors of floats that are read.
  ArrayRef<Value> getTensors() const { return tensors; }
  /// Computes operand `i` from elements of the tensors: a truth value, or a
  /// number in the type of `scalars`.
  Value emit(unsigned i, bool isTruth, Scalars &scalars,
             ArrayRef<Value> elements);

private:
  /// A number, an element of a tensor, or a truth operator of others.
  struct Node {
    std::optional<double> number;
    unsigned tensor = 0;
    TorchOp truth;
    SmallVector<unsigned> parts;
  };

  FailureOr<unsigned> read(Arguments arguments, unsigned i);
  Value emitNumber(unsigned node, Scalars &scalars, ArrayRef<Value> elements);
  Value emitTruth(unsigned node, bool isNegated, OpBuilder &builder,
                  Location loc, ArrayRef<Value> elements);

  TorchCall &call;
  SmallVector<Value> tensors;
  std::vector<Node> nodes;
  SmallVector<unsigned> operands;
};

} // namespace mlir::rgnn::lift

#endif // RGNN_LIB_DIALECT_RGNN_TRANSFORMS_LIFTTORCH_ELEMENTS_OPERANDS_H
