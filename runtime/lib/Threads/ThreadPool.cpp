//===- ThreadPool.cpp - Threads where PyTorch is not loaded ---------------===//

#include "Threads/ThreadPool.h"
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <pthread.h>
#include <system_error>

using namespace rgnn;

static int32_t wantedThreads() {
  if (const char *text = std::getenv("RGNN_NUM_THREADS"))
    if (const long wanted = std::strtol(text, nullptr, 10); wanted > 0)
      return static_cast<int32_t>(std::min(wanted, 1024L));
  return std::max(1u, std::thread::hardware_concurrency());
}

static std::atomic<ThreadPool *> current{nullptr};

ThreadPool &ThreadPool::get() {
  static const bool made = [] {
    current = new ThreadPool(wantedThreads());
    // A forked process has neither the threads nor, perhaps, the lock free.
    pthread_atfork(nullptr, nullptr,
                   [] { current = new ThreadPool(current.load()->size()); });
    return true;
  }();
  (void)made;
  return *current.load(std::memory_order_acquire);
}

/// Fewer threads than wanted are no error: the callers do the work.
void ThreadPool::start() {
  started = true;
  try {
    for (int32_t i = 1; i < numThreads; ++i)
      std::thread([this, i] { serve(i); }).detach();
  } catch (const std::system_error &) {
  }
}

void ThreadPool::serve(int32_t thread) {
  std::unique_lock<std::mutex> lock(mutex);
  while (true) {
    posted.wait(lock, [&] { return !jobs.empty(); });
    Job *job = jobs.back();
    ++job->active;
    if (--job->wanted == 0)
      jobs.pop_back();
    lock.unlock();
    job->work(thread, job->env);
    lock.lock();
    if (--job->active == 0)
      left.notify_all();
  }
}

void ThreadPool::run(void (*work)(int32_t thread, void *env), void *env) {
  Job job{work, env, numThreads - 1};
  if (job.wanted > 0) {
    std::lock_guard<std::mutex> lock(mutex);
    if (!started)
      start();
    jobs.push_back(&job);
    posted.notify_all();
  }
  work(/*thread=*/0, env);
  std::unique_lock<std::mutex> lock(mutex);
  // Whoever has not come by now finds nothing left to do.
  jobs.erase(std::remove(jobs.begin(), jobs.end(), &job), jobs.end());
  left.wait(lock, [&] { return job.active == 0; });
}
