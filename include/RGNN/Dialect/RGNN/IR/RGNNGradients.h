//===- RGNNGradients.h - reverse mode over a list of ops --------*- C++ -*-===//
//
// What differentiating a function and differentiating the scalars of a
// `rgnn.map` have in common.
//
//===----------------------------------------------------------------------===//

#ifndef RGNN_DIALECT_RGNN_IR_RGNNGRADIENTS_H
#define RGNN_DIALECT_RGNN_IR_RGNNGRADIENTS_H

#include "RGNN/Dialect/RGNN/IR/RGNN.h"

#include "llvm/ADT/DenseSet.h"

namespace mlir::rgnn {

/// The floating-point values among `sources` and the results of `ops`, in their
/// order, that change with `sources`.
DenseSet<Value> findActiveValues(ArrayRef<Operation *> ops, ValueRange sources);

/// By how much a number changes with each of some values.
using Gradients = DenseMap<Value, Value>;

/// Walks `ops` from the last to the first and adds to `gradients` what each
/// contributes to its active operands. Fails, with an error, at an op between
/// active values that has no gradient.
LogicalResult propagateGradients(OpBuilder &builder, ArrayRef<Operation *> ops,
                                 const DenseSet<Value> &active,
                                 Gradients &gradients);

/// Adds `contribution` to the gradient of `value`, or fails, with an error.
LogicalResult addGradient(OpBuilder &builder, Value value, Value contribution,
                          Gradients &gradients);

/// `a` times `b`, as `type`.
Value multiply(OpBuilder &builder, Location loc, Type type, Value a, Value b);

/// `rows` with the other sign.
Value negate(OpBuilder &builder, Location loc, Value rows);

/// One where `x` is equal to `best`, zero elsewhere: those that equal a maximum
/// or minimum share its gradient.
Value markBest(OpBuilder &builder, Location loc, Value x, Value best);

/// `x` with ones in the place of zeros, which `isZero` has ones for.
Value fillZeros(OpBuilder &builder, Location loc, Value x, Value isZero);

/// The gradient of the factors `x` of a product: that of the product times the
/// product of all other factors. It is given as `ofAll`, times the product, and
/// as `ofOthers`, times the product of what is not zero; `numZeros` factors
/// are.
Value buildFactorGradient(OpBuilder &builder, Location loc, Value x,
                          Value isZero, Value numZeros, Value ofAll,
                          Value ofOthers);

/// Zeros of `type`; `like` has the rows of `type`, and its row shape broadcasts
/// to that of `type`.
Value createZeros(OpBuilder &builder, Location loc, Value like, Type type);

/// A number for each of `rows`, made of the graph alone: what is the same for
/// all rows needs no other value that says how many there are.
Value createRows(OpBuilder &builder, Location loc, Value graph, RowsAttr rows,
                 Type element);

/// Ones of `type`, which has rows of `graph`.
Value createOnes(OpBuilder &builder, Location loc, Value graph,
                 RankedTensorType type);

/// Gives ops of other dialects their gradients: scalar ops of arith and math,
/// which maps are made of, and casts of tensors.
void attachScalarGradients(MLIRContext &context);

} // namespace mlir::rgnn

#endif // RGNN_DIALECT_RGNN_IR_RGNNGRADIENTS_H
