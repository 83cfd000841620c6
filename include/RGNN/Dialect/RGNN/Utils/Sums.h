//===- Sums.h - rows that maps add up ---------------------------*- C++ -*-===//
//
// A tree of maps that add alone is one sum, across the graphs on whose nodes
// its terms are placed.
//
//===----------------------------------------------------------------------===//

#ifndef RGNN_DIALECT_RGNN_UTILS_SUMS_H
#define RGNN_DIALECT_RGNN_UTILS_SUMS_H

#include "RGNN/Dialect/RGNN/IR/RGNN.h"

namespace mlir::rgnn {

/// `rows` before they were placed on other domains with as many rows.
Value skipPlaces(Value rows);

/// The plain tensor of rows that were placed on domains of graphs, one after
/// another; the rows themselves where they were computed on one.
Value getPlaced(Value rows);

/// `rows` on a domain of `graph` with as many rows.
Value placeOn(OpBuilder &builder, Value rows, RowsAttr domain, Value graph);

/// Whether nothing but one op reads `value`, as it is or on other rows.
bool isReadOnce(Value value);

/// Whether `map` adds up its operands, each once, and does nothing else.
bool isSum(MapOp map);

/// Whether `map` is a term of such a map, on the same domain or another one,
/// and of nothing else.
bool isPartOfSum(MapOp map);

/// What the tree of sums with `root` adds up, on the domains it is added on.
SmallVector<Value> getSummands(MapOp root);

/// The sum of `terms`, in maps of few terms each.
Value addUp(OpBuilder &builder, Location loc, Type type,
            SmallVector<Value> terms);

} // namespace mlir::rgnn

#endif // RGNN_DIALECT_RGNN_UTILS_SUMS_H
