//===- Lowering.h - what the lowerings of the kernels share -----*- C++ -*-===//

#ifndef RGNN_LIB_CONVERSION_HETKERNELTOSCF_LOWERING_H
#define RGNN_LIB_CONVERSION_HETKERNELTOSCF_LOWERING_H

#include "RGNN/Dialect/HetKernel/IR/HetKernel.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::hetkernel {

/// Replaces a kernel on buffers by loops, in one task where it computes less
/// than `serialBelow` elements. `numTemporaries` grows by the buffers that this
/// took. On failure an error was reported.
LogicalResult lowerGemm(GemmOp gemm, int64_t serialBelow,
                        int64_t &numTemporaries);
LogicalResult lowerOuterSum(OuterSumOp sum, int64_t serialBelow,
                            int64_t &numTemporaries);
/// Returns the loop over tasks, too.
FailureOr<scf::ForallOp> lowerTraverse(TraverseOp traverse, int64_t serialBelow,
                                       int64_t &numTemporaries);
LogicalResult lowerConcat(ConcatOp concat, int64_t serialBelow);

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

Value createIndex(ImplicitLocOpBuilder &builder, int64_t value);

/// An entry of an array of row numbers. They are never negative, so extending
/// them costs nothing on machines that clear the upper half of a register.
Value loadIndex(ImplicitLocOpBuilder &builder, Value list, ValueRange indices);

/// Rows `begin` to `end` (not included) that one task computes.
struct TaskRange {
  Value begin, end;
};

/// Whether a kernel computes less than `limit` elements.
Value isBelow(ImplicitLocOpBuilder &builder, Value work, int64_t limit);

/// A parallel loop over ranges of `taskRows` of `rows`, or one range of all
/// where `isSerial` is given and holds; `builder` is left inside.
TaskRange enterTasks(ImplicitLocOpBuilder &builder, Value rows,
                     int64_t taskRows, Value isSerial = {});

/// The same over ranges of rows that hold, with the inner rows that `segments`
/// gives each, about `taskRows` rows; `innerRows` is the number of all inner
/// rows.
TaskRange enterBalancedTasks(ImplicitLocOpBuilder &builder, Value rows,
                             Value segments, Value innerRows, int64_t taskRows,
                             Value isSerial = {});

/// The first number below `count` for which `isBefore` does not hold, which it
/// does for all numbers before that and for none behind; `count` where there is
/// none. A search that looks at `numProbes` numbers at a time: a binary one
/// with 1, and fewer rounds with more, where memory is slow.
Value findFirst(ImplicitLocOpBuilder &builder, Value count,
                function_ref<Value(ImplicitLocOpBuilder &, Value)> isBefore,
                int64_t numProbes = 1);

/// A sequential loop, left open: `builder` goes into it. Returns its counter.
Value enterLoop(ImplicitLocOpBuilder &builder, Value begin, Value end,
                int64_t step);

/// Loops over the dimensions `first` to `last` (not included) of `buffer`, one
/// in the other; `builder` goes into the innermost. Returns their counters.
SmallVector<Value> enterDims(ImplicitLocOpBuilder &builder, Value buffer,
                             int64_t first, int64_t last);

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

inline constexpr int64_t kCacheLineBits = 512;

/// Loads and stores of rows as values: one vector op each, on a view in which
/// the dimensions of a row are one. A view is made where its buffer is and
/// shared by all accesses.
class RowAccess {
public:
  /// Checks that rows below `indices` leading indices can be accessed at once.
  static LogicalResult verify(Operation *user, Value buffer, int64_t indices);
  Value load(ImplicitLocOpBuilder &builder, Value buffer, ValueRange indices,
             Type row);
  void store(ImplicitLocOpBuilder &builder, Value value, Value buffer,
             ValueRange indices);
  /// Asks for the cache lines of a row that will be loaded.
  void prefetch(ImplicitLocOpBuilder &builder, Value buffer, ValueRange indices,
                VectorType row);

private:
  Value flatten(Value buffer, int64_t indices);

  DenseMap<std::pair<Value, int64_t>, Value> flat;
};

} // namespace mlir::hetkernel

#endif // RGNN_LIB_CONVERSION_HETKERNELTOSCF_LOWERING_H
