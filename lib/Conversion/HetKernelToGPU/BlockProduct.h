//===- BlockProduct.h - products by blocks of threads -----------*- C++ -*-===//

#ifndef RGNN_LIB_CONVERSION_HETKERNELTOGPU_BLOCKPRODUCT_H
#define RGNN_LIB_CONVERSION_HETKERNELTOGPU_BLOCKPRODUCT_H

#include "Lowering.h"

#include <functional>

namespace mlir::hetkernel {

/// Threads of a block, `lines` x `lanes`, and the register block of each.
/// Thread (line, lane) has the rows from `line * rows` and the columns from
/// `lane * columns`.
struct BlockShape {
  /// What a schedule asks for; smaller where a matrix has fewer rows or columns
  /// than that covers.
  BlockShape(GemmScheduleAttr schedule, int64_t threads, int64_t maxRows,
             int64_t maxColumns);

  int64_t getThreads() const { return lines * lanes; }
  int64_t getRows() const { return lines * rows; }
  int64_t getColumns() const { return lanes * columns; }

  int64_t lanes, lines, rows, columns;
};

/// A factor of a product: rows of the first, columns of the second.
struct ProductOperand {
  Value source;
  /// Whether neighbours in memory are of one row (or column), so that the
  /// threads that load them side by side go along the sum.
  bool isSumContiguous;
  /// What row or column `index` of the block is in `source`; computed once.
  std::function<Value(Value index)> locate;
  /// Where in `source` its term number `depth` of the sum is.
  std::function<SmallVector<Value>(Value place, Value depth)> getPosition;
};

/// Sums of products, `out[r, c] = sum over d of first[r, d] * second[c, d]`, of
/// the rows and columns of a block. Threads load both factors into shared
/// memory a few terms at a time, the next while they compute on the last; with
/// asynchronous copies, these need no registers.
class BlockProduct {
public:
  BlockProduct(ImplicitLocOpBuilder &builder, gpu::LaunchOp launch,
               BlockShape shape, Type sumType, ProductOperand first,
               ProductOperand second, bool asyncCopies);

  /// The register block of this thread, row by row, summed up over `depth`
  /// terms. All threads of the block come here. Each of `scales`, if any, is
  /// multiplied by one of its rows of the first factor.
  SmallVector<Value> emit(Value depth, ArrayRef<Value> scales = {});

  /// The first row and the first column of this thread.
  Value getRow() { return row; }
  Value getColumn() { return column; }

private:
  /// A factor in shared memory, `[2, terms, size]`.
  struct Tile {
    ProductOperand operand;
    int64_t size;
    Value shared;
    /// What the elements that this thread copies belong to: the place in the
    /// source, and the term and row (or column) in the tile.
    struct Copy {
      Value place, depth, index;
      /// Whether this thread has it; null if all have.
      Value exists;
    };
    SmallVector<Copy> copies;
  };

  void allocate(gpu::LaunchOp launch, Tile &tile);
  /// Finds out what this thread copies.
  void locate(Tile &tile);
  /// Fills half `slot` with the terms from `begin`; zeros behind `depth`.
  void load(const Tile &tile, Value begin, Value depth, Value slot);
  void copy(const Tile &tile, const Tile::Copy &copy, Value begin, Value depth,
            Value slot);
  /// Adds the terms in half `slot`.
  SmallVector<Value> accumulate(Value slot, ArrayRef<Value> scales,
                                ValueRange sums);
  bool isAsync(const Tile &tile);

  ImplicitLocOpBuilder &builder;
  BlockShape shape;
  Type sumType;
  bool asyncCopies;
  Tile first, second;
  /// The number of this thread in its block.
  Value thread;
  Value row, column;
};

} // namespace mlir::hetkernel

#endif // RGNN_LIB_CONVERSION_HETKERNELTOGPU_BLOCKPRODUCT_H
