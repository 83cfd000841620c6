//===- Slice.h - ops that make a value of others ----------------*- C++ -*-===//

#ifndef RGNN_LIB_DIALECT_RGNN_TRANSFORMS_DIFFERENTIATE_SLICE_H
#define RGNN_LIB_DIALECT_RGNN_TRANSFORMS_DIFFERENTIATE_SLICE_H

#include "RGNN/Dialect/RGNN/IR/RGNN.h"
#include "RGNN/Support/Remarks.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::rgnn {

/// The ops that make one value of values that are at hand somewhere else, or
/// could be: its *leaves*. They do so little for each number that to do it
/// again costs about as much as to load the number: they are element-wise, or
/// move rows.
class Slice {
public:
  using IsAtHand = llvm::function_ref<bool(Value)>;

  /// Collects the ops that make `value` of what is at hand. With `isExact`,
  /// only ops that another kernel repeats bit for bit.
  Slice(Value value, bool isExact, IsAtHand isAtHand);

  /// Why there is no such slice.
  const Refusal &getRefusal() const { return refusal; }
  /// Rows that the slice starts from, fewer than the value's, which are not at
  /// hand.
  ArrayRef<Value> getMissing() const { return missing.getArrayRef(); }
  /// All values that the slice starts from, but graphs.
  ArrayRef<Value> getLeaves() const { return leaves.getArrayRef(); }
  ArrayRef<Value> getGraphs() const { return graphs.getArrayRef(); }
  /// The value, made anew at `builder`, of leaves and graphs of `mapping`.
  Value clone(OpBuilder &builder, IRMapping &mapping) const;

private:
  void visit(Value value);
  bool canRepeat(Operation *op, bool isOfFew);

  Value value;
  RowsAttr rows;
  bool isExact;
  IsAtHand isAtHand;
  Refusal refusal;
  llvm::SetVector<Value> missing, leaves, graphs;
  llvm::SetVector<Operation *> ops; // operands first
};

} // namespace mlir::rgnn

#endif // RGNN_LIB_DIALECT_RGNN_TRANSFORMS_DIFFERENTIATE_SLICE_H
