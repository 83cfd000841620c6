//===- OuterRows.h - what a traversal does with its own rows ----*- C++ -*-===//

#ifndef RGNN_LIB_DIALECT_HETKERNEL_TRANSFORMS_OUTERROWS_H
#define RGNN_LIB_DIALECT_HETKERNEL_TRANSFORMS_OUTERROWS_H

#include "RGNN/Dialect/HetKernel/IR/HetKernel.h"

#include "llvm/ADT/SmallPtrSet.h"

namespace mlir::hetkernel {

/// The op if `value` is the current outer row of a tensor.
RowOp getOuterRow(Value value, TraverseOp traverse);

/// Replaces outputs that repeat the rows of one of some GEMMs by these rows.
void dropCopies(TraverseOp traverse,
                const llvm::SmallPtrSetImpl<Operation *> &gemms);

} // namespace mlir::hetkernel

#endif // RGNN_LIB_DIALECT_HETKERNEL_TRANSFORMS_OUTERROWS_H
