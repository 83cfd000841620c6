//===- Workspace.h - Memory for the temporaries of a call -------*- C++ -*-===//

#ifndef RGNN_RUNTIME_SUPPORT_WORKSPACE_H
#define RGNN_RUNTIME_SUPPORT_WORKSPACE_H

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <sys/mman.h>

namespace rgnn {

/// A buffer that only grows: memory fresh from the system costs a page fault
/// for every 4 KiB, so that a kept one is many times faster. 64-byte aligned.
class Workspace {
public:
  /// At least `size` bytes, whose content is undefined; null for none.
  void *reserve(uint64_t size) {
    if (size > capacity) {
      memory.reset();
      capacity = 0;
      const uint64_t alignment = alignmentFor(size);
      if (size > UINT64_MAX - alignment)
        throw std::bad_alloc();
      const uint64_t rounded = roundedUp(size);
      memory.reset(std::aligned_alloc(alignment, rounded));
      if (!memory)
        throw std::bad_alloc();
      if (alignment == hugePage)
        madvise(memory.get(), rounded, MADV_HUGEPAGE);
      capacity = rounded;
    }
    return memory.get();
  }

  /// What reserve() gave last.
  void *data() const { return memory.get(); }

  void release() {
    memory.reset();
    capacity = 0;
  }

  uint64_t bytes() const { return capacity; }

  /// What is allocated where `size` bytes are asked for.
  static uint64_t roundedUp(uint64_t size) {
    const uint64_t alignment = alignmentFor(size);
    return (size + alignment - 1) / alignment * alignment;
  }

private:
  static constexpr uint64_t hugePage = uint64_t(2) << 20;

  /// Large ones lie in huge pages, where the system gives them.
  static uint64_t alignmentFor(uint64_t size) {
    return size >= hugePage ? hugePage : 64;
  }

  struct Free {
    void operator()(void *pointer) const { std::free(pointer); }
  };

  std::unique_ptr<void, Free> memory;
  uint64_t capacity = 0;
};

} // namespace rgnn

#endif // RGNN_RUNTIME_SUPPORT_WORKSPACE_H
