//===- JointGraph.h - the edges of several graphs as one --------*- C++ -*-===//
//
// Each graph that was made of one list of edges becomes an edge type, and each
// number of nodes that they count a node type. Where several of them lead to
// the same nodes, and what they bring must stay apart, these are several types.
//
//===----------------------------------------------------------------------===//

#ifndef RGNN_DIALECT_RGNN_UTILS_JOINTGRAPH_H
#define RGNN_DIALECT_RGNN_UTILS_JOINTGRAPH_H

#include "RGNN/Dialect/RGNN/IR/RGNN.h"
#include "RGNN/Support/Remarks.h"

namespace mlir::rgnn {

/// The number of nodes that sources, or destinations, of `graph` count.
Value getNumNodes(COOGraphOp graph, Path end);

class JointGraph {
public:
  /// An edge type: the edges of `graph`, which lead to the nodes that it
  /// counts, or to a copy of them with a number above 0.
  struct Relation {
    COOGraphOp graph;
    unsigned copy = 0;

    bool operator==(const Relation &other) const {
      return graph == other.graph && copy == other.copy;
    }
  };

  /// Why `graph` is no edge type of another one.
  static Refusal whyNotJoined(COOGraphOp graph);

  /// Makes the graph, with a schema of its own in `symbols`, behind the ops
  /// that its lists and numbers come from.
  JointGraph(ArrayRef<Relation> relations, SymbolTable &symbols);

  ArrayRef<Relation> getRelations() const { return relations; }
  TypedValue<rgnn::GraphType> getGraph() { return graph.getGraph(); }
  RowsAttr getRows(Domain domain) {
    return graph.getGraph().getType().getRows(domain);
  }
  /// The node type of the nodes that `number` counts.
  std::optional<int64_t> findType(Value number, unsigned copy = 0) const;
  /// That of the sources, or destinations, of a relation.
  int64_t getType(unsigned relation, Path end) const {
    const Relation &each = relations[relation];
    return *findType(getNumNodes(each.graph, end),
                     end == Path::Dst ? each.copy : 0);
  }
  size_t getNumTypes() const { return types.size(); }
  RowsAttr getNodes(int64_t type);

  /// Rows of all nodes, like those of `rowType`, given those of each type,
  /// placed or not; null where any will do.
  Value joinNodes(OpBuilder &builder, Location loc, Type rowType,
                  ArrayRef<Value> ofTypes);
  /// Rows of all edges, given those of each relation.
  Value joinEdges(OpBuilder &builder, ArrayRef<Value> ofRelations);
  /// A row for each edge or pair, given one tensor for each relation.
  Value spread(OpBuilder &builder, ArrayRef<Value> ofRelations, Domain to);

private:
  /// Rows of nodes that were joined, null for types of which any will do.
  struct Nodes {
    SmallVector<Value> ofTypes;
    ConcatTypesOp joined;
  };

  SmallVector<Relation> relations;
  /// The number of nodes of each type, and the copy that it is.
  SmallVector<std::pair<Value, unsigned>> types;
  COOGraphOp graph;
  SmallVector<Nodes> nodes;
};

} // namespace mlir::rgnn

#endif // RGNN_DIALECT_RGNN_UTILS_JOINTGRAPH_H
