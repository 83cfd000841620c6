//===- TileCode.h - code of kernels whose tasks are tiles ------*- C++ -*-===//

#ifndef RGNN_DIALECT_HETKERNEL_UTILS_TILECODE_H
#define RGNN_DIALECT_HETKERNEL_UTILS_TILECODE_H

#include "RGNN/Dialect/HetKernel/IR/HetKernel.h"
#include "RGNN/Dialect/HetKernel/Utils/Loops.h"

namespace mlir::hetkernel {

/// Code of a GEMM or outer sum on buffers, whatever runs its tiles. `builder`
/// stands where the next op goes.
class TileCode {
protected:
  /// `steps` is a buffer with one row for each list position.
  TileCode(Operation *kernel, GemmScheduleInterface tiling, Value tiles,
           Value steps, Value out)
      : tiling(tiling), builder(kernel->getLoc(), kernel), tiles(tiles),
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
    return tileRows ? tileRows : createIndex(builder, tiling.getTileRows());
  }
  /// The row that list position `row` stands for; itself without a list.
  Value getRow(Value list, Value row) {
    return list ? loadIndex(builder, list, row) : row;
  }

  /// A number, as sums have it.
  Value load(Value buffer, ValueRange position);

  /// Indices before and after those of heads or blocks.
  SmallVector<Value> around(ValueRange leading, ValueRange trailing);
  Value add(Value index, int64_t amount);

  Type getStoredType() {
    return cast<MemRefType>(out.getType()).getElementType();
  }

  /// What targets have in common of the schedule.
  GemmScheduleInterface tiling;
  ImplicitLocOpBuilder builder;
  /// Of what numbers are summed up in.
  Type sumType;
  /// The index of the tile's type, or none; the indices of heads or blocks.
  SmallVector<Value, 1> type;
  SmallVector<Value> batch;
  /// Of all rows, without a list of tiles; null: as many as the schedule says.
  Value tileRows;

private:
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
    return gemm.getScale() && tiling.getScale() == where;
  }

  /// Where the bias of a column is.
  SmallVector<Value> getBiasPosition(Value column) {
    bool isByType = cast<MemRefType>(gemm.getBias().getType()).getRank() ==
                    cast<MemRefType>(gemm.getOut().getType()).getRank();
    return around(isByType ? ValueRange(type) : ValueRange(), column);
  }

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
