//===- Cost.h - work and traffic of ops on a graph --------------*- C++ -*-===//
//
// Counted as Zhang et al. do (MLSys 2022, sec. 4 and 5), from types alone: the
// operations that make numbers, and the bytes that ops read and write if each
// is a kernel of its own. No graph is needed, only its sizes.
//
//===----------------------------------------------------------------------===//

#ifndef RGNN_ANALYSIS_COST_H
#define RGNN_ANALYSIS_COST_H

#include "RGNN/Dialect/RGNN/IR/RGNN.h"

namespace mlir::rgnn {

/// How many rows the domains of a graph have; negative where that is not known.
struct GraphSizes {
  int64_t edges = -1, srcPairs = -1, dstPairs = -1, nodes = -1;
  /// Where the schema does not say.
  int64_t edgeTypes = -1, nodeTypes = -1;
  SmallVector<int64_t> nodesOfType;
  /// Edges, source pairs and destination pairs of each part of the graph; empty
  /// where they are not known.
  SmallVector<int64_t> ofSrcPart, ofDstPart;

  /// The number of rows of a domain, whose schema is looked up from `from`.
  std::optional<int64_t> getNumRows(Operation *from, RowsAttr rows) const;
};

/// What an op does on all rows.
struct Cost {
  /// The domain that it goes through: of those of its operands and result the
  /// one with the most rows. Null for an op on weights.
  RowsAttr domain;
  int64_t rows = 0;
  /// A product and its addition are two, a scalar function is one.
  int64_t operations = 0;
  int64_t bytesRead = 0, bytesWritten = 0;
};

/// Whether `op` gives elements of its operand another place or shape, which
/// costs nothing: what reads its result reads those elements. Rows that it
/// copies for the caller do cost.
bool isView(Operation *op);

/// The cost of an op of the dialect with a tensor as result. Fails, with an
/// error at the op, where a size is not known or the op is none of mathematics.
FailureOr<Cost> getCost(Operation *op, const GraphSizes &sizes);

/// The bytes of a tensor that `from` has to do with, or an error at `from`.
FailureOr<int64_t> getNumBytes(Operation *from, Value tensor,
                               const GraphSizes &sizes);

} // namespace mlir::rgnn

#endif // RGNN_ANALYSIS_COST_H
