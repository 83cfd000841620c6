//===- VectorCode.h - columns of a register block as vectors ----*- C++ -*-===//

#ifndef RGNN_LIB_CONVERSION_HETKERNELTOSCF_VECTORCODE_H
#define RGNN_LIB_CONVERSION_HETKERNELTOSCF_VECTORCODE_H

#include "RGNN/Dialect/HetKernel/IR/HetKernel.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::hetkernel {

/// Columns that a register block covers: vectors from `begin`, the last of
/// which may have fewer than all its lanes.
struct ColumnBlock {
  Value begin;
  SmallVector<int64_t> lanes;
};

/// Code on vectors of numbers, as wide as a schedule says. `sumType` is that of
/// what numbers are summed up in.
class VectorCode {
public:
  VectorCode(ImplicitLocOpBuilder &builder, CPUGemmScheduleAttr schedule,
             const Type &sumType)
      : builder(builder), schedule(schedule), sumType(sumType) {}

  VectorType getType(Type element) {
    return VectorType::get(schedule.getVectorWidth(), element);
  }
  /// `number` in all lanes.
  Value splat(Value number);
  /// Lanes behind the first `lanes` are zero, and not stored.
  Value load(Value buffer, ArrayRef<Value> position, int64_t lanes);
  void store(Value value, Value buffer, ArrayRef<Value> position,
             int64_t lanes);

  /// Full blocks of `columns` in a loop, then the columns that are left.
  void forEachBlock(int64_t columns,
                    function_ref<void(const ColumnBlock &)> emit);
  /// The first column of vector `v`.
  Value getColumn(const ColumnBlock &columns, int64_t v);

private:
  Value getMask(int64_t lanes);

  ImplicitLocOpBuilder &builder;
  CPUGemmScheduleAttr schedule;
  const Type &sumType;
};

} // namespace mlir::hetkernel

#endif // RGNN_LIB_CONVERSION_HETKERNELTOSCF_VECTORCODE_H
