//===- Loops.h - loops over tasks, rows and dimensions ----------*- C++ -*-===//

#ifndef RGNN_DIALECT_HETKERNEL_UTILS_LOOPS_H
#define RGNN_DIALECT_HETKERNEL_UTILS_LOOPS_H

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::hetkernel {

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
TaskRange enterTasks(ImplicitLocOpBuilder &builder, Value rows, Value taskRows,
                     Value isSerial = {});
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

} // namespace mlir::hetkernel

#endif // RGNN_DIALECT_HETKERNEL_UTILS_LOOPS_H
