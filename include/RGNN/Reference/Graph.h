//===- Graph.h - a typed graph as plain lists -------------------*- C++ -*-===//

#ifndef RGNN_REFERENCE_GRAPH_H
#define RGNN_REFERENCE_GRAPH_H

#include "RGNN/Dialect/RGNN/IR/RGNN.h"

#include <array>
#include <optional>
#include <vector>

namespace mlir::rgnn::reference {

/// A graph: end nodes and type of every edge, and the number of nodes of each
/// type. Nodes are numbered type by type; in a bipartite graph, sources and
/// destinations each from 0.
///
/// The lattice of domains is a table of maps: `getMap(Edge, Src)[e]` is the
/// source node of edge `e`. Pairs are numbered in order of (edge type, node),
/// so that the pairs of a type are neighbours:
///
/// ```
///   edge   src etype     src_pair of edge    src_pair   node etype
///   0      2   0         1                   0          0    0
///   1      0   1         2                   1          2    0
///   2      0   0         0                   2          0    1
/// ```
class Graph {
public:
  /// The lists must be consistent, and `make` checks that they are.
  /// `numEdgeTypes` is how many rows the domain `etype` has. `nodesOfType`
  /// without value: the types of the nodes are unknown.
  static FailureOr<Graph>
  make(function_ref<InFlightDiagnostic()> emitError, std::vector<int64_t> src,
       std::vector<int64_t> dst, std::vector<int64_t> etype, int64_t numNodes,
       int64_t numEdgeTypes, std::optional<std::vector<int64_t>> nodesOfType,
       NodeSets nodeSets = NodeSets::One);

  ArrayRef<int64_t> getSrc() const { return src; }
  ArrayRef<int64_t> getDst() const { return dst; }
  ArrayRef<int64_t> getEType() const { return etype; }
  int64_t getNumNodes() const { return numNodes; }
  NodeSets getNodeSets() const { return nodeSets; }
  const std::optional<std::vector<int64_t>> &getNodesOfType() const {
    return nodesOfType;
  }

  /// Number of rows on a domain, or nothing where it needs node types and they
  /// are unknown.
  std::optional<int64_t> getNumRows(Domain domain) const;
  /// The same for rows of one node type, too; nothing if node types are not
  /// known.
  std::optional<int64_t> getNumRows(RowsAttr rows) const;

  /// First node of a type and the one after its last, or nothing where there is
  /// no such type or types are unknown.
  std::optional<std::pair<int64_t, int64_t>> getNodeRange(int64_t type) const;

  /// How many rows `path` leads to from those on a domain.
  std::optional<int64_t> getNumTargets(Domain from, Path path) const;

  /// For each row of `from` the row that `path` leads to; nothing where the
  /// lattice has no such arrow, or it needs unknown node types.
  std::optional<std::vector<int64_t>> getMap(Domain from, Path path) const;

  /// The edges whose type is in a part (`rgnn.split_graph`).
  Graph getPart(Part part) const;

private:
  /// Unique (type, node) of one end, sorted, and the pair of each edge.
  struct Pairs {
    std::vector<int64_t> node, etype, ofEdge;
  };
  Pairs makePairs(ArrayRef<int64_t> ends) const;

  std::vector<int64_t> src, dst, etype;
  int64_t numNodes = 0, numEdgeTypes = 0;
  std::optional<std::vector<int64_t>> nodesOfType;
  NodeSets nodeSets = NodeSets::One;
  Pairs srcPairs, dstPairs;
  /// Of a part: the place of each edge in the whole graph, and how many that
  /// has.
  std::vector<int64_t> wholeEdges;
  int64_t numWholeEdges = 0;
};

} // namespace mlir::rgnn::reference

#endif // RGNN_REFERENCE_GRAPH_H
