//===- MemRefAccess.h - elements of memrefs in memory -----------*- C++ -*-===//

#ifndef RGNN_LIB_REFERENCE_GPU_OPS_MEMREFACCESS_H
#define RGNN_LIB_REFERENCE_GPU_OPS_MEMREFACCESS_H

#include "../Translator.h"

namespace mlir::rgnn::simulator {

// On failure of any of these an error was reported.

/// The byte of the buffer where the element at `indices` begins, after checks
/// that there are `count` elements from there on in the last dimension.
FailureOr<int64_t> locate(const Thread &thread, Operation *op,
                          const MemRefRegisters &memref,
                          ArrayRef<int64_t> indices, int64_t count = 1);

/// Reads or writes `count` elements that lie side by side in a buffer.
LogicalResult readElements(const Thread &thread, Operation *op,
                           const MemRefRegisters &memref, int64_t begin,
                           int64_t count, Word *words,
                           Access kind = Access::Read);
LogicalResult writeElements(const Thread &thread, Operation *op,
                            const MemRefRegisters &memref, int64_t begin,
                            int64_t count, const Word *words,
                            Access kind = Access::Write);

/// Checks that a byte of a buffer is at a multiple of `alignment`. Buffers
/// begin at multiples of any.
LogicalResult checkAlignment(const Thread &thread, Operation *op, int64_t begin,
                             int64_t alignment);

/// The sizes of a new memref of `type`, and the bytes that it takes.
FailureOr<int64_t> getSizes(const Thread &thread, Operation *op,
                            MemRefType type, ArrayRef<unsigned> dynamic,
                            SmallVectorImpl<int64_t> &sizes);

/// What registers hold, as numbers.
SmallVector<int64_t, 4> getInts(const Thread &thread, ArrayRef<unsigned> slots);

/// Calls `fn` with all indices below `sizes`, the last one fastest, until it
/// fails.
LogicalResult
forEachIndex(ArrayRef<int64_t> sizes,
             llvm::function_ref<LogicalResult(ArrayRef<int64_t>)> fn);

} // namespace mlir::rgnn::simulator

#endif // RGNN_LIB_REFERENCE_GPU_OPS_MEMREFACCESS_H
