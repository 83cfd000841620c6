//===- Redundancy.h - what is computed more often than needed ---*- C++ -*-===//

#ifndef RGNN_LIB_DIALECT_RGNN_TRANSFORMS_PRINTCOST_REDUNDANCY_H
#define RGNN_LIB_DIALECT_RGNN_TRANSFORMS_PRINTCOST_REDUNDANCY_H

#include "RGNN/Analysis/Cost.h"
#include "RGNN/Dialect/RGNN/Analysis/RowOrigins.h"

namespace mlir::rgnn {

/// The operations of `op` on edges that repeat what it has computed for another
/// edge: all but those that the coarsest rows take that its rows are a function
/// of. A product of rows that are a sum or concatenation of such rows is one of
/// each of them (Zhang et al., MLSys 2022, sec. 4). Domains of unknown size
/// count as no coarser than edges.
int64_t countRedundant(Operation *op, const Cost &cost, const GraphSizes &sizes,
                       RowOrigins &origins);

} // namespace mlir::rgnn

#endif // RGNN_LIB_DIALECT_RGNN_TRANSFORMS_PRINTCOST_REDUNDANCY_H
