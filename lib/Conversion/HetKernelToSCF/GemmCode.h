//===- GemmCode.h - what every lowering of a GEMM emits ---------*- C++ -*-===//

#ifndef RGNN_LIB_CONVERSION_HETKERNELTOSCF_GEMMCODE_H
#define RGNN_LIB_CONVERSION_HETKERNELTOSCF_GEMMCODE_H

#include "Lowering.h"

namespace mlir::hetkernel {

/// Code of one GEMM on buffers, whatever runs its tiles. `builder` stands where
/// the next op goes.
class GemmCode {
protected:
  explicit GemmCode(GemmOp gemm)
      : gemm(gemm), schedule(*gemm.getSchedule()),
        builder(gemm.getLoc(), gemm) {}

  /// The number of list positions of a GEMM; tiles may leave some out.
  Value getNumRows();
  Value getNumTiles();
  /// The list positions of a tile; its type goes into `type`.
  TaskRange getTile(Value tile);
  /// The rows that list position `row` stands for.
  Value getInputRow(Value row);
  Value getOutputRow(Value row);
  bool isScaled(RowScale where) {
    return gemm.getScale() && schedule.getScale() == where;
  }

  /// A number, as sums have it.
  Value load(Value buffer, ValueRange position);
  /// Indices before and after those of heads or blocks.
  SmallVector<Value> around(ValueRange leading, ValueRange trailing);
  Value add(Value index, int64_t amount);

  Type getStoredType() {
    return cast<MemRefType>(gemm.getOut().getType()).getElementType();
  }
  /// 16-bit floats are summed up in f32.
  Type getSumType();

  GemmOp gemm;
  GemmScheduleAttr schedule;
  ImplicitLocOpBuilder builder;
  /// The type's index into the weight, or none; the indices of heads or blocks.
  SmallVector<Value, 1> type;
  SmallVector<Value> batch;
};

} // namespace mlir::hetkernel

#endif // RGNN_LIB_CONVERSION_HETKERNELTOSCF_GEMMCODE_H
