//===- SavedMemory.h - Memory of what a call saves for another --*- C++ -*-===//

#ifndef RGNN_RUNTIME_SUPPORT_SAVEDMEMORY_H
#define RGNN_RUNTIME_SUPPORT_SAVEDMEMORY_H

#include "Support/Workspace.h"
#include <memory>
#include <mutex>
#include <vector>

namespace rgnn {

/// Blocks that tensors share which are made together and go together: what the
/// forward of a training step saves for its backward. A block comes back when
/// the last of its tensors goes, be it after the module, and is used again:
/// fresh memory would cost a page fault for every 4 KiB of every step.
class SavedMemory : public std::enable_shared_from_this<SavedMemory> {
public:
  using Block = std::shared_ptr<Workspace>;

  /// Memory that is in use as long as the block is.
  Block take(uint64_t size);
  /// Frees idle blocks, and others when they come back.
  void release();
  /// Of all blocks, in use or not.
  uint64_t bytes() const;

private:
  void giveBack(Workspace *block, uint64_t takenIn);

  mutable std::mutex mutex;
  std::vector<std::unique_ptr<Workspace>> idle;
  uint64_t total = 0, inUse = 0;
  /// The number of releases.
  uint64_t generation = 0;
};

} // namespace rgnn

#endif // RGNN_RUNTIME_SUPPORT_SAVEDMEMORY_H
