//===- ElementMap.h - elements of vectors made of others --------*- C++ -*-===//

#ifndef RGNN_LIB_CONVERSION_HETKERNELTOGPU_TRAVERSALS_ELEMENTMAP_H
#define RGNN_LIB_CONVERSION_HETKERNELTOGPU_TRAVERSALS_ELEMENTMAP_H

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::hetkernel {

constexpr int64_t warpSize = 32;

/// Which element of one vector another has at each of its places: element `j`,
/// whose indices are `i...`, is element `offset + sum of i * strides`.
struct ElementMap {
  SmallVector<int64_t> sizes, strides;
  int64_t offset = 0;

  int64_t getNumElements() const;
  int64_t get(int64_t element) const;
  Value get(ImplicitLocOpBuilder &builder, Value element) const;
};

/// The strides of dense elements of `sizes`.
SmallVector<int64_t> getDenseStrides(ArrayRef<int64_t> sizes);

/// What an op that copies elements of its first operand picks; nullopt where
/// that is a scalar, and for other ops.
std::optional<ElementMap> getPickedElements(Operation *op);

} // namespace mlir::hetkernel

#endif // RGNN_LIB_CONVERSION_HETKERNELTOGPU_TRAVERSALS_ELEMENTMAP_H
