//===- ProductCore.h - sums of products that a thread keeps -----*- C++ -*-===//

#ifndef RGNN_LIB_CONVERSION_HETKERNELTOGPU_PRODUCTCORE_H
#define RGNN_LIB_CONVERSION_HETKERNELTOGPU_PRODUCTCORE_H

#include "Lowering.h"
#include "RGNN/Dialect/HetKernel/Transforms/Schedule.h"

#include <memory>

namespace mlir::hetkernel {

/// Threads of a block, `lines` x `lanes`, and the register block of each.
struct BlockShape {
  /// What a schedule asks for; smaller where a matrix has fewer rows or columns
  /// than that covers. Few rows have more threads than they need, up to
  /// `minThreads`, to load what is summed up.
  BlockShape(GemmScheduleAttr schedule, int64_t threads, int64_t minThreads,
             int64_t maxRows, int64_t maxColumns);

  /// Whether the factors fit shared memory, and an error where they do not.
  bool fits(Type sumType) const;
  LogicalResult verify(Operation *kernel, Type sumType) const;

  int64_t getThreads() const { return lines * lanes; }
  int64_t getRows() const { return lines * rows; }
  int64_t getColumns() const { return lanes * columns; }

  int64_t lanes, lines, rows, columns;
  /// Whether the columns of a register block are as far apart as there are
  /// lanes, so that lanes have columns that follow each other.
  bool interleaved = false;
};

/// How threads of a block share out a product of factors in shared memory, each
/// `[2, gpuProductTerms, pitch]`, of which one half is full.
class ProductCore {
public:
  virtual ~ProductCore() = default;

  /// The place of a term behind that of the one before it, for a factor with
  /// `size` rows or columns.
  virtual int64_t getPitch(int64_t size, bool isSumContiguous) = 0;
  /// What this thread keeps, before the first term.
  virtual SmallVector<Value> getZeros() = 0;
  /// The same, with the terms in half `slot` added. Rows of the first factor
  /// are multiplied by `scales`, if there are any.
  virtual SmallVector<Value> accumulate(Value first, Value second, Value slot,
                                        ArrayRef<Value> scales,
                                        ValueRange kept) = 0;
  /// The sums in `kept`, row by row.
  virtual SmallVector<Value> getSums(ValueRange kept) = 0;

  /// How many columns follow each other, from the first on and after that.
  virtual int64_t getAdjacentColumns() = 0;
  /// The rows and columns of the block that this thread has.
  ArrayRef<Value> getRows() const { return rows; }
  ArrayRef<Value> getColumns() const { return columns; }

protected:
  SmallVector<Value> rows, columns;
};

/// Multiply-adds of threads: each has the rows and columns of its register
/// block.
std::unique_ptr<ProductCore> createThreadCore(ImplicitLocOpBuilder &builder,
                                              BlockShape shape, Value line,
                                              Value lane, Type sumType);

/// Products of 16 x 8 x 8 by warps on tensor cores, which take the first 11
/// bits of an f32: all that a 16-bit float has. Factors with more are rounded
/// if `rounds`. Null where warps do not divide the block so.
std::unique_ptr<ProductCore> createTensorCore(ImplicitLocOpBuilder &builder,
                                              BlockShape shape, Value thread,
                                              bool rounds);

} // namespace mlir::hetkernel

#endif // RGNN_LIB_CONVERSION_HETKERNELTOGPU_PRODUCTCORE_H
