//===- OuterSum.h - the launches of a hetkernel.outer_sum -------*- C++ -*-===//

#ifndef RGNN_LIB_CONVERSION_HETKERNELTOGPU_PRODUCTS_OUTERSUM_H
#define RGNN_LIB_CONVERSION_HETKERNELTOGPU_PRODUCTS_OUTERSUM_H

#include "BlockProduct.h"
#include "RGNN/Dialect/HetKernel/Utils/TileCode.h"

namespace mlir::hetkernel {

class OuterSumLaunch : TileCode {
public:
  OuterSumLaunch(OuterSumOp sum, GPUGemmScheduleAttr schedule, int64_t threads,
                 const LaunchOptions &options)
      : TileCode(sum, schedule, sum.getTiles(),
                 sum.getYGather() ? sum.getYGather() : sum.getY(),
                 sum.getOut()),
        sum(sum), schedule(schedule), threads(threads),
        units(getUnits(options, getStoredType())),
        matrices(cast<MemRefType>(sum.getOut().getType())
                     .getShape()
                     .drop_front(sum.getTiles() ? 1 : 0)),
        numColumns(matrices.back()) {
    // Terms that cancel, such as gradients of scores, of all edges.
    if (!sum.getX() && getStoredType().isF32())
      sumType = builder.getF64Type();
  }

  LogicalResult verify() {
    return sum.getX() ? getShape().verify(sum, sumType) : success();
  }
  void run();

private:
  /// The blocks of products with `x`. All have as many threads, if their
  /// factors fit shared memory, so that sums of small matrices and of large
  /// ones can be one launch.
  BlockShape getShape() {
    int64_t minThreads = threads;
    auto shape = [&] {
      return BlockShape(schedule, threads, minThreads,
                        matrices[matrices.size() - 2], numColumns);
    };
    while (minThreads > 1 && !shape().fits(sumType))
      minThreads /= 2;
    return shape();
  }
  /// The launch over tiles, blocks of the matrix and heads; `builder` goes into
  /// it. Sets the tile, its rows, and the indices of the head.
  gpu::LaunchOp enterTiles(int64_t numBlocks, ArrayRef<int64_t> blockThreads);
  /// Goes to the rows of the tile, or of each tile of the task.
  TaskRange enterRows(gpu::LaunchOp launch);
  ProductOperand getOperand(Value source, Value list, Value firstIndex,
                            int64_t size, int64_t blockSize);
  void emitProducts();
  void emitRowSums();
  void emitTotals();
  /// Adds up what `read` gives for every `step`th number, several at a time.
  Value addUp(Value begin, Value end, int64_t step,
              function_ref<Value(Value)> read);
  /// Stores what a tile has in row `k`, if there is one, and `column`.
  void storePartial(Value value, Value k, Value column);
  /// The same with what `numbers` are, from `column` on.
  void storePartials(ValueRange numbers, Value k, Value column);
  /// The first tile of a type that is not below `type`.
  Value findTile(Value type);

  OuterSumOp sum;
  GPUGemmScheduleAttr schedule;
  int64_t threads;
  ProductUnits units;
  /// Sizes `[b..., K, N]` of what is summed up for a type.
  ArrayRef<int64_t> matrices;
  int64_t numColumns;
  /// The sums of each tile.
  Value partial;
  Value tile;
  TaskRange rows;
};

} // namespace mlir::hetkernel

#endif // RGNN_LIB_CONVERSION_HETKERNELTOGPU_PRODUCTS_OUTERSUM_H
