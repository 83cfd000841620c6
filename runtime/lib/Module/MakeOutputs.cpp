//===- MakeOutputs.cpp - Tensors for the outputs of a call ----------------===//

#include "Module/Call.h"
#include "Support/Error.h"
#include "Support/Tensor.h"
#include <memory>

using namespace rgnn;

/// Bytes of a result from which on memory that was used before is faster than
/// that of the caller's allocator, which may come fresh from the system.
static constexpr uint64_t leastOfResult = 256 << 10;

namespace {
/// What a tensor in memory of a pool owns.
struct PooledTensor {
  DLManagedTensorVersioned managed = {};
  std::vector<int64_t> shape, strides;
  MemoryPool::Block block;
};
} // namespace

/// A tensor like another one, at a place of a block.
static DLManagedTensorVersioned *
makeTensor(const DLTensor &like, MemoryPool::Block block, uint64_t offset) {
  auto tensor = std::make_unique<PooledTensor>();
  tensor->shape.assign(like.shape, like.shape + like.ndim);
  tensor->strides.resize(like.ndim);
  int64_t step = 1;
  for (int32_t dim = like.ndim; dim-- > 0; step *= like.shape[dim])
    tensor->strides[dim] = step;
  tensor->block = std::move(block);
  DLManagedTensorVersioned &managed = tensor->managed;
  managed.version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION};
  managed.deleter = [](DLManagedTensorVersioned *self) {
    delete static_cast<PooledTensor *>(self->manager_ctx);
  };
  managed.dl_tensor = like;
  managed.dl_tensor.data = static_cast<char *>(tensor->block->data()) + offset;
  managed.dl_tensor.shape = tensor->shape.data();
  managed.dl_tensor.strides = tensor->strides.data();
  managed.manager_ctx = tensor.get();
  return &tensor.release()->managed;
}

DLManagedTensorVersioned *Call::makeOutput(int32_t index) {
  if (index < 0 || index >= numOutputs())
    failInput("expected the number of an output, below ", numOutputs(),
              ", got ", index);
  if (module.manifest.onGPU)
    failInput("expected memory of the caller for outputs on a GPU");
  const auto isSaved = [&](size_t i) {
    return module.manifest.outputs[i].saved;
  };
  if (!isSaved(index)) {
    const uint64_t size = paddedBytes(outputs[index]);
    return size < leastOfResult
               ? nullptr
               : makeTensor(outputs[index], MemoryPool::ofResults().take(size),
                            0);
  }
  // They lie side by side.
  uint64_t offset = 0, size = 0;
  for (int32_t i = 0; i < numOutputs(); ++i) {
    if (!isSaved(i))
      continue;
    if (i == index)
      offset = size;
    size += paddedBytes(outputs[i]);
  }
  if (!saved)
    saved = module.savedMemory->take(size);
  return makeTensor(outputs[index], saved, offset);
}
