//===- ThreadPool.h - Threads where PyTorch is not loaded -------*- C++ -*-===//

#ifndef RGNN_RUNTIME_THREADS_THREADPOOL_H
#define RGNN_RUNTIME_THREADS_THREADPOOL_H

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace rgnn {

class ThreadPool {
public:
  /// The one of this process, never destroyed: its threads end with it. A
  /// forked process makes its own.
  static ThreadPool &get();

  int32_t size() const { return numThreads; }

  /// Runs work(thread, env) on the calling thread, which is 0, and on each that
  /// is free, and returns when all have left it. `work` shares its load out
  /// itself: the caller's own call alone must be enough, so that a pool whose
  /// threads are busy only makes it slower.
  void run(void (*work)(int32_t thread, void *env), void *env);

private:
  struct Job {
    void (*work)(int32_t thread, void *env);
    void *env;
    int32_t wanted;
    int32_t active = 0;
  };

  explicit ThreadPool(int32_t numThreads) : numThreads(numThreads) {}
  void start();
  void serve(int32_t thread);

  const int32_t numThreads;
  bool started = false;
  std::mutex mutex;
  std::condition_variable posted, left;
  std::vector<Job *> jobs;
};

} // namespace rgnn

#endif // RGNN_RUNTIME_THREADS_THREADPOOL_H
