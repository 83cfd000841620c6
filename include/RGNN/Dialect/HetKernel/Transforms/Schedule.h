//===- Schedule.h - which schedules a kernel can have -----------*- C++ -*-===//

#ifndef RGNN_DIALECT_HETKERNEL_TRANSFORMS_SCHEDULE_H
#define RGNN_DIALECT_HETKERNEL_TRANSFORMS_SCHEDULE_H

#include "RGNN/Dialect/HetKernel/IR/HetKernel.h"

#include "llvm/Support/MathExtras.h"

namespace mlir::hetkernel {

/// Rows of a GEMM tile, and of a traversal task, where nothing else says so. A
/// tile of 64 floats a row fits the first-level cache, and divides into blocks
/// of 2, 3, 4, 6, 8 and 12 rows.
constexpr int64_t defaultTileRows = 96, defaultTaskRows = 64;

/// Rows of a tile of an outer sum: each tile has a matrix of its own, which is
/// added up in the end.
constexpr int64_t defaultOuterSumTileRows = 1024;

/// The same for GPUs: a block of threads computes a tile of a GEMM at once.
/// Outer sums have more tiles, since only those run at the same time.
constexpr int64_t gpuTileRows = 64, gpuOuterSumTileRows = 256;

/// Rows and columns of a product that a block of threads computes at a time.
constexpr int64_t gpuBlockSize = 64;

/// Terms of the sums of a product that a block of threads has in shared memory,
/// and as many that it loads meanwhile: of 64 rows and 64 columns of f32 they
/// take 10 kB.
constexpr int64_t gpuProductTerms = 8;

/// What the factors of a block of `rows` x `columns` numbers of so many bits
/// take, with the widest padding: behind the rows (or columns) of a term, or
/// behind the terms of a row.
inline int64_t getGPUFactorBytes(int64_t rows, int64_t columns, unsigned bits) {
  auto getNumbers = [](int64_t size) {
    int64_t byTerm = gpuProductTerms * (llvm::alignTo(size, 32) + 8);
    return std::max(byTerm, size * (gpuProductTerms + 4));
  };
  return 2 * (getNumbers(rows) + getNumbers(columns)) * bits / 8;
}

/// The register block that keeps a machine with vectors of `vectorBits` bits
/// busy: accumulators for the latency of a multiply-add, and no more of them
/// than registers. Narrow outputs get vectors no longer than they need.
CPUGemmScheduleAttr chooseSchedule(GemmOp gemm, int64_t vectorBits);
CPUGemmScheduleAttr chooseSchedule(OuterSumOp sum, int64_t vectorBits);

/// What suits a traversal.
CPUTraverseScheduleAttr chooseSchedule(TraverseOp traverse);

/// What suits a GPU with blocks of `threads` threads, or fewer: 64 columns and
/// as many rows as a tile has, in register blocks of 8 x 8, or 4 x 4 of f64. Of
/// larger ones a thread reads less from shared memory for each multiply-add,
/// but a quarter of the threads of a multiprocessor must find registers. Fewer
/// rows where factors would not fit shared memory.
GPUGemmScheduleAttr chooseGPUSchedule(GemmOp gemm, int64_t threads);
GPUGemmScheduleAttr chooseGPUSchedule(OuterSumOp sum, int64_t threads);
GPUTraverseScheduleAttr chooseGPUSchedule(TraverseOp traverse);

/// `schedule` with some fields replaced, each as "name:value". Fails, with an
/// error that names the fields of its target, where there is no such field or
/// value.
FailureOr<GemmScheduleInterface>
setFields(GemmScheduleInterface schedule, ArrayRef<std::string> fields,
          function_ref<InFlightDiagnostic()> emitError);
FailureOr<TraverseScheduleInterface>
setFields(TraverseScheduleInterface schedule, ArrayRef<std::string> fields,
          function_ref<InFlightDiagnostic()> emitError);

/// The rows of a tile as the view that a kernel takes `tiles` from has them;
/// none where the tiles are absent or come from elsewhere.
std::optional<int64_t> getViewTileRows(Value tiles);

} // namespace mlir::hetkernel

#endif // RGNN_DIALECT_HETKERNEL_TRANSFORMS_SCHEDULE_H
