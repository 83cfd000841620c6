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

using namespace rgnn;

namespace {
struct TorchThreads {
  int32_t (*parallelFor)(int64_t begin, int64_t end, int64_t grain,
                         RangeBody body, void *env);
  int32_t (*numThreads)(uint32_t *count);
};

/// One parallel loop, on the stack of the thread that runs it.
struct Loop {
  int64_t count;
  int64_t chunk;
  RangeBody body;
  void *env;
  std::atomic<int64_t> next{0};
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

static void takeRanges(Loop &loop) {
  const bool outer = insideLoop;
  insideLoop = true;
  while (true) {
    const int64_t begin = loop.next.fetch_add(loop.chunk);
    if (begin >= loop.count)
      break;
    loop.body(begin, std::min(begin + loop.chunk, loop.count), loop.env);
  }
  insideLoop = outer;
}

void rgnn::parallelFor(int64_t count, RangeBody body, void *env) {
  if (count <= 0)
    return;
  const int32_t threads = insideLoop ? 1 : numThreads();
  if (threads == 1 || count == 1)
    return body(0, count, env);

  // Small enough that the last range of a skewed loop is short, large enough
  // that the counter costs nothing.
  constexpr int64_t rangesPerThread = 32;
  Loop loop;
  loop.count = count;
  loop.chunk = std::max<int64_t>(1, count / (threads * rangesPerThread));
  loop.body = body;
  loop.env = env;
  if (const auto *torch = torchThreads.load(std::memory_order_acquire)) {
    // PyTorch splits statically: one index a thread, and the threads share.
    torch->parallelFor(
        0, threads, 1,
        [](int64_t, int64_t, void *env) {
          takeRanges(*static_cast<Loop *>(env));
        },
        &loop);
    // Ranges are left only if PyTorch ran none.
    return takeRanges(loop);
  }
  ThreadPool::get().run(
      [](void *env) { takeRanges(*static_cast<Loop *>(env)); }, &loop);
}
