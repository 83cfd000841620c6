//===- RaiseLoops.h - loops over a graph as ops on all rows -----*- C++ -*-===//
//
// A statement of a loop runs once an iteration; raised, it runs for all of them
// at once, before the next statement starts. Dependences.cpp proves that this
// order gives the same result, Rows.cpp makes the ops, RaiseLoops.cpp keeps the
// named data as values.
//
//===----------------------------------------------------------------------===//

#ifndef RGNN_LIB_DIALECT_RGNN_TRANSFORMS_RAISELOOPS_H
#define RGNN_LIB_DIALECT_RGNN_TRANSFORMS_RAISELOOPS_H

#include "RGNN/Dialect/RGNN/Transforms/Passes.h"

namespace mlir::rgnn::raise {

/// A node or edge inside a nest, in terms of the loops' own elements: the one
/// that a loop visits, or an end of the edge that it visits. The end from which
/// a loop over a node's edges comes is that node.
struct Element {
  BlockArgument visited;
  std::optional<Path> end;

  bool operator==(const Element &other) const {
    return visited == other.visited && end == other.end;
  }
  bool operator!=(const Element &other) const { return !(*this == other); }

  bool isEdge() const { return !end && isa<EdgeType>(visited.getType()); }
  LoopOp getLoop() const {
    return cast<LoopOp>(visited.getOwner()->getParentOp());
  }
};

/// O(depth of the nest).
Element getElement(Value element);

/// The end of the visited edges that a loop over a node's edges comes from.
Path getOrigin(LoopOp loop);

/// Whether a loop visits the edges of a node for each of its edges.
bool isOfPairs(LoopOp loop);

/// Whether every loop can run statement by statement. If not, says why at the
/// op that cannot. O(accesses^2) for each loop.
LogicalResult checkDependences(ProgramOp program);

LogicalResult refuse(Operation *op, const Twine &reason);

/// What a value of one iteration is for all iterations.
struct Row {
  enum class Kind {
    Shared, ///< The same value for all of them.
    Rows,   ///< A row of a tensor on the domain of `element`.
    Weight, ///< The entry of a table that the type of `element` picks.
    Pair    ///< `value` of `element` less `less` of the other edge of a pair.
  };
  Kind kind = Kind::Shared;
  Value value;
  Element element;
  Value less = {};
  /// Of a pair: whether 0 stands for what is less than that.
  bool isExcess = false;

  static Row shared(Value value) { return {Kind::Shared, value, {}}; }
  static Row rows(Value value, Element element) {
    return {Kind::Rows, value, element};
  }
};

/// Makes ops on rows in front of a program.
class RowBuilder {
public:
  RowBuilder(ProgramOp program) : builder(program), graph(program.getGraph()) {}

  /// The encoding of rows of nodes or edges.
  RowsAttr getEncoding(bool onEdges);

  /// One row an element of the kind of `target`: gathered if it is that of a
  /// node and the target is an edge, repeated if all share it.
  FailureOr<Value> getRows(Operation *op, const Row &row, Element target);

  /// What all nodes or edges share as a row of each.
  Value repeat(Location loc, Value shared, bool onEdges);

  /// The row op `op` of a loop that visits `visited`.
  FailureOr<Row> raise(Operation *op, ArrayRef<Row> operands,
                       BlockArgument visited);

  /// The same in a loop over pairs of edges, and what an op of it adds up.
  FailureOr<Row> raiseOfPairs(Operation *op, ArrayRef<Row> operands,
                              BlockArgument visited);
  FailureOr<Value> sumPairs(AccumulateOp op, const Row &row,
                            BlockArgument visited);

  /// `rows` of edges reduced to the nodes that `path` leads to.
  Value reduce(Location loc, Reduction kind, Path path, Value rows);
  /// The number of edges at each node, times a value that all edges share.
  Value scaleByDegree(Location loc, Path path, Value shared);
  Value add(Location loc, Value lhs, Value rhs, RankedTensorType type);

private:
  FailureOr<Row> raiseLinear(LinearOp op, Row x, Row weight, Element target);
  FailureOr<Row> raiseMatmul(MatmulOp op, Row lhs, Row rhs);
  FailureOr<Row> raiseDot(DotOp op, Row lhs, Row rhs, Element target);
  FailureOr<Value> multiplyByTable(Operation *op, const Row &x, Value table,
                                   Element ofWeight);
  Row multiplyShared(LinearOp op, Value x, const Row &weight);
  FailureOr<Row> multiplyNumbers(LinearOp op, const Row &x, const Row &weight,
                                 Element target);
  Value repeatForHeads(Location loc, Value table, ArrayRef<int64_t> shape);
  Value gather(Location loc, Value rows, Path path, Domain to);
  Value broadcastTo(Location loc, Value rows, RankedTensorType type);
  /// Rows of edges, each times the number of edges at its node.
  Value gatherDegree(Location loc, Path path, Value rows);

  OpBuilder builder;
  Value graph;
  /// What was gathered before.
  DenseMap<std::pair<Value, unsigned>, Value> gathered;
};

/// A softmax over the edges of a node, written with the maximum subtracted,
/// becomes `rgnn.group_softmax`.
void recognizeSoftmax(Block &block);

} // namespace mlir::rgnn::raise

#endif // RGNN_LIB_DIALECT_RGNN_TRANSFORMS_RAISELOOPS_H
