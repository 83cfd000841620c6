//===- ProductCore.h - sums of products that a thread keeps -----*- C++ -*-===//

#ifndef RGNN_LIB_CONVERSION_HETKERNELTOGPU_PRODUCTS_PRODUCTCORE_H
#define RGNN_LIB_CONVERSION_HETKERNELTOGPU_PRODUCTS_PRODUCTCORE_H

#include "RGNN/Dialect/HetKernel/Transforms/Schedule.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <memory>

namespace mlir::hetkernel {

/// Threads of a block, `lines` x `lanes`, and the register block of each.
struct BlockShape {
  /// What a schedule asks for; smaller where a matrix has fewer rows or columns
  /// than that covers. Few rows have more threads than they need, up to
  /// `minThreads`, to load what is summed up.
  BlockShape(GPUGemmScheduleAttr schedule, int64_t threads, int64_t minThreads,
             int64_t maxRows, int64_t maxColumns);

  /// Whether the factors fit shared memory, and an error where they do not.
  bool fits(Type sumType) const;
  LogicalResult verify(Operation *kernel, Type sumType) const;

  int64_t getThreads() const { return lines * lanes; }
  int64_t getRows() const { return lines * rows; }
  int64_t getColumns() const { return lanes * columns; }

  int64_t lanes, lines, rows, columns;
  /// Whether the columns of a register block are as far apart as there are
  /// lanes, so that lanes have columns that follow each other. A GPU writes
  /// memory in parts of 32 bytes: of stores that cover a part only in places,
  /// each writes it anew.
  bool interleaved = false;
};

/// `index * factor + offset`.
Value scaleIndex(ImplicitLocOpBuilder &builder, Value index, int64_t factor,
                 int64_t offset = 0);

/// A factor of a product in shared memory, of which one half is full: `[2,
/// size, pitch]` where the terms of the sum follow each other, as they do in
/// its source, else `[2, gpuProductTerms, pitch]`.
struct SharedFactor {
  Value memory;
  bool isSumContiguous;

  /// Where number `term` of row (or column) `place` is.
  SmallVector<Value> getPosition(Value slot, Value term, Value place) const {
    return isSumContiguous ? SmallVector<Value>{slot, place, term}
                           : SmallVector<Value>{slot, term, place};
  }
};

/// How threads of a block share out a product of factors in shared memory.
class ProductCore {
public:
  virtual ~ProductCore() = default;

  /// Numbers from a term to the next, of a factor with `size` rows (or
  /// columns), or from one of these to the next.
  virtual int64_t getPitch(int64_t size, bool isSumContiguous) = 0;
  /// What this thread keeps, before the first term.
  virtual SmallVector<Value> getZeros() = 0;
  /// The same, with the terms in half `slot` added. Rows of the first factor
  /// are multiplied by `scales`, if there are any.
  virtual SmallVector<Value> accumulate(const SharedFactor &first,
                                        const SharedFactor &second, Value slot,
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
/// block. Which ones depends on what follows each other in shared memory, so
/// that lanes read different banks: whether that are the terms of the sum.
std::unique_ptr<ProductCore> createThreadCore(ImplicitLocOpBuilder &builder,
                                              BlockShape shape, Value line,
                                              Value lane, Type sumType,
                                              bool isFirstSumContiguous,
                                              bool isSecondSumContiguous);

/// Products of 16 x 8 x 8 by warps on tensor cores, which take the first 11
/// bits of an f32: all that a 16-bit float has. Factors with more are rounded
/// if `rounds`. Null where warps do not divide the block so.
std::unique_ptr<ProductCore> createTensorCore(ImplicitLocOpBuilder &builder,
                                              BlockShape shape, Value thread,
                                              bool rounds);

} // namespace mlir::hetkernel

#endif // RGNN_LIB_CONVERSION_HETKERNELTOGPU_PRODUCTS_PRODUCTCORE_H
