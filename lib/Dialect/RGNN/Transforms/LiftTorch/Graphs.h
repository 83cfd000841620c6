//===- Graphs.h - the graphs of a captured function -------------*- C++ -*-===//

#ifndef RGNN_LIB_DIALECT_RGNN_TRANSFORMS_LIFTTORCH_GRAPHS_H
#define RGNN_LIB_DIALECT_RGNN_TRANSFORMS_LIFTTORCH_GRAPHS_H

#include "Roles.h"

namespace mlir::rgnn::lift {

/// A graph of the function, and the op that makes it.
struct CapturedGraph {
  EdgeSet *edges;
  /// Null where all edges have one type.
  Value types;
  std::optional<int64_t> numTypes;
  /// How many nodes the two ends count; the same of a graph that is not
  /// bipartite.
  Size srcNodes, dstNodes;
  bool isBipartite = false;
  /// Of each node type: of the lists of edges, or where nodes are rows that
  /// were joined. Empty where nodes have one type.
  SmallVector<Size> nodesOfTypes;
  COOGraphOp op = {};
  /// Arguments of the function are placed after this op, in order of use.
  Operation *lastPlaced = nullptr;

  FlatSymbolRefAttr getSchema() { return op.getGraph().getType().getSchema(); }
  const Size &getNodes(bool ofDst) const { return ofDst ? dstNodes : srcNodes; }
};

/// The rows of a domain of the graph.
inline RowsAttr getRowsOf(CapturedGraph *graph, Domain domain,
                          int64_t type = -1) {
  return RowsAttr::get(graph->op.getContext(), domain, graph->getSchema(),
                       type);
}

/// The rows of the nodes that an end of edges counts.
inline RowsAttr getRowsOfEnd(CapturedGraph *graph, const End &end) {
  return graph->op.getGraph().getType().getRows(
      end.isDst ? Path::Dst : Path::Src, Domain::Edge);
}

/// What the graph is made of: lists of edges, types, and what numbers of nodes
/// are computed from.
SmallVector<Value> getSources(const CapturedGraph &graph, Sizes &sizes);

/// Moves what computes `sources` to the front of the block, so that graphs that
/// are made of them come before all else.
void moveSourcesFirst(Block &block, ArrayRef<Value> sources);

/// Finds the graphs of a function and emits them, each with its schema.
std::deque<CapturedGraph> emitGraphs(func::FuncOp func, Roles &roles,
                                     Sizes &sizes);

} // namespace mlir::rgnn::lift

#endif // RGNN_LIB_DIALECT_RGNN_TRANSFORMS_LIFTTORCH_GRAPHS_H
