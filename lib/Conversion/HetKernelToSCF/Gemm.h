//===- Gemm.h - the loops of a hetkernel.gemm -------------------*- C++ -*-===//

#ifndef RGNN_LIB_CONVERSION_HETKERNELTOSCF_GEMM_H
#define RGNN_LIB_CONVERSION_HETKERNELTOSCF_GEMM_H

#include "RGNN/Dialect/HetKernel/Utils/TileCode.h"
#include "VectorCode.h"

namespace mlir::hetkernel {

class GemmLowering : GemmCode {
public:
  GemmLowering(GemmOp gemm, CPUGemmScheduleAttr schedule, int64_t serialBelow,
               int64_t &numTemporaries)
      : GemmCode(gemm), schedule(schedule), vectors(builder, schedule, sumType),
        serialBelow(serialBelow), numTemporaries(numTemporaries) {}

  void run();

private:
  /// The weight as `[..., K, N]`.
  Value packWeight();
  /// Whether few vectors of products are computed; null where it is no matter.
  Value isSerial();
  /// Enters the loops over tasks and their tiles; the rows of one.
  TaskRange enterTile();
  /// All rows of a task, a register block at a time: `multiply` gets the list
  /// positions of a block, `store` then each row with its number in it.
  void forEachRowBlock(TaskRange rows,
                       function_ref<void(ArrayRef<Value>)> multiply,
                       function_ref<void(size_t, Value)> store);
  void emitBlock(TaskRange rows, const ColumnBlock &columns);
  SmallVector<Value> emitProduct(ArrayRef<Value> listRows,
                                 const ColumnBlock &columns);
  void emitRowStores(Value row, ArrayRef<Value> sums, ArrayRef<Value> biases,
                     const ColumnBlock &columns);

  // Dots.cpp
  /// Whether lanes go along the inner dimension, since there is one column.
  bool isDot();
  /// The weight of one column without that dimension: `[..., K]`.
  Value getColumnOfWeight();
  /// What rows at list positions make with the column, a number each.
  SmallVector<Value> emitDots(Value column, ArrayRef<Value> listRows);

  CPUGemmScheduleAttr schedule;
  VectorCode vectors;
  int64_t serialBelow;
  int64_t &numTemporaries;
  Value weight;
};

} // namespace mlir::hetkernel

#endif // RGNN_LIB_CONVERSION_HETKERNELTOSCF_GEMM_H
