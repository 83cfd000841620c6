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

/// A parallel loop whose ranges threads share.
struct Shared {
  RgnnLoop loop;
  int64_t chunk;
  std::atomic<int64_t> next{0};
};

/// Loops, in the memory of the thread that runs them.
struct Work {
  Shared *loops;
  int64_t numLoops;
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

static void takeRanges(const Work &work) {
  const bool outer = insideLoop;
  insideLoop = true;
  for (Shared *shared = work.loops; shared != work.loops + work.numLoops;
       ++shared) {
    const RgnnLoop &loop = shared->loop;
    while (true) {
      const int64_t begin = shared->next.fetch_add(shared->chunk);
      if (begin >= loop.count)
        break;
      loop.body(begin, std::min(begin + shared->chunk, loop.count), loop.env);
    }
  }
  insideLoop = outer;
}

static void runShared(Work work, int32_t threads) {
  if (const auto *torch = torchThreads.load(std::memory_order_acquire)) {
    // PyTorch splits statically: one index a thread, and the threads share.
    torch->parallelFor(
        0, threads, 1,
        [](int64_t, int64_t, void *env) {
          takeRanges(*static_cast<Work *>(env));
        },
        &work);
    // Ranges are left only if PyTorch ran none.
    return takeRanges(work);
  }
  ThreadPool::get().run(
      [](void *env) { takeRanges(*static_cast<Work *>(env)); }, &work);
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

  // Small enough that the last range of a skewed loop is short, large enough
  // that the counter costs nothing.
  constexpr int64_t rangesPerThread = 32;
  const auto share = [&](Shared &shared, const RgnnLoop &loop) {
    shared.loop = loop;
    shared.chunk =
        std::max<int64_t>(1, loop.count / (threads * rangesPerThread));
  };
  if (numLoops == 1) { // the common case allocates nothing
    Shared one;
    share(one, *loops);
    return runShared({&one, 1}, threads);
  }
  std::vector<Shared> several(numLoops);
  for (int64_t i = 0; i < numLoops; ++i)
    share(several[i], loops[i]);
  runShared({several.data(), numLoops}, threads);
}
