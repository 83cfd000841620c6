//===- Lowering.h - the lowering of each kind of kernel ---------*- C++ -*-===//

#ifndef RGNN_LIB_CONVERSION_HETKERNELTOSCF_LOWERING_H
#define RGNN_LIB_CONVERSION_HETKERNELTOSCF_LOWERING_H

#include "RGNN/Dialect/HetKernel/IR/HetKernel.h"

namespace mlir::hetkernel {

/// Replaces a kernel on buffers by loops, in one task where it computes less
/// than `serialBelow` elements. `numTemporaries` grows by the buffers that this
/// took. On failure an error was reported.
LogicalResult lowerGemm(GemmOp gemm, int64_t serialBelow,
                        int64_t &numTemporaries);
LogicalResult lowerOuterSum(OuterSumOp sum, int64_t serialBelow,
                            int64_t &numTemporaries);
LogicalResult lowerTraverse(TraverseOp traverse, int64_t serialBelow,
                            int64_t &numTemporaries);
LogicalResult lowerConcat(ConcatOp concat, int64_t serialBelow);

} // namespace mlir::hetkernel

#endif // RGNN_LIB_CONVERSION_HETKERNELTOSCF_LOWERING_H
