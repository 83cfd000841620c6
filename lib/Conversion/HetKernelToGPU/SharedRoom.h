//===- SharedRoom.h - shared memory of several kernels ----------*- C++ -*-===//

#ifndef RGNN_LIB_CONVERSION_HETKERNELTOGPU_SHAREDROOM_H
#define RGNN_LIB_CONVERSION_HETKERNELTOGPU_SHAREDROOM_H

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::hetkernel {

/// Shared memory of a launch whose blocks run one of several kernels each: what
/// one keeps there takes the place of what others do, whatever its shape.
class SharedRoom {
public:
  /// Makes room for the buffers of a kernel, instead of those of others.
  void add(ArrayRef<MemRefType> buffers);
  int64_t getBytes() const;

  /// For each type of numbers, how many the buffers hold; the largest first.
  const llvm::MapVector<Type, SmallVector<int64_t>> &getSizes() const {
    return sizes;
  }
  /// Which of the buffers of its type each of `buffers` gets.
  static SmallVector<size_t> assign(ArrayRef<MemRefType> buffers);

private:
  llvm::MapVector<Type, SmallVector<int64_t>> sizes;
};

} // namespace mlir::hetkernel

#endif // RGNN_LIB_CONVERSION_HETKERNELTOGPU_SHAREDROOM_H
