//===- TypeStack.h - rows of all node types as one --------------*- C++ -*-===//
//
// A tree of ops for each node type, all alike, becomes one tree on the rows of
// all nodes, down to rows that are slices of such rows already, or that have to
// be copied one after another.
//
//===----------------------------------------------------------------------===//

#ifndef RGNN_DIALECT_RGNN_UTILS_TYPESTACK_H
#define RGNN_DIALECT_RGNN_UTILS_TYPESTACK_H

#include "RGNN/Dialect/RGNN/IR/RGNN.h"

namespace mlir::rgnn {

/// Whether `value` has the rows of nodes of one type.
bool isOfOneType(Value value);

/// Whether two ops compute the same of their operands, but for the graphs and
/// domains of rows.
bool areAlike(Operation *one, Operation *other);

/// `values`, one for each type, as one tensor `[types, ...]`.
Value stackPlain(OpBuilder &builder, ArrayRef<Value> values);

/// A product by type of rows, by one of `weights` for each type, as `linear`
/// multiplies them.
Value buildTypedLinear(OpBuilder &builder, LinearOp linear, Value x,
                       ArrayRef<Value> weights, Value graph, Path type);

/// Rows of all nodes, made of the rows of each type in their order.
class TypeStack {
public:
  TypeStack(OpBuilder &builder, Value graph) : builder(builder), graph(graph) {}

  /// Numbers to copy for each node to have the rows of `parts` in one tensor.
  static int64_t countCopied(ArrayRef<Value> parts);
  /// Those for the operands of the ops that make `parts` and become one, if
  /// they can.
  static std::optional<int64_t> countCopiedOperands(ArrayRef<Value> parts);
  /// The rows that `parts` are slices of, if all of the same.
  static Value getWhole(ArrayRef<Value> parts);
  Value build(ArrayRef<Value> parts);
  Value getGraph() const { return graph; }

private:
  using Parts = SmallVector<Value>;

  /// The operands with number `operand` of the ops that make `parts`.
  static Parts getOperands(ArrayRef<Value> parts, unsigned operand);
  Value buildOp(ArrayRef<Value> parts);

  RowsAttr getAllNodes(Value part) const {
    return getRows(part.getType()).on(Domain::Node);
  }

  OpBuilder &builder;
  Value graph;
  /// By the rows of the first type, what was built of these and the others'.
  DenseMap<Value, SmallVector<std::pair<Parts, Value>, 1>> built;
};

} // namespace mlir::rgnn

#endif // RGNN_DIALECT_RGNN_UTILS_TYPESTACK_H
