//===- RowAccess.h - loads and stores of whole rows -------------*- C++ -*-===//

#ifndef RGNN_LIB_CONVERSION_HETKERNELTOSCF_ROWACCESS_H
#define RGNN_LIB_CONVERSION_HETKERNELTOSCF_ROWACCESS_H

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::hetkernel {

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

#endif // RGNN_LIB_CONVERSION_HETKERNELTOSCF_ROWACCESS_H
