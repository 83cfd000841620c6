//===- MemoryPool.h - Blocks of memory that are used again ------*- C++ -*-===//

#ifndef RGNN_RUNTIME_SUPPORT_MEMORYPOOL_H
#define RGNN_RUNTIME_SUPPORT_MEMORYPOOL_H

#include "Support/Workspace.h"
#include <memory>
#include <mutex>
#include <vector>

namespace rgnn {

/// Blocks that are taken and come back when nothing holds them any more, be it
/// after the pool's owner has gone, and are used again: fresh memory would cost
/// a page fault for every 4 KiB of every call.
class MemoryPool : public std::enable_shared_from_this<MemoryPool> {
public:
  using Block = std::shared_ptr<Workspace>;

  /// Of temporaries: the calls of all modules share it, as most follow each
  /// other.
  static MemoryPool &ofWorkspaces();

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

#endif // RGNN_RUNTIME_SUPPORT_MEMORYPOOL_H
