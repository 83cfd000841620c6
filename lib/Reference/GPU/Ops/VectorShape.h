//===- VectorShape.h - elements of vectors by their indices -----*- C++ -*-===//

#ifndef RGNN_LIB_REFERENCE_GPU_OPS_VECTORSHAPE_H
#define RGNN_LIB_REFERENCE_GPU_OPS_VECTORSHAPE_H

#include "MemRefAccess.h"

namespace mlir::rgnn::simulator {

/// The shape of a vector; of anything else that of a scalar.
inline SmallVector<int64_t> getShape(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? SmallVector<int64_t>(vector.getShape())
                : SmallVector<int64_t>();
}

/// Calls `fn` with the index of each element and its number.
inline void
forEachElement(ArrayRef<int64_t> shape,
               llvm::function_ref<void(ArrayRef<int64_t>, int64_t)> fn) {
  int64_t number = 0;
  (void)forEachIndex(shape, [&](ArrayRef<int64_t> index) {
    fn(index, number++);
    return success();
  });
}

} // namespace mlir::rgnn::simulator

#endif // RGNN_LIB_REFERENCE_GPU_OPS_VECTORSHAPE_H
