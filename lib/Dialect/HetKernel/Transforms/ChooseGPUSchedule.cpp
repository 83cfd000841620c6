//===- ChooseGPUSchedule.cpp - schedules that suit a GPU ------------------===//

#include "RGNN/Dialect/GPU/Utils/Limits.h"
#include "RGNN/Dialect/HetKernel/Transforms/Schedule.h"

#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::hetkernel;

/// Blocks that cover `rows` rows and the columns of `out`, or the size of a
/// block of them. Sums of rows have as many threads, to share a launch.
static GPUGemmScheduleAttr chooseBlocks(ShapedType out, int64_t threads,
                                        int64_t tileRows, int64_t rows) {
  // Accumulators of f64 take two registers each.
  unsigned bits = std::max(32u, out.getElementTypeBitWidth());
  const int64_t most = bits > 32 ? 4 : 8, blockColumns = most;
  int64_t columns = out.getShape().back();
  uint64_t lanes = gpuBlockSize / blockColumns;
  if (!ShapedType::isDynamic(columns) && columns > 0)
    lanes = std::min(lanes, llvm::PowerOf2Ceil(llvm::divideCeil(
                                uint64_t(columns), blockColumns)));
  const int64_t used =
      std::min(threads, gpuBlockSize / most * gpuBlockSize / most);
  lanes = std::min(lanes, llvm::bit_floor(uint64_t(used)));
  uint64_t lines =
      std::min(used / lanes, llvm::PowerOf2Ceil(std::max<int64_t>(rows, 1)));
  int64_t blockRows =
      std::clamp<int64_t>(llvm::divideCeil(uint64_t(rows), lines), 1, most);
  int64_t fewer = used < threads ? used : 0;
  while (getGPUFactorBytes(lines * blockRows, lanes * blockColumns, bits) >
         rgnn::gpuSharedBytes) {
    if (blockRows > 1) {
      --blockRows;
    } else {
      lines /= 2;
      fewer = lines * lanes;
    }
  }
  return GPUGemmScheduleAttr::get(
      out.getContext(), tileRows, std::min(blockRows, tileRows), blockColumns,
      lanes, /*coarsening=*/1, RowScale::Store, /*threads=*/fewer);
}

GPUGemmScheduleAttr hetkernel::chooseGPUSchedule(GemmOp gemm, int64_t threads) {
  int64_t tileRows = getViewTileRows(gemm.getTiles()).value_or(gpuTileRows);
  return chooseBlocks(cast<ShapedType>(gemm.getOut().getType()), threads,
                      tileRows, tileRows);
}

GPUGemmScheduleAttr hetkernel::chooseGPUSchedule(OuterSumOp sum,
                                                 int64_t threads) {
  int64_t tileRows =
      getViewTileRows(sum.getTiles()).value_or(gpuOuterSumTileRows);
  int64_t rows = 1;
  if (Value x = sum.getX())
    rows = cast<ShapedType>(x.getType()).getShape().back();
  if (ShapedType::isDynamic(rows))
    rows = gpuTileRows;
  return chooseBlocks(cast<ShapedType>(sum.getOut().getType()), threads,
                      tileRows, rows);
}

/// Measured on an H100: a warp takes about half a microsecond for each inner
/// row that it waits for, so that one hub of mutag takes 3 ms.
GPUTraverseScheduleAttr hetkernel::chooseGPUSchedule(TraverseOp traverse) {
  return GPUTraverseScheduleAttr::get(
      traverse.getContext(), /*coarsening=*/4, /*hoisting=*/true,
      /*partialAggregation=*/true, /*threads=*/0, /*blockAbove=*/64);
}
