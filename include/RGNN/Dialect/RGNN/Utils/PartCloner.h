//===- PartCloner.h - rows of edges, of a part of a graph -------*- C++ -*-===//

#ifndef RGNN_DIALECT_RGNN_UTILS_PARTCLONER_H
#define RGNN_DIALECT_RGNN_UTILS_PARTCLONER_H

#include "RGNN/Dialect/RGNN/IR/RGNN.h"

#include "mlir/IR/IRMapping.h"

namespace mlir::rgnn {

/// Computes rows of edges and pairs again, for those of a part of the graph.
class PartCloner {
public:
  PartCloner(OpBuilder &builder, Value part) : builder(builder), part(part) {}

  /// Whether `value` follows from rows of nodes and types of `graph` as well in
  /// a part of it: what the caller gives for edges and pairs, and what is
  /// computed of all edges of a node, does not.
  static bool isComputed(Value value, Value graph);

  /// `value` of the part; itself where it has no rows of edges or pairs. Rows
  /// of edges that are not computed are read from the whole graph.
  Value clone(Value value);

private:
  OpBuilder &builder;
  Value part;
  IRMapping cloned;
};

} // namespace mlir::rgnn

#endif // RGNN_DIALECT_RGNN_UTILS_PARTCLONER_H
