//===- MemoryPool.cpp - Blocks of memory that are used again --------------===//

#include "Support/MemoryPool.h"
#include <algorithm>

using namespace rgnn;

static bool isSmaller(const std::unique_ptr<Workspace> &block, uint64_t size) {
  return block->bytes() < size;
}

MemoryPool &MemoryPool::ofWorkspaces() {
  // Never destroyed: a thread may run a call while the process ends.
  static const auto &pool = *new auto(std::make_shared<MemoryPool>());
  return *pool;
}

MemoryPool::Block MemoryPool::take(uint64_t size) {
  std::unique_ptr<Workspace> block;
  uint64_t now;
  {
    std::lock_guard<std::mutex> lock(mutex);
    // So that what comes back finds room.
    idle.reserve(idle.size() + inUse + 1);
    auto place = std::lower_bound(idle.begin(), idle.end(), size, isSmaller);
    if (place == idle.end() && place != idle.begin())
      --place; // The largest has to grow.
    if (place != idle.end()) {
      block = std::move(*place);
      idle.erase(place);
      total -= block->bytes();
    }
    ++inUse;
    now = generation;
  }
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
  idle.insert(place, std::move(back));
}

void MemoryPool::release() {
  std::lock_guard<std::mutex> lock(mutex);
  ++generation;
  for (const auto &block : idle)
    total -= block->bytes();
  idle.clear();
}

uint64_t MemoryPool::bytes() const {
  std::lock_guard<std::mutex> lock(mutex);
  return total;
}
