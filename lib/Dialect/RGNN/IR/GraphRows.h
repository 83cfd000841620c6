//===- GraphRows.h - rows beside the graph that they are of -----*- C++ -*-===//

#ifndef RGNN_LIB_DIALECT_RGNN_IR_GRAPHROWS_H
#define RGNN_LIB_DIALECT_RGNN_IR_GRAPHROWS_H

#include "RGNN/Dialect/RGNN/IR/RGNN.h"

namespace mlir::rgnn {

/// Rows must be of the schema and part of the graph beside them, or `ofWhole`
/// of the graph that it is a part of, and of a node type that it has.
LogicalResult verifySchema(Operation *op, Type rows, Value graph,
                           bool ofWhole = false);

} // namespace mlir::rgnn

#endif // RGNN_LIB_DIALECT_RGNN_IR_GRAPHROWS_H
