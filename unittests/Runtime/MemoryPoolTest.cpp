//===- MemoryPoolTest.cpp - Blocks of memory that are used again ----------===//

#include "Support/MemoryPool.h"
#include <cstring>
#include <gtest/gtest.h>

using namespace rgnn;

namespace {
struct MemoryPoolTest : testing::Test {
  const std::shared_ptr<MemoryPool> pool = std::make_shared<MemoryPool>();
};
} // namespace

TEST_F(MemoryPoolTest, UsesBlocksAgain) {
  MemoryPool::Block block = pool->take(1000);
  const void *data = block->data();
  EXPECT_GE(pool->bytes(), 1000u);
  block.reset();
  EXPECT_EQ(pool->take(500)->data(), data);
  EXPECT_EQ(pool->take(1000)->data(), data);
}

TEST_F(MemoryPoolTest, TakesTheSmallestThatFits) {
  MemoryPool::Block small = pool->take(1000), large = pool->take(100000);
  const void *ofSmall = small->data(), *ofLarge = large->data();
  small.reset();
  large.reset();
  EXPECT_EQ(pool->take(900)->data(), ofSmall);
  EXPECT_EQ(pool->take(5000)->data(), ofLarge);
}

TEST_F(MemoryPoolTest, GrowsTheLargest) {
  pool->take(1000).reset();
  EXPECT_GE(pool->take(100000)->bytes(), 100000u);
  EXPECT_LT(pool->bytes(), 101000u + 64); // no other beside it
}

TEST_F(MemoryPoolTest, BlocksInUseAreApart) {
  MemoryPool::Block first = pool->take(1000), second = pool->take(1000);
  EXPECT_NE(first->data(), second->data());
  std::memset(first->data(), 1, 1000);
  std::memset(second->data(), 2, 1000);
  EXPECT_EQ(*static_cast<char *>(first->data()), 1);
}

TEST_F(MemoryPoolTest, ReleasesWhatIsInUseWhenItComesBack) {
  MemoryPool::Block block = pool->take(1000);
  pool->take(1000).reset();
  pool->release();
  EXPECT_GE(pool->bytes(), 1000u);
  EXPECT_LT(pool->bytes(), 2000u);
  block.reset();
  EXPECT_EQ(pool->bytes(), 0u);
}

TEST_F(MemoryPoolTest, NothingIsAPlace) {
  EXPECT_EQ(pool->take(0)->data(), nullptr);
}

namespace {
struct ResultsPoolTest : testing::Test {
  const std::shared_ptr<MemoryPool> pool =
      std::make_shared<MemoryPool>(MemoryPool::Fit::Close);
};
} // namespace

TEST_F(ResultsPoolTest, UsesBlocksOfAboutTheSizeAgain) {
  MemoryPool::Block block = pool->take(100000);
  const void *data = block->data();
  block.reset();
  EXPECT_EQ(pool->take(95000)->data(), data);
  MemoryPool::Block small = pool->take(1000);
  EXPECT_NE(small->data(), data);
  EXPECT_LT(small->bytes(), 2000u);
}

TEST_F(ResultsPoolTest, UsesHugePagesAgain) {
  MemoryPool::Block block = pool->take((uint64_t(2) << 20) + 100);
  const void *data = block->data();
  block.reset();
  EXPECT_EQ(pool->take((uint64_t(2) << 20) + 100)->data(), data);
}

TEST_F(ResultsPoolTest, KeepsNoMoreThanWasInUse) {
  pool->take(100000).reset();
  MemoryPool::Block block = pool->take(50000);
  EXPECT_LT(pool->bytes(), 51000u);
  block.reset();
  MemoryPool::Block first = pool->take(100000), second = pool->take(50000);
  first.reset();
  second.reset();
  EXPECT_GE(pool->bytes(), 150000u);
  EXPECT_GE(pool->take(50000)->bytes(), 50000u);
  EXPECT_GE(pool->bytes(), 150000u);
}

TEST_F(ResultsPoolTest, ForgetsPeaks) {
  MemoryPool::Block first = pool->take(100000), second = pool->take(100000);
  first.reset();
  second.reset();
  for (int i = 0; i < 1000; ++i)
    pool->take(1000).reset();
  EXPECT_LT(pool->bytes(), 10000u);
}
