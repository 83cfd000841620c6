//===- JointGraph.h - the edges of several graphs as one --------*- C++ -*-===//
//
// Each graph that was made of one list of edges becomes an edge type, and each
// number of nodes that they count a node type.
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
  /// Why `graph` is no edge type of another one.
  static Refusal whyNotJoined(COOGraphOp graph);

  /// Makes the graph, with a schema of its own in `symbols`, behind the ops
  /// that its lists and numbers come from.
  JointGraph(ArrayRef<COOGraphOp> relations, SymbolTable &symbols);

  ArrayRef<COOGraphOp> getRelations() const { return relations; }
  TypedValue<rgnn::GraphType> getGraph() { return graph.getGraph(); }
  RowsAttr getRows(Domain domain) {
    return graph.getGraph().getType().getRows(domain);
  }
  /// The node type of the nodes that `number` counts.
  std::optional<int64_t> findType(Value number) const;
  size_t getNumTypes() const { return numbers.size(); }
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

  SmallVector<COOGraphOp> relations;
  SmallVector<Value> numbers;
  COOGraphOp graph;
  SmallVector<Nodes> nodes;
};

} // namespace mlir::rgnn

#endif // RGNN_DIALECT_RGNN_UTILS_JOINTGRAPH_H
