//===- SharedSlots.h - shared memory of several kernels ---------*- C++ -*-===//

#ifndef RGNN_DIALECT_GPU_UTILS_SHAREDSLOTS_H
#define RGNN_DIALECT_GPU_UTILS_SHAREDSLOTS_H

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::rgnn {

/// Shared memory of a launch whose blocks run one of several kernels each. A
/// slot holds a buffer of whichever kernel runs, whatever its shape, and is as
/// large as the largest of them.
class SharedSlots {
public:
  /// Enlarges slots, or adds some, until they can hold the buffers of a kernel.
  void add(ArrayRef<MemRefType> buffers);
  int64_t getBytes() const;

  /// For each element type, how many elements each of its slots holds; the
  /// largest slot first.
  const llvm::MapVector<Type, SmallVector<int64_t>> &getSizes() const {
    return sizes;
  }
  /// Which of the slots of its element type each of `buffers` gets.
  static SmallVector<size_t> assign(ArrayRef<MemRefType> buffers);

private:
  llvm::MapVector<Type, SmallVector<int64_t>> sizes;
};

} // namespace mlir::rgnn

#endif // RGNN_DIALECT_GPU_UTILS_SHAREDSLOTS_H
