//===- MemoryPool.cpp - Blocks of memory that are used again --------------===//

#include "Support/MemoryPool.h"
#include <algorithm>
#include <utility>

using namespace rgnn;

static bool isSmaller(const std::unique_ptr<Workspace> &block, uint64_t size) {
  return block->bytes() < size;
}

/// Takes after which a peak is one of long ago: some steps of training.
static constexpr uint64_t window = 256;

/// The most bytes of a block that is taken for so many.
static uint64_t closeTo(uint64_t size) {
  return Workspace::roundedUp(size + size / 8);
}

MemoryPool &MemoryPool::ofWorkspaces() {
  // Never destroyed: a thread may run a call while the process ends.
  static const auto &pool = *new auto(std::make_shared<MemoryPool>());
  return *pool;
}

MemoryPool &MemoryPool::ofResults() {
  static const auto &pool = *new auto(std::make_shared<MemoryPool>(Fit::Close));
  return *pool;
}

void MemoryPool::notePeak(uint64_t size) {
  if (++takes % window == 0)
    lastPeak = std::exchange(peak, 0);
  peak = std::max(peak, total - idleBytes + size);
}

std::unique_ptr<Workspace> MemoryPool::findIdle(uint64_t size) {
  auto place = std::lower_bound(idle.begin(), idle.end(), size, isSmaller);
  if (fit == Fit::Any && place == idle.end() && place != idle.begin())
    --place; // The largest has to grow.
  if (place == idle.end() ||
      (fit == Fit::Close && (*place)->bytes() > closeTo(size)))
    return nullptr;
  std::unique_ptr<Workspace> block = std::move(*place);
  idle.erase(place);
  idleBytes -= block->bytes();
  total -= block->bytes();
  return block;
}

/// Takes idle blocks out for the caller to free, which may take long.
std::vector<std::unique_ptr<Workspace>> MemoryPool::makeRoom(uint64_t size) {
  std::vector<std::unique_ptr<Workspace>> freed;
  while (!idle.empty() && total + size > std::max(peak, lastPeak)) {
    total -= idle.back()->bytes();
    idleBytes -= idle.back()->bytes();
    freed.push_back(std::move(idle.back()));
    idle.pop_back();
  }
  return freed;
}

MemoryPool::Block MemoryPool::take(uint64_t size) {
  std::unique_ptr<Workspace> block;
  std::vector<std::unique_ptr<Workspace>> freed;
  uint64_t now;
  {
    std::lock_guard<std::mutex> lock(mutex);
    // So that what comes back finds room.
    idle.reserve(idle.size() + inUse + 1);
    notePeak(Workspace::roundedUp(size));
    block = findIdle(size);
    if (fit == Fit::Close)
      freed = makeRoom(block ? block->bytes() : Workspace::roundedUp(size));
    ++inUse;
    now = generation;
  }
  freed.clear();
  if (!block)
    block = std::make_unique<Workspace>();
  auto giveBack = [pool = shared_from_this(), now](Workspace *back) {
    pool->giveBack(back, now);
  };
  // Given back, too, where there is no more memory.
  Block result(block.release(), std::move(giveBack));
  result->reserve(size);
  std::lock_guard<std::mutex> lock(mutex);
  total += result->bytes();
  return result;
}

void MemoryPool::giveBack(Workspace *block, uint64_t takenIn) {
  std::unique_ptr<Workspace> back(block);
  std::lock_guard<std::mutex> lock(mutex);
  --inUse;
  if (takenIn != generation) {
    total -= back->bytes();
    return;
  }
  auto place =
      std::lower_bound(idle.begin(), idle.end(), back->bytes(), isSmaller);
  idleBytes += back->bytes();
  idle.insert(place, std::move(back));
}

void MemoryPool::release() {
  std::lock_guard<std::mutex> lock(mutex);
  ++generation;
  total -= idleBytes;
  idleBytes = 0;
  idle.clear();
}

uint64_t MemoryPool::bytes() const {
  std::lock_guard<std::mutex> lock(mutex);
  return total;
}
