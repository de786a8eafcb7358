#include "cli/frontier/stats_follower.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/status.h"
#include "common/bus/memory/memory_bus.h"
#include "common/bus/topics.h"
#include "common/model/encode_buffer.h"
#include "tests/support/expect_ok.h"

namespace orbweaver {
namespace {

constexpr Duration kShort = std::chrono::milliseconds(1);
constexpr Duration kLong = std::chrono::minutes(1);

class StatsFollowerTest : public testing::Test {
 protected:
  StatsFollowerTest() {
    const TopicSpec topic{.name = std::string(kStatsTopic), .partitions = 1};
    EXPECT_OK(bus_.EnsureTopics({&topic, 1}, kLong));
  }
  void Append(std::string_view value) {
    const auto producer = *bus_.NewProducer({}, [](const Ack&) {});
    ASSERT_OK(producer->Send({kStatsTopic, PartitionId(0), "k", value, {}}, 0));
    ASSERT_OK(producer->Flush(kLong));
  }
  void Report(std::string_view id, uint64_t pages) {
    const CounterValue counter{"orbweaver_spider_pages_total", pages};
    const GaugeValue gauge{"process_resident_memory_bytes", 5000};
    EncodeBuffer buffer;
    const auto value = Encode(WorkerStats{.worker_id = id,
                                          .role = "spider",
                                          .version = "1.2",
                                          .started_at = WallTime(std::chrono::seconds(1)),
                                          .reported_at = clock_.Wall(),
                                          .counters = {&counter, 1},
                                          .gauges = {&gauge, 1},
                                          .admin_address = "host:1"},
                              &buffer);
    ASSERT_OK(value);
    Append(*value);
  }
  absl::Status Follow() { return follower_.Follow(clock_.Wall(), kShort, &book_); }

  ManualClock clock_;
  MemoryBroker broker_{&clock_};
  MemoryBus bus_{&broker_, {}};
  StatsFollower follower_{bus_};
  WorkerBook book_;
};

TEST_F(StatsFollowerTest, ReportsAreNotedOnceAndGarbageNever) {
  Report("forgotten", 1);
  clock_.Advance(std::chrono::minutes(5));
  Append("garbage");
  Append("");
  Report("a", 100);
  ASSERT_OK(Follow());
  clock_.Advance(std::chrono::seconds(10));
  Report("a", 130);
  Append(std::string(5000, '\x12'));
  ASSERT_OK(Follow());
  ASSERT_OK(Follow());
  const auto live = book_.Live(clock_.Wall());
  ASSERT_EQ(live.size(), 1u);
  EXPECT_EQ(live[0]->id, "a");
  EXPECT_EQ(live[0]->version, "1.2");
  EXPECT_EQ(live[0]->admin_address, "host:1");
  EXPECT_EQ(live[0]->vitals[Vital::kMemoryBytes], 5000);
  EXPECT_EQ(book_.Rate(*live[0], Vital::kPages, std::chrono::minutes(1)), 3);
  EXPECT_EQ(book_.Gone(clock_.Wall()).size(), 0u) << "older reports are not read";
}

TEST_F(StatsFollowerTest, ATopicThatIsNotThereYetIsAskedForAgain) {
  MemoryBroker empty(&clock_);
  MemoryBus bus(&empty, {});
  StatsFollower follower(bus);
  EXPECT_FALSE(follower.Follow(clock_.Wall(), kShort, &book_).ok());
  const TopicSpec topic{.name = std::string(kStatsTopic), .partitions = 1};
  ASSERT_OK(bus.EnsureTopics({&topic, 1}, kLong));
  EXPECT_OK(follower.Follow(clock_.Wall(), kShort, &book_));
}

}  // namespace
}  // namespace orbweaver
