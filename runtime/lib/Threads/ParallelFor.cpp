//===- ParallelFor.cpp - Threads that kernels run on ----------------------===//
//
// PyTorch exports C functions that run a range on its own threads. They are
// looked up in the running process, so that nothing here is linked to PyTorch,
// and a second pool beside PyTorch's never competes for the cores.
//
//===----------------------------------------------------------------------===//

#include "Threads/ParallelFor.h"
#include "Threads/ThreadPool.h"
#include <algorithm>
#include <atomic>
#include <dlfcn.h>
#include <vector>

using namespace rgnn;

namespace {
struct TorchThreads {
  int32_t (*parallelFor)(int64_t begin, int64_t end, int64_t grain,
                         RangeBody body, void *env);
  int32_t (*numThreads)(uint32_t *count);
};

/// A contiguous part of a loop and how far it has been taken, on a cache line
/// of its own.
struct alignas(64) Part {
  std::atomic<int64_t> next;
  int64_t end;
};

/// Loops that threads share, in the memory of the thread that runs them: each
/// loop in as many parts as there are threads, loop by loop.
struct Work {
  const RgnnLoop *loops;
  int64_t numLoops;
  int32_t threads;
  std::vector<Part> parts;
};
} // namespace

static std::atomic<const TorchThreads *> torchThreads{nullptr};
static thread_local bool insideLoop = false;

void rgnn::findTorchThreads() {
  if (torchThreads.load(std::memory_order_acquire))
    return;
  void *library = dlopen("libtorch_cpu.so", RTLD_LAZY | RTLD_NOLOAD);
  if (!library)
    return;
  TorchThreads found;
  found.parallelFor = reinterpret_cast<decltype(found.parallelFor)>(
      dlsym(library, "torch_parallel_for"));
  found.numThreads = reinterpret_cast<decltype(found.numThreads)>(
      dlsym(library, "torch_get_num_threads"));
  dlclose(library);
  if (!found.parallelFor || !found.numThreads)
    return;
  static const TorchThreads threads = found;
  torchThreads.store(&threads, std::memory_order_release);
}

bool rgnn::usesTorchThreads() {
  return torchThreads.load(std::memory_order_acquire) != nullptr;
}

int32_t rgnn::numThreads() {
  uint32_t count = 0;
  if (const auto *torch = torchThreads.load(std::memory_order_acquire))
    return torch->numThreads(&count) == 0 && count > 0 ? count : 1;
  return ThreadPool::get().size();
}

/// Small enough that the last range of a skewed loop is short, large enough
/// that the counters cost nothing.
static int64_t rangeSize(int64_t count, int32_t threads) {
  constexpr int64_t rangesPerThread = 32;
  return std::max<int64_t>(1, count / (threads * rangesPerThread));
}

/// Takes the thread's own parts, range by range, then what others have left of
/// theirs: the next loop over the same rows finds them in the caches of the
/// thread that wrote them.
static void takeRanges(Work &work, int64_t thread) {
  const bool outer = insideLoop;
  insideLoop = true;
  for (int32_t i = 0; i < work.threads; ++i) {
    const int64_t owner = (thread + i) % work.threads;
    for (int64_t l = 0; l < work.numLoops; ++l) {
      const RgnnLoop &loop = work.loops[l];
      Part &part = work.parts[l * work.threads + owner];
      const int64_t size = rangeSize(loop.count, work.threads);
      while (part.next.load(std::memory_order_relaxed) < part.end) {
        const int64_t begin = part.next.fetch_add(size);
        if (begin < part.end)
          loop.body(begin, std::min(begin + size, part.end), loop.env);
      }
    }
  }
  insideLoop = outer;
}

static void runShared(Work &work) {
  if (const auto *torch = torchThreads.load(std::memory_order_acquire)) {
    // PyTorch splits statically: one index a thread, always the same thread.
    torch->parallelFor(
        0, work.threads, 1,
        [](int64_t thread, int64_t, void *env) {
          takeRanges(*static_cast<Work *>(env), thread);
        },
        &work);
    // Ranges are left only if PyTorch ran none.
    return takeRanges(work, 0);
  }
  ThreadPool::get().run(
      [](int32_t thread, void *env) {
        takeRanges(*static_cast<Work *>(env), thread);
      },
      &work);
}

void rgnn::parallelFor(int64_t count, RangeBody body, void *env) {
  const RgnnLoop loop{count, body, env};
  parallelForAll(1, &loop);
}

void rgnn::parallelForAll(int64_t numLoops, const RgnnLoop *loops) {
  const int32_t threads = insideLoop ? 1 : numThreads();
  int64_t total = 0;
  for (int64_t i = 0; i < numLoops; ++i)
    total += std::max<int64_t>(loops[i].count, 0);
  if (threads == 1 || total <= 1) {
    for (int64_t i = 0; i < numLoops; ++i)
      if (loops[i].count > 0)
        loops[i].body(0, loops[i].count, loops[i].env);
    return;
  }

  Work work{loops, numLoops, threads, std::vector<Part>(numLoops * threads)};
  for (int64_t l = 0; l < numLoops; ++l) {
    const int64_t count = std::max<int64_t>(loops[l].count, 0);
    for (int32_t thread = 0; thread < threads; ++thread) {
      Part &part = work.parts[l * threads + thread];
      part.next = count * thread / threads;
      part.end = count * (thread + 1) / threads;
    }
  }
  runShared(work);
}
