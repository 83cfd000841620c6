//===- Elementwise.h - scalar code of element-wise operators ----*- C++ -*-===//

#ifndef RGNN_LIB_DIALECT_RGNN_TRANSFORMS_LIFTTORCH_ELEMENTS_ELEMENTWISE_H
#define RGNN_LIB_DIALECT_RGNN_TRANSFORMS_LIFTTORCH_ELEMENTS_ELEMENTWISE_H

#include "../Rules.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace mlir::rgnn::lift {

/// Builds the region of a map in the type that PyTorch computes in: float for
/// the 16-bit types, the element type otherwise.
struct Scalars {
  OpBuilder &builder;
  Location loc;
  Type type;

  Value constant(double value) {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getFloatAttr(type, value));
  }
  Value add(Value a, Value b) {
    return arith::AddFOp::create(builder, loc, a, b);
  }
  Value sub(Value a, Value b) {
    return arith::SubFOp::create(builder, loc, a, b);
  }
  Value mul(Value a, Value b) {
    return arith::MulFOp::create(builder, loc, a, b);
  }
  Value div(Value a, Value b) {
    return arith::DivFOp::create(builder, loc, a, b);
  }
  template <typename Op>
  Value unary(Value a) {
    return Op::create(builder, loc, a);
  }
  template <typename Op>
  Value binary(Value a, Value b) {
    return Op::create(builder, loc, a, b);
  }
  /// `a * number`, or `a` itself if that changes nothing.
  Value scale(Value a, double number) {
    return number == 1.0 ? a : mul(a, constant(number));
  }
  /// `x > 0 ? positive : other`; the other for NaN, which keeps it NaN.
  Value ifPositive(Value x, Value positive, Value other) {
    Value test = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OGT,
                                       x, constant(0.0));
    return arith::SelectOp::create(builder, loc, test, positive, other);
  }
};

/// Computes an element from those of the operands; null with a reason where an
/// argument is not one that the rule knows.
using ElementFn = Value (*)(Scalars &, ArrayRef<Value>, TorchCall &);

/// A map whose scalar code is `body`'s.
Value buildMap(TorchCall &call, Type type, ArrayRef<Value> inputs,
               llvm::function_ref<Value(Scalars &, ArrayRef<Value>)> body);

/// An argument that must be a number; nothing with a reason where it is none.
std::optional<double> getNumber(TorchCall &call, unsigned i);
/// `x`, or `bound` where it is beyond it. No maximum or minimum: at the bound
/// the gradient is that of `x`, unlike relu's at zero. NaN stays NaN.
Value buildBound(Scalars &s, Value x, double bound, bool isLower);

/// `1 / (1 + exp(-x))`.
Value buildSigmoid(Scalars &s, Value x);

/// What an element-wise operator computes of its first `numOperands` arguments.
struct ElementRule {
  unsigned numOperands;
  ElementFn compute;
  /// The one that is a truth value.
  std::optional<unsigned> truth = std::nullopt;
};
using AddElementRule = llvm::function_ref<void(StringRef, ElementRule)>;

/// Calls `add` with the name of each operator and what it computes.
void addScalarRules(AddElementRule add);
void addActivationRules(AddElementRule add);
void addSelectionRules(AddElementRule add);

/// The operators whose truth values are made from numbers, so that who reads
/// them can make them.
SmallVector<StringRef> getTruthOperators();

/// `value` in another type of floats, or itself.
Value convertFloat(OpBuilder &builder, Location loc, Type type, Value value);

} // namespace mlir::rgnn::lift

#endif // RGNN_LIB_DIALECT_RGNN_TRANSFORMS_LIFTTORCH_ELEMENTS_ELEMENTWISE_H
