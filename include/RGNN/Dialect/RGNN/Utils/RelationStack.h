//===- RelationStack.h - rows of alike relations as one ---------*- C++ -*-===//
//
// What each relation computes of its own edges, and sums for their
// destinations, becomes one tree of ops on the edges of a joint graph, down to
// rows of nodes that several relations read and to weights of each.
//
//===----------------------------------------------------------------------===//

#ifndef RGNN_DIALECT_RGNN_UTILS_RELATIONSTACK_H
#define RGNN_DIALECT_RGNN_UTILS_RELATIONSTACK_H

#include "RGNN/Dialect/RGNN/Utils/JointGraph.h"

namespace mlir::rgnn {

/// Where a value is wanted, and where it has its rows.
struct Position {
  /// Edges, or pairs of an end and an edge type.
  Domain domain;
  /// The end whose nodes the value has rows of; none where those are edges.
  std::optional<Path> end;

  bool operator==(Position other) const {
    return domain == other.domain && end == other.end;
  }
};

/// What one relation computes for its destinations.
struct RelationTerm {
  COOGraphOp relation;
  Value rows;

  /// The relation that `rows`, of nodes, are a sum over edges of, and nothing
  /// else of edges; null where there is none.
  static COOGraphOp findRelation(Value rows);
  /// These sums over edges.
  static SmallVector<Value> findSums(Value rows);
  /// Whether the rows of destinations that no edge leads to are zero.
  bool isZeroWithoutEdges() const;
  /// Whether `other` computes the same of its edges, but for weights.
  bool isAlike(const RelationTerm &other) const;
};

/// Computes `terms`, which are alike, on pairs of destinations and relations.
class RelationStack {
public:
  RelationStack(OpBuilder &builder, JointGraph &joint,
                ArrayRef<RelationTerm> terms)
      : builder(builder), joint(joint), terms(terms) {}

  /// Null where the terms cannot be computed at once.
  Value build();
  /// Why they cannot.
  const Refusal &getRefusal() const { return refusal; }

private:
  using Values = SmallVector<Value>;

  Value build(ArrayRef<Value> values, Position position);
  Value buildAnew(ArrayRef<Value> values, Position position);
  Value buildRows(ArrayRef<Value> values, Position position);
  /// Rows of nodes that relations with the same nodes share; null if they do
  /// not.
  Value buildShared(ArrayRef<Value> values, Position position);
  Value buildPairs(ArrayRef<Value> values, Position position);
  Value refuse(StringRef reason) {
    if (!refusal)
      refusal = reason;
    return {};
  }

  OpBuilder &builder;
  JointGraph &joint;
  ArrayRef<RelationTerm> terms;
  Refusal refusal;
  /// By the value of the first relation.
  struct Built {
    Values values;
    Position position;
    Value rows;
  };
  DenseMap<Value, SmallVector<Built, 1>> built;
};

} // namespace mlir::rgnn

#endif // RGNN_DIALECT_RGNN_UTILS_RELATIONSTACK_H
