#include "common/base/byte_queue.h"

#include <memory>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace orbweaver {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(ByteQueueTest, GivesItemsBackInTheirOrder) {
  ByteQueue<int> queue(100);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(queue.Push(int{i}, 1, seconds(0)));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(queue.Pop(seconds(0)), i);
  EXPECT_EQ(queue.bytes(), 0u);
}

TEST(ByteQueueTest, AFullQueueRefusesAndLeavesTheItemWithItsOwner) {
  ByteQueue<std::unique_ptr<int>> queue(10);
  ASSERT_TRUE(queue.Push(std::make_unique<int>(1), 8, seconds(0)));
  auto item = std::make_unique<int>(2);
  EXPECT_FALSE(queue.Push(std::move(item), 3, milliseconds(1)));
  // A refused item is not moved from.
  EXPECT_THAT(item, testing::Pointee(2));  // NOLINT(bugprone-use-after-move)
}

TEST(ByteQueueTest, AnItemLargerThanTheQueueStillPassesAlone) {
  ByteQueue<int> queue(10);
  ASSERT_TRUE(queue.Push(1, 1000, seconds(0)));
  EXPECT_FALSE(queue.Push(2, 1, seconds(0)));
  EXPECT_EQ(queue.Pop(seconds(0)), 1);
  EXPECT_TRUE(queue.Push(2, 1, seconds(0)));
}

TEST(ByteQueueTest, APopMakesRoomForAWaitingProducer) {
  ByteQueue<int> queue(1);
  ASSERT_TRUE(queue.Push(1, 1, seconds(0)));
  std::thread producer([&queue] { EXPECT_TRUE(queue.Push(2, 1, seconds(60))); });
  EXPECT_EQ(queue.Pop(seconds(60)), 1);
  EXPECT_EQ(queue.Pop(seconds(60)), 2);
  producer.join();
}

TEST(ByteQueueTest, CloseWakesAWaitingConsumerAndKeepsWhatIsIn) {
  ByteQueue<int> queue(10);
  ASSERT_TRUE(queue.Push(1, 1, seconds(0)));
  std::thread closer([&queue] { queue.Close(); });
  EXPECT_EQ(queue.Pop(seconds(60)), 1);
  EXPECT_EQ(queue.Pop(seconds(60)), std::nullopt);
  closer.join();
  EXPECT_FALSE(queue.Push(2, 1, seconds(60)));
}

}  // namespace
}  // namespace orbweaver
