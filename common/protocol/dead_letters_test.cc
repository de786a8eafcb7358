#include "common/protocol/dead_letters.h"

#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "common/base/status.h"
#include "common/bus/memory/memory_bus.h"
#include "common/bus/topics.h"
#include "tests/support/expect_ok.h"

namespace orbweaver {
namespace {

constexpr Duration kLong = std::chrono::minutes(1);
constexpr PartitionId kOnly(0);

class DeadLettersTest : public ::testing::Test {
 protected:
  DeadLettersTest() {
    const TopicSpec spec{.name = std::string(kDeadLetterTopic), .partitions = 1};
    EXPECT_OK(bus_.EnsureTopics({&spec, 1}, kLong));
  }

  // The last letter.
  const Message& Read() {
    auto consumer = *bus_.NewConsumer({.group = "reader"});
    const AssignedPartition from{.partition = kOnly};
    EXPECT_OK(consumer->Assign(kDeadLetterTopic, {&from, 1}));
    EXPECT_OK(consumer->Poll({.max_bytes = 64 << 20}, kLong, &batch_));
    EXPECT_FALSE(batch_.empty());
    headers_.clear();
    for (const Header& header : batch_.messages().back().headers) {
      headers_.emplace(header.name, header.value);
    }
    return batch_.messages().back();
  }

  ManualClock clock_;
  MemoryBroker broker_{&clock_};
  MemoryBus bus_{&broker_, {}};
  MessageBatch batch_;
  std::map<std::string, std::string> headers_;
};

TEST_F(DeadLettersTest, KeepsTheMessageItsOriginAndTheCause) {
  const Header schema{"schema", "other.v7"};
  const Message message{.partition = PartitionId(3),
                        .offset = Offset(42),
                        .key = "a.test",
                        .value = std::string_view("\0\xff", 2),
                        .headers = {&schema, 1}};
  DeadLetters letters(bus_);
  ASSERT_OK(letters.Bury("spider-log", message, "schema 'other.v7'", kLong));
  ASSERT_OK(letters.Settle(kLong));
  const Message& buried = Read();
  EXPECT_EQ(buried.key, "a.test");
  EXPECT_EQ(buried.value, std::string_view("\0\xff", 2));
  EXPECT_EQ(headers_, (std::map<std::string, std::string>{{"topic", "spider-log"},
                                                          {"partition", "3"},
                                                          {"offset", "42"},
                                                          {"cause", "schema 'other.v7'"},
                                                          {"schema", "other.v7"}}));
  EXPECT_EQ(letters.buried(), 1u);
}

TEST_F(DeadLettersTest, TakesWhatNoRecordOfOursCouldHold) {
  const std::string value(kMaxRecordBytes + 5, 'v');
  const std::string key(100'000, 'k');
  const std::string note(200'000, 'n');
  const Header headers[] = {{"good", "1"},
                            {"b\xc3\xa4"
                             "d",
                             "2"},
                            {"long", note}};
  DeadLetters letters(bus_);
  ASSERT_OK(letters.Bury("spider-log", {.key = key, .value = value, .headers = headers},
                         std::string(100'000, 'c'), kLong));
  ASSERT_OK(letters.Settle(kLong));
  const Message& buried = Read();
  EXPECT_GT(buried.value.size(), kMaxRecordBytes - 100'000);
  EXPECT_EQ(headers_["cut-from"], std::to_string(value.size()));
  EXPECT_EQ(headers_["good"], "1");
  EXPECT_FALSE(headers_.contains("long"));
}

TEST_F(DeadLettersTest, SettleCostsNoProducerWhenNothingWasBuried) {
  broker_.SetAvailable(false);
  DeadLetters letters(bus_);
  EXPECT_OK(letters.Settle(Duration::zero()));
}

TEST_F(DeadLettersTest, SettleDoesNotSayDurableWhileTheBrokerIsAway) {
  DeadLetters letters(bus_);
  broker_.SetAvailable(false);
  ASSERT_OK(letters.Bury("spider-log", {.value = "v"}, "cause", kLong));
  EXPECT_TRUE(IsRetry(letters.Settle(std::chrono::seconds(1))));
  broker_.SetAvailable(true);
  EXPECT_OK(letters.Settle(kLong));
}

TEST_F(DeadLettersTest, FullBudgetWaitsForAcksInsteadOfFailing) {
  MemoryBus slow(&broker_, {.faults = {.max_ack_delay = std::chrono::seconds(1)}});
  DeadLetters letters(slow);
  const std::string value(kMaxRecordBytes / 2, 'v');
  const size_t past_the_budget = 3 * ProducerOptions().max_bytes / value.size();
  for (size_t i = 0; i < past_the_budget; ++i) {
    ASSERT_OK(letters.Bury("spider-log", {.value = value}, "cause", kLong)) << i;
  }
  EXPECT_OK(letters.Settle(kLong));
  EXPECT_EQ(letters.buried(), past_the_budget);
}

TEST_F(DeadLettersTest, LostLetterIsAnErrorForEver) {
  MemoryBus lossy(&broker_, {.faults = {.lost_record = 1}});
  DeadLetters letters(lossy);
  ASSERT_OK(letters.Bury("spider-log", {.value = "v"}, "cause", kLong));
  EXPECT_FALSE(letters.Settle(kLong).ok());
  EXPECT_FALSE(letters.Settle(kLong).ok());
}

}  // namespace
}  // namespace orbweaver
