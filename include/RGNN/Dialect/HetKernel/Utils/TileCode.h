//===- TileCode.h - code of kernels whose tasks are tiles ------*- C++ -*-===//

#ifndef RGNN_DIALECT_HETKERNEL_UTILS_TILECODE_H
#define RGNN_DIALECT_HETKERNEL_UTILS_TILECODE_H

#include "RGNN/Dialect/HetKernel/IR/HetKernel.h"
#include "RGNN/Dialect/HetKernel/Utils/Loops.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace mlir::hetkernel {

/// Columns that a register block covers: vectors from `begin`, the last of
/// which may have fewer than all its lanes.
struct ColumnBlock {
  Value begin;
  SmallVector<int64_t> lanes;
};

/// Code of a GEMM or outer sum on buffers, whatever runs its tiles. `builder`
/// stands where the next op goes.
class TileCode {
protected:
  /// `steps` is a buffer with one row for each list position.
  TileCode(Operation *kernel, GemmScheduleAttr schedule, Value tiles,
           Value steps, Value out)
      : schedule(schedule), builder(kernel->getLoc(), kernel), tiles(tiles),
        steps(steps), out(out) {
    // 16-bit floats are summed up in f32.
    sumType = getStoredType();
    if (sumType.getIntOrFloatBitWidth() < 32)
      sumType = builder.getF32Type();
  }

  /// The number of list positions; tiles may leave some out.
  Value getNumRows();
  Value getNumTiles();
  /// The list positions of a tile; its type goes into `type`.
  TaskRange getTile(Value tile);
  /// The rows of a tile of all rows.
  Value getTileRows() {
    return tileRows ? tileRows : createIndex(builder, schedule.getTileRows());
  }
  /// The row that list position `row` stands for; itself without a list.
  Value getRow(Value list, Value row) {
    return list ? loadIndex(builder, list, row) : row;
  }

  /// A number, as sums have it.
  Value load(Value buffer, ValueRange position);
  /// The same in all lanes.
  Value loadSplat(Value buffer, ValueRange position);
  /// Lanes behind the first `lanes` are zero, and not stored.
  Value loadVector(Value buffer, ArrayRef<Value> position, int64_t lanes);
  void storeVector(Value value, Value buffer, ArrayRef<Value> position,
                   int64_t lanes);

  /// Full blocks of `columns` in a loop, then the columns that are left.
  void forEachColumnBlock(int64_t columns,
                          function_ref<void(const ColumnBlock &)> emit);

  /// The first column of vector `v`.
  Value getColumn(const ColumnBlock &columns, int64_t v) {
    return add(columns.begin, v * schedule.getVectorWidth());
  }

  /// Indices before and after those of heads or blocks.
  SmallVector<Value> around(ValueRange leading, ValueRange trailing);
  Value add(Value index, int64_t amount);

  Type getStoredType() {
    return cast<MemRefType>(out.getType()).getElementType();
  }
  VectorType getVector(Type element) {
    return VectorType::get(schedule.getVectorWidth(), element);
  }

  GemmScheduleAttr schedule;
  ImplicitLocOpBuilder builder;
  /// Of what numbers are summed up in.
  Type sumType;
  /// The index of the tile's type, or none; the indices of heads or blocks.
  SmallVector<Value, 1> type;
  SmallVector<Value> batch;
  /// Of all rows, without a list of tiles; null: as many as the schedule says.
  Value tileRows;

private:
  Value getMask(int64_t lanes);

  Value tiles, steps, out;
};

/// Code of one GEMM.
class GemmCode : protected TileCode {
protected:
  explicit GemmCode(GemmOp gemm)
      : TileCode(gemm, *gemm.getSchedule(), gemm.getTiles(),
                 gemm.getGather() ? gemm.getGather() : gemm.getX(),
                 gemm.getOut()),
        gemm(gemm) {}

  bool isScaled(RowScale where) {
    return gemm.getScale() && schedule.getScale() == where;
  }

  /// Where the bias of a column is.
  SmallVector<Value> getBiasPosition(Value column) {
    bool isByType = cast<MemRefType>(gemm.getBias().getType()).getRank() ==
                    cast<MemRefType>(gemm.getOut().getType()).getRank();
    return around(isByType ? ValueRange(type) : ValueRange(), column);
  }

  /// Whether lanes go along the inner dimension, since there is one column.
  bool isDot();
  /// The weight of one column without that dimension: `[..., K]`.
  Value getColumnOfWeight();
  /// What rows at list positions make with the column, a number each.
  SmallVector<Value> emitDots(Value column, ArrayRef<Value> listRows);

  /// Adds to a number of the output, whoever else does.
  void addAtomically(Value number, ValueRange position);
  /// A sum as it is stored: with the scale, if there is one, and the bias.
  Value finishNumber(Value sum, Value scale, Value column);
  /// Stores a sum, with the scale, if there is one, and what the GEMM adds.
  void storeNumber(Value sum, Value scale, Value row, Value column);

  GemmOp gemm;
};

} // namespace mlir::hetkernel

#endif // RGNN_DIALECT_HETKERNEL_UTILS_TILECODE_H
