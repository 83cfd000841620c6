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

  /// Which idle block is taken: any that is large enough, or where none is, the
  /// largest, which grows; or for what may be held for long, one that is at
  /// most an eighth larger, or a new one. Then all blocks together are at most
  /// as many bytes as were lately in use at a time.
  enum class Fit { Any, Close };

  explicit MemoryPool(Fit fit = Fit::Any) : fit(fit) {}

  /// Of temporaries: the calls of all modules share it, as most follow each
  /// other.
  static MemoryPool &ofWorkspaces();
  /// Of results, whose callers hold them for as long as they like.
  static MemoryPool &ofResults();

  /// Memory that is in use as long as the block is.
  Block take(uint64_t size);
  /// Frees idle blocks, and others when they come back.
  void release();
  /// Of all blocks, in use or not.
  uint64_t bytes() const;

private:
  void notePeak(uint64_t size);
  std::unique_ptr<Workspace> findIdle(uint64_t size);
  std::vector<std::unique_ptr<Workspace>> makeRoom(uint64_t size);
  void giveBack(Workspace *block, uint64_t takenIn);

  const Fit fit;
  mutable std::mutex mutex;
  std::vector<std::unique_ptr<Workspace>> idle;
  uint64_t total = 0, inUse = 0;
  uint64_t idleBytes = 0;
  /// The most bytes in use in this window of so many takes, and in the last.
  uint64_t peak = 0, lastPeak = 0, takes = 0;
  /// The number of releases.
  uint64_t generation = 0;
};

} // namespace rgnn

#endif // RGNN_RUNTIME_SUPPORT_MEMORYPOOL_H
