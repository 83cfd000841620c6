//===- SharedSlots.cpp - shared memory of several kernels -----------------===//

#include "RGNN/Dialect/GPU/Utils/SharedSlots.h"
#include "RGNN/Dialect/GPU/Utils/Limits.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace mlir::rgnn;

SmallVector<size_t> SharedSlots::assign(ArrayRef<MemRefType> buffers) {
  SmallVector<size_t> order(buffers.size()), numbers(buffers.size());
  std::iota(order.begin(), order.end(), 0);
  llvm::stable_sort(order, [&](size_t a, size_t b) {
    return buffers[a].getNumElements() > buffers[b].getNumElements();
  });
  llvm::DenseMap<Type, size_t> used;
  for (size_t buffer : order)
    numbers[buffer] = used[buffers[buffer].getElementType()]++;
  return numbers;
}

void SharedSlots::add(ArrayRef<MemRefType> buffers) {
  for (auto [buffer, number] : llvm::zip(buffers, assign(buffers))) {
    SmallVector<int64_t> &ofType = sizes[buffer.getElementType()];
    if (ofType.size() <= number)
      ofType.resize(number + 1);
    ofType[number] = std::max(ofType[number], buffer.getNumElements());
  }
}

int64_t SharedSlots::getBytes() const {
  int64_t bytes = 0;
  for (const auto &[type, ofType] : sizes)
    for (int64_t size : ofType)
      bytes += llvm::alignTo(size * type.getIntOrFloatBitWidth() / 8,
                             tensorAlignment);
  return bytes;
}
