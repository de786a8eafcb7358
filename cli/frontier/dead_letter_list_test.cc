#include "cli/frontier/dead_letter_list.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/status.h"
#include "common/bus/memory/memory_bus.h"
#include "common/bus/topics.h"
#include "common/model/encode_buffer.h"
#include "common/model/spider_log.h"
#include "common/protocol/dead_letters.h"
#include "tests/support/expect_ok.h"

namespace orbweaver {
namespace {

using testing::ElementsAre;

constexpr Duration kLong = std::chrono::minutes(1);

class DeadLetterListTest : public testing::Test {
 protected:
  DeadLetterListTest() {
    const TopicSpec topic{.name = std::string(kDeadLetterTopic), .partitions = 1};
    EXPECT_OK(bus_.EnsureTopics({&topic, 1}, kLong));
  }
  void Bury(std::string_view key, std::string_view value = "damaged",
            std::string_view topic = kSpiderLogTopic) {
    ASSERT_OK(letters_.Bury(
        topic, {.partition = PartitionId(3), .offset = Offset(42), .key = key, .value = value},
        "does not decode", kLong));
    ASSERT_OK(letters_.Settle(kLong));
  }
  void Append(std::string_view value, std::vector<Header> headers) {
    const auto producer = *bus_.NewProducer({}, [](const Ack&) {});
    ASSERT_OK(producer->Send({kDeadLetterTopic, PartitionId(0), "k", value, headers}, 0));
    ASSERT_OK(producer->Flush(kLong));
  }
  LetterPage List(size_t limit, std::optional<Offset> before = std::nullopt) {
    auto page = ListDeadLetters(bus_, before, limit, kLong);
    EXPECT_OK(page);
    return page.value_or(LetterPage());
  }
  static std::vector<std::string> KeysOf(const LetterPage& page) {
    std::vector<std::string> keys;
    for (const ListedLetter& letter : page.letters) keys.push_back(letter.key);
    return keys;
  }

  ManualClock clock_;
  MemoryBroker broker_{&clock_};
  MemoryBus bus_{&broker_, {}};
  DeadLetters letters_{bus_};
};

TEST_F(DeadLetterListTest, PagesLeaveOutNoLetterAndRepeatNone) {
  for (const char* const key : {"a", "b", "c", "d", "e"}) Bury(key);
  const LetterPage first = List(2);
  EXPECT_THAT(KeysOf(first), ElementsAre("e", "d"));
  ASSERT_TRUE(first.next.has_value());
  Bury("f");  // a newer one moves nothing
  const LetterPage second = List(2, first.next);
  EXPECT_THAT(KeysOf(second), ElementsAre("c", "b"));
  const LetterPage third = List(2, second.next);
  EXPECT_THAT(KeysOf(third), ElementsAre("a"));
  EXPECT_FALSE(third.next.has_value());
  EXPECT_THAT(KeysOf(List(100, Offset(7'000))), ElementsAre("f", "e", "d", "c", "b", "a"));
}

TEST_F(DeadLetterListTest, ALetterSaysWhatItIsAndWhyItIsThere) {
  EncodeBuffer buffer;
  const auto value =
      Encode({.domain = "a.test",
              .event = FetchFailed{.request = {.url = "http://a.test/x", .domain = "a.test"}}},
             &buffer);
  ASSERT_OK(value);
  Bury("a.test", *value);
  Bury("b.test", "\xff\xfe");
  const LetterPage page = List(10);
  ASSERT_EQ(page.letters.size(), 2u);
  const ListedLetter& damaged = page.letters[0];
  EXPECT_EQ(damaged.partition, PartitionId(0));
  EXPECT_EQ(damaged.offset, Offset(1));
  EXPECT_EQ(damaged.topic, "spider-log");
  EXPECT_EQ(damaged.cause, "does not decode");
  EXPECT_EQ(damaged.says, "unreadable message of 2 bytes, spider-log/3@42");
  EXPECT_EQ(page.letters[1].says, "fetch_failed of http://a.test/x, spider-log/3@42");
  EXPECT_EQ(page.letters[1].time, clock_.Wall());
}

TEST_F(DeadLetterListTest, LettersOfStrangersAreCutAndNotesArePassedOver) {
  const std::string long_cause(5000, 'x');
  Append("v", {{kDeadLetterTopicHeader, "topic\x01"}, {kDeadLetterCauseHeader, long_cause}});
  Append("", {{kDeadLetterTopicHeader, kDeadLetterTopic}, {kDeadLetterPutBackHeader, "0"}});
  Append("", {});
  const LetterPage page = List(10);
  ASSERT_EQ(page.letters.size(), 2u);
  EXPECT_EQ(page.letters[0].says, "unreadable message of 0 bytes, /@");
  EXPECT_EQ(page.letters[1].topic, "topic\x01");
  EXPECT_EQ(page.letters[1].cause.size(), 1024 + std::string("…").size());
}

TEST_F(DeadLetterListTest, NothingIsLookedForBelowTheFirstOrAtOnceTooMuch) {
  EXPECT_THAT(KeysOf(List(10)), ElementsAre());
  Bury("a");
  EXPECT_THAT(KeysOf(List(10, Offset(0))), ElementsAre());
  EXPECT_FALSE(List(10, Offset(0)).next.has_value());
  EXPECT_THAT(KeysOf(List(10, Offset(-5))), ElementsAre());
  EXPECT_EQ(List(0).next, Offset(1));
}

}  // namespace
}  // namespace orbweaver
