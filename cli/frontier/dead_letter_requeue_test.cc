#include "cli/frontier/dead_letter_requeue.h"

#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/clock.h"
#include "common/base/status.h"
#include "common/bus/memory/memory_bus.h"
#include "common/bus/topics.h"
#include "common/model/encode_buffer.h"
#include "common/model/spider_log.h"
#include "common/protocol/dead_letters.h"
#include "common/url/partition.h"
#include "tests/support/expect_ok.h"

namespace orbweaver {
namespace {

using testing::ElementsAre;

constexpr Duration kLong = std::chrono::minutes(1);
constexpr int kPartitions = 4;

bool All(const Message&) { return true; }

class DeadLetterRequeueTest : public testing::Test {
 protected:
  DeadLetterRequeueTest() {
    const TopicSpec topics[] = {{.name = std::string(kSpiderLogTopic), .partitions = kPartitions},
                                {.name = std::string(kDeadLetterTopic), .partitions = 1}};
    EXPECT_OK(bus_.EnsureTopics(topics, kLong));
  }

  // An event that names `domain` as its only seed, of the offset `origin`.
  void Bury(const std::string& domain, int64_t origin, std::string_view topic = kSpiderLogTopic) {
    const std::string url = "https://" + domain + "/";
    const Seed seed{.url = url};
    EncodeBuffer buffer;
    const auto value = Encode({.domain = domain, .event = Seeds{.seeds = {&seed, 1}}}, &buffer);
    ASSERT_OK(value);
    BuryBytes(domain, *value, origin, topic);
  }
  void BuryBytes(std::string_view key, std::string_view value, int64_t origin,
                 std::string_view topic = kSpiderLogTopic) {
    const Header header{"foreign", "kept"};
    ASSERT_OK(letters_.Bury(
        topic, {.offset = Offset(origin), .key = key, .value = value, .headers = {&header, 1}},
        "the strategy failed", kLong));
    ASSERT_OK(letters_.Settle(kLong));
  }

  RequeueCounts Requeue(LogRange range = {}) {
    range.topic = std::string(kDeadLetterTopic);
    const auto counts = RequeueDeadLetters(bus_, range, All, kLong);
    EXPECT_OK(counts);
    return counts.value_or(RequeueCounts());
  }

  // Keys of the spider log's messages, by partition and offset.
  std::vector<std::string> Log() {
    std::vector<std::string> keys;
    LogReader reader({.topic = std::string(kSpiderLogTopic)});
    EXPECT_OK(reader.Read(bus_, kLong, [&](const Message& message) {
      EXPECT_EQ(message.partition, PartitionOf(SlotOf(message.key), kPartitions));
      EXPECT_EQ(HeaderOf(message, "foreign"), "kept");
      EXPECT_EQ(message.headers.size(), 1u);
      keys.emplace_back(message.key);
      return true;
    }));
    return keys;
  }

  ManualClock clock_;
  MemoryBroker broker_{&clock_};
  MemoryBus bus_{&broker_, {}};
  DeadLetters letters_{bus_};
};

TEST_F(DeadLetterRequeueTest, EventsAreInTheLogAgainAsTheyWereAndInTheirOrder) {
  Bury("a.test", 7);
  Bury("a.test", 8);
  EXPECT_EQ(Requeue().put_back, 2u);
  EXPECT_THAT(Log(), ElementsAre("a.test", "a.test"));
}

TEST_F(DeadLetterRequeueTest, NoEventIsPutBackTwice) {
  for (int i = 0; i < 3; ++i) Bury("a.test", i);
  EXPECT_EQ(Requeue({.from = 1, .to = 2}).put_back, 1u);
  const RequeueCounts second = Requeue();
  EXPECT_EQ(second.put_back, 2u);
  EXPECT_EQ(second.before, 1u);
  Bury("a.test", 3);
  const RequeueCounts third = Requeue();
  EXPECT_EQ(third.put_back, 1u);
  EXPECT_EQ(third.before, 3u);
  EXPECT_EQ(Log().size(), 4u);
}

TEST_F(DeadLetterRequeueTest, OneThatFailsAgainIsAnotherLetter) {
  Bury("a.test", 1);
  EXPECT_EQ(Requeue().put_back, 1u);
  Bury("a.test", 2);
  EXPECT_EQ(Requeue().put_back, 1u);
}

TEST_F(DeadLetterRequeueTest, ALetterThatACrashHasDoubledIsOneEvent) {
  Bury("a.test", 1);
  Bury("a.test", 1);
  EXPECT_EQ(Requeue().put_back, 1u);
  EXPECT_EQ(Log().size(), 1u);
}

TEST_F(DeadLetterRequeueTest, LettersThatAreNoEventsStay) {
  BuryBytes("a.test", "nonsense \xff", 1);
  Bury("a.test", 2, "scoring-log");
  const RequeueCounts counts = Requeue();
  EXPECT_EQ(counts.put_back, 0u);
  EXPECT_EQ(counts.unreadable, 1u);
  EXPECT_EQ(counts.others, 1u);
  EXPECT_EQ(Requeue().unreadable, 1u);
}

TEST_F(DeadLetterRequeueTest, OnlyWhatIsWantedIsPutBackAndTheRestCanBeLater) {
  Bury("a.test", 1);
  Bury("b.test", 2);
  const LogRange all{.topic = std::string(kDeadLetterTopic)};
  const auto counts = RequeueDeadLetters(
      bus_, all, [](const Message& letter) { return letter.key == "b.test"; }, kLong);
  ASSERT_OK(counts);
  EXPECT_EQ(counts->put_back, 1u);
  EXPECT_THAT(Log(), ElementsAre("b.test"));
  EXPECT_EQ(Requeue().put_back, 1u);
}

TEST_F(DeadLetterRequeueTest, ManyAreNotedInStretches) {
  for (int i = 0; i < 2500; ++i) Bury("a.test", i);
  EXPECT_EQ(Requeue().put_back, 2500u);
  std::vector<std::string> notes;
  LogReader reader({.topic = std::string(kDeadLetterTopic), .from = 2500});
  ASSERT_OK(reader.Read(bus_, kLong, [&notes](const Message& message) {
    notes.emplace_back(HeaderOf(message, kDeadLetterPutBackHeader));
    return true;
  }));
  EXPECT_THAT(notes, ElementsAre("0-999", "1000-1999", "2000-2499"));
  EXPECT_EQ(Requeue().before, 2500u);
}

}  // namespace
}  // namespace orbweaver
