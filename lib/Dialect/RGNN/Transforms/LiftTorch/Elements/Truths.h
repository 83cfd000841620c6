//===- Truths.h - operators that compute and move truth values --*- C++ -*-===//

#ifndef RGNN_LIB_DIALECT_RGNN_TRANSFORMS_LIFTTORCH_ELEMENTS_TRUTHS_H
#define RGNN_LIB_DIALECT_RGNN_TRANSFORMS_LIFTTORCH_ELEMENTS_TRUTHS_H

#include "Operands.h"

namespace mlir::rgnn::lift {

/// The operator that computes a truth value of numbers, or of such values.
TorchOp getTruth(Value value);

/// The type of the numbers that a truth value is computed of, or float32.
FloatType getComparedType(TorchOp truth);

/// Whether the operator picks rows by a list.
bool isGather(StringRef name);

/// Whether the operator moves zeros and ones as it does truth values.
bool isMover(StringRef name);

/// Makes the truth values that an operator reads zeros and ones.
void readNumbers(TorchOp op, FloatType element);

/// Gives a tensor elements of another type.
void setElement(Value value, Type element);

/// An operator on one tensor and a number or a name.
TorchOp createUnary(OpBuilder &builder, StringRef name, Value operand,
                    Type element, Attribute argument);

/// Integers that are computed of comparisons are held as floats.
void holdCountsAsFloats(Block &block);

} // namespace mlir::rgnn::lift

#endif // RGNN_LIB_DIALECT_RGNN_TRANSFORMS_LIFTTORCH_ELEMENTS_TRUTHS_H
