//===- Workspace.h - Memory for the temporaries of a call -------*- C++ -*-===//

#ifndef RGNN_RUNTIME_WORKSPACE_H
#define RGNN_RUNTIME_WORKSPACE_H

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
      data.reset();
      capacity = 0;
      // Large ones in huge pages, where the system gives them.
      const uint64_t alignment = size >= hugePage ? hugePage : 64;
      if (size > UINT64_MAX - alignment)
        throw std::bad_alloc();
      const uint64_t rounded = (size + alignment - 1) / alignment * alignment;
      data.reset(std::aligned_alloc(alignment, rounded));
      if (!data)
        throw std::bad_alloc();
      if (alignment == hugePage)
        madvise(data.get(), rounded, MADV_HUGEPAGE);
      capacity = rounded;
    }
    return data.get();
  }

  void release() {
    data.reset();
    capacity = 0;
  }

  uint64_t bytes() const { return capacity; }

private:
  static constexpr uint64_t hugePage = uint64_t(2) << 20;

  struct Free {
    void operator()(void *memory) const { std::free(memory); }
  };

  std::unique_ptr<void, Free> data;
  uint64_t capacity = 0;
};

} // namespace rgnn

#endif // RGNN_RUNTIME_WORKSPACE_H
