//===- ParallelForTest.cpp - Threads that kernels run on ------------------===//

#include "Threads/ParallelFor.h"
#include "Threads/ThreadPool.h"
#include <atomic>
#include <gtest/gtest.h>
#include <numeric>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace rgnn;

// Set before the pool is made, so that there are several threads on any
// machine.
static const int threadsWanted = setenv("RGNN_NUM_THREADS", "4", 1);

template <typename Body>
static void loop(int64_t count, Body body) {
  const RgnnContext *context = rgnn_context();
  context->parallel_for(
      context, count,
      [](int64_t begin, int64_t end, void *env) {
        (*static_cast<Body *>(env))(begin, end);
      },
      &body);
}

/// How often each index was visited.
static std::vector<int> visits(int64_t count) {
  std::vector<int> seen(count);
  loop(count, [&](int64_t begin, int64_t end) {
    ASSERT_LT(begin, end);
    for (int64_t i = begin; i < end; ++i)
      ++seen[i];
  });
  return seen;
}

TEST(ParallelForTest, CoversEachIndexOnce) {
  for (int64_t count : {0, 1, 2, 3, 127, 128, 129, 10000})
    EXPECT_EQ(visits(count), std::vector<int>(count, 1)) << count;
}

TEST(ParallelForTest, NegativeCountIsEmpty) {
  loop(-1, [](int64_t, int64_t) { FAIL(); });
}

TEST(ParallelForTest, NumThreads) {
  EXPECT_EQ(threadsWanted, 0);
  EXPECT_STREQ(rgnn_thread_source(), "pool");
  EXPECT_EQ(rgnn_context()->num_threads(rgnn_context()), 4);
}

TEST(ParallelForTest, NestedRunsInline) {
  std::atomic<int64_t> sum{0}, ranges{0};
  loop(50, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const std::thread::id outer = std::this_thread::get_id();
      loop(100, [&](int64_t first, int64_t last) {
        EXPECT_EQ(std::this_thread::get_id(), outer);
        sum += last - first;
        ++ranges;
      });
    }
  });
  EXPECT_EQ(sum, 5000);
  EXPECT_EQ(ranges, 50);
}

TEST(ParallelForTest, ParallelAgainAfterNested) {
  loop(2, [](int64_t, int64_t) { loop(2, [](int64_t, int64_t) {}); });
  EXPECT_EQ(visits(1000), std::vector<int>(1000, 1));
}

TEST(ParallelForTest, FromManyThreads) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([] {
      for (int i = 0; i < 50; ++i)
        ASSERT_EQ(visits(300), std::vector<int>(300, 1));
    });
  for (std::thread &thread : threads)
    thread.join();
}

/// How often each index of each loop was visited, of loops that run together.
static std::vector<std::vector<int>>
visitsOfAll(const std::vector<int64_t> &counts) {
  std::vector<std::vector<int>> seen;
  for (int64_t count : counts)
    seen.emplace_back(std::max<int64_t>(count, 0));
  std::vector<RgnnLoop> loops;
  for (size_t i = 0; i < counts.size(); ++i)
    loops.push_back({counts[i],
                     [](int64_t begin, int64_t end, void *env) {
                       ASSERT_LT(begin, end);
                       auto &seen = *static_cast<std::vector<int> *>(env);
                       for (int64_t index = begin; index < end; ++index)
                         ++seen[index];
                     },
                     &seen[i]});
  rgnn_context()->parallel_for_all(rgnn_context(), loops.size(), loops.data());
  return seen;
}

TEST(ParallelForTest, AllOfSeveralLoops) {
  for (const std::vector<int64_t> &counts :
       std::vector<std::vector<int64_t>>{{},
                                         {0, 0},
                                         {1},
                                         {1, 1},
                                         {0, 1, -3, 0},
                                         {10000, 1, 0, 77},
                                         {5, 10000, 10000}}) {
    std::vector<std::vector<int>> expected;
    for (int64_t count : counts)
      expected.emplace_back(std::max<int64_t>(count, 0), 1);
    EXPECT_EQ(visitsOfAll(counts), expected);
  }
}

TEST(ParallelForTest, SeveralLoopsNestedRunInline) {
  std::atomic<int64_t> sum{0};
  loop(20, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const auto seen = visitsOfAll({30, 40});
      sum += std::reduce(seen[0].begin(), seen[0].end()) +
             std::reduce(seen[1].begin(), seen[1].end());
    }
  });
  EXPECT_EQ(sum, 20 * 70);
}

TEST(ParallelForTest, WaitsForAllLoops) {
  for (int i = 0; i < 200; ++i)
    ASSERT_EQ(visitsOfAll({3, 2}),
              (std::vector<std::vector<int>>{{1, 1, 1}, {1, 1}}));
}

/// Who runs the beginnings of the four threads' parts of a loop, which all
/// threads run at once.
static std::vector<std::thread::id> ownersOfParts() {
  std::vector<std::thread::id> owners(4);
  std::atomic<int> arrived{0};
  loop(4000, [&](int64_t begin, int64_t) {
    if (begin % 1000)
      return;
    owners[begin / 1000] = std::this_thread::get_id();
    ++arrived;
    while (arrived < 4)
      std::this_thread::yield();
  });
  return owners;
}

TEST(ParallelForTest, AThreadsPartIsItsOwnInEachLoop) {
  const auto owners = ownersOfParts();
  EXPECT_EQ(owners[0], std::this_thread::get_id());
  for (int i = 0; i < 20; ++i)
    ASSERT_EQ(ownersOfParts(), owners);
}

TEST(ParallelForTest, InAForkedProcess) {
  visits(1000);
  const pid_t child = fork();
  if (child == 0)
    _exit(visits(1000) == std::vector<int>(1000, 1) ? 0 : 1);
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

TEST(ThreadPoolTest, WaitsForWhoJoined) {
  std::atomic<int> inside{0};
  for (int i = 0; i < 100; ++i) {
    ThreadPool::get().run(
        [](int32_t, void *env) {
          auto &inside = *static_cast<std::atomic<int> *>(env);
          ++inside;
          std::this_thread::yield();
          --inside;
        },
        &inside);
    EXPECT_EQ(inside, 0);
  }
}
