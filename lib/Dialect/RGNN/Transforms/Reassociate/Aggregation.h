//===- Aggregation.h - factors of rows, and sums over edges -----*- C++ -*-===//

#ifndef RGNN_LIB_DIALECT_RGNN_TRANSFORMS_REASSOCIATE_AGGREGATION_H
#define RGNN_LIB_DIALECT_RGNN_TRANSFORMS_REASSOCIATE_AGGREGATION_H

#include "Chain.h"

namespace mlir::rgnn {

/// Whether rows are vectors of one dimension, of more than one number.
bool isVector(Type type);

/// The rows that `map` multiplies by numbers, which go to `factors`; null if it
/// multiplies numbers by each other. Fails where it does something else.
FailureOr<Value> matchScale(MapOp map, SmallVectorImpl<RowFactor> &factors);

/// A gather, what is multiplied on edges, and a sum.
struct Aggregation {
  Adjacency adjacency;
  SmallVector<RowFactor> left, right; // of the sum's end, of the gather's
  SmallVector<LinearOp> products;     // the last first
  GatherOp gather;
  SmallVector<Operation *> ops;
};

/// Reads the ops that `sum` ends. Fails where they are no such chain; `refusal`
/// then says why, if they could be expected to be.
FailureOr<Aggregation> matchAggregation(ReduceOp sum, Refusal &refusal);

} // namespace mlir::rgnn

#endif // RGNN_LIB_DIALECT_RGNN_TRANSFORMS_REASSOCIATE_AGGREGATION_H
