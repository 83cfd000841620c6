//===- RowAccess.h - loads and stores of whole rows -------------*- C++ -*-===//

#ifndef RGNN_LIB_CONVERSION_HETKERNELTOSCF_ROWACCESS_H
#define RGNN_LIB_CONVERSION_HETKERNELTOSCF_ROWACCESS_H

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::hetkernel {

inline constexpr int64_t kCacheLineBits = 512;

/// Loads and stores of rows as values: one vector op for each run of memory,
/// which is a row or, in a part of a wider one, what of it lies together. They
/// are of a view in which the dimensions of a run are one; it is made where its
/// buffer is and shared by all accesses.
class RowAccess {
public:
  /// Checks that rows below `indices` leading indices can be accessed.
  static LogicalResult verify(Operation *user, Value buffer, int64_t indices);
  Value load(ImplicitLocOpBuilder &builder, Value buffer, ValueRange indices,
             Type row);
  void store(ImplicitLocOpBuilder &builder, Value value, Value buffer,
             ValueRange indices);
  /// Asks for the cache lines of a row that will be loaded.
  void prefetch(ImplicitLocOpBuilder &builder, Value buffer, ValueRange indices,
                VectorType row);

private:
  /// A view of `buffer` in which all but `outside` dimensions are one.
  Value flatten(Value buffer, int64_t outside);
  /// Calls `run` with the view, the position and the first column of each run
  /// of a row of so many columns.
  void forEachRun(ImplicitLocOpBuilder &builder, Value buffer,
                  ValueRange indices, int64_t columns,
                  function_ref<void(Value, ValueRange, int64_t)> run);

  DenseMap<std::pair<Value, int64_t>, Value> flat;
};

} // namespace mlir::hetkernel

#endif // RGNN_LIB_CONVERSION_HETKERNELTOSCF_ROWACCESS_H
