//===- Nest.h - loop nests and what ops read in them ------------*- C++ -*-===//

#ifndef RGNN_CONVERSION_RGNNTOHETKERNEL_NEST_H
#define RGNN_CONVERSION_RGNNTOHETKERNEL_NEST_H

#include "RGNN/Dialect/RGNN/IR/RGNN.h"

namespace mlir::rgnn {

/// A loop nest: its outer rows and, where it has any, the inner rows of each.
struct Nest {
  Domain outer = Domain::Edge;
  int64_t nodeType = -1; ///< only the nodes of this type
  /// The arrow from inner rows, on `inner`, to outer ones.
  std::optional<Path> path;
  Domain inner = Domain::Edge;
  /// Outer rows in the order in which callers have them.
  bool inCallersOrder = false;
  Value graph;

  /// Rows of `inner`, grouped by where `path` leads.
  static Nest ofGroups(Domain inner, Path path, Value graph);
  /// The nest that rows of a domain are outer rows of if nothing else decides:
  /// that of the reduction which most often makes such rows.
  static Nest over(RowsAttr rows, Value graph);

  bool operator==(const Nest &other) const {
    return outer == other.outer && nodeType == other.nodeType &&
           path == other.path && inner == other.inner &&
           inCallersOrder == other.inCallersOrder && graph == other.graph;
  }
  bool hasInner(Domain domain) const { return path && inner == domain; }
  /// The same for rows: the edges of a part are not those of its whole.
  bool hasInner(RowsAttr rows) const {
    return hasInner(rows.getDomain()) &&
           cast<rgnn::GraphType>(graph.getType()).has(rows);
  }
  /// The graph that outer rows are of.
  Value getOuterGraph() const;
  /// Whether a gather leads from inner rows to their own outer row.
  bool isOwn(GatherOp gather) const {
    return hasInner(gather.getTo()) && path == gather.getPath() &&
           graph == gather.getGraph();
  }
};

/// What an op reads for row `i`: row `i` of `source`, or the row that gathers
/// lead to from there.
struct Read {
  Value source;
  GatherOp gather;      ///< the last of them
  bool chained = false; ///< several

  /// Whether a kernel over `nest`, which makes `source`, can do this read too.
  bool isWithin(const Nest &nest) const {
    return !gather || (!chained && nest.isOwn(gather));
  }
};

/// What a traversal reads for `op`.
SmallVector<Read> getReads(Operation &op);

/// Whether the op only moves rows, so that its readers can load them
/// themselves.
bool isLoad(Operation *op);

/// Whether rows are given to the caller, or regrouped, in the order that the
/// caller counts them, as they are or in another shape.
bool isGivenToCaller(Value rows);

} // namespace mlir::rgnn

#endif // RGNN_CONVERSION_RGNNTOHETKERNEL_NEST_H
