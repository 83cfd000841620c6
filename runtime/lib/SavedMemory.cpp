//===- SavedMemory.cpp - Memory of what a call saves for another ----------===//

#include "SavedMemory.h"
#include <algorithm>

using namespace rgnn;

SavedMemory::Block SavedMemory::take(uint64_t size) {
  std::unique_ptr<Workspace> block;
  uint64_t now;
  {
    std::lock_guard<std::mutex> lock(mutex);
    // So that what comes back finds room.
    idle.reserve(idle.size() + inUse + 1);
    if (idle.empty()) {
      block = std::make_unique<Workspace>();
    } else {
      block = std::move(idle.back());
      idle.pop_back();
    }
    total -= block->bytes();
    block->reserve(size);
    total += block->bytes();
    ++inUse;
    now = generation;
  }
  return {block.release(), [pool = shared_from_this(), now](Workspace *back) {
            pool->giveBack(back, now);
          }};
}

void SavedMemory::giveBack(Workspace *block, uint64_t takenIn) {
  std::unique_ptr<Workspace> back(block);
  std::lock_guard<std::mutex> lock(mutex);
  --inUse;
  if (takenIn != generation) {
    total -= back->bytes();
    return;
  }
  // The largest is taken first.
  auto place = std::lower_bound(
      idle.begin(), idle.end(), back->bytes(),
      [](const auto &other, uint64_t bytes) { return other->bytes() < bytes; });
  idle.insert(place, std::move(back));
}

void SavedMemory::release() {
  std::lock_guard<std::mutex> lock(mutex);
  ++generation;
  for (const auto &block : idle)
    total -= block->bytes();
  idle.clear();
}

uint64_t SavedMemory::bytes() const {
  std::lock_guard<std::mutex> lock(mutex);
  return total;
}
