#include "cli/crawl/dead_letter_tally.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/clock.h"
#include "common/bus/memory/memory_bus.h"
#include "common/bus/topics.h"
#include "common/protocol/dead_letters.h"
#include "tests/support/expect_ok.h"

namespace orbweaver {
namespace {

TEST(DeadLetterTallyTest, LettersOfThisRunAreCountedAndTheFirstOnesQuoted) {
  ManualClock clock;
  MemoryBroker broker(&clock);
  MemoryBus bus(&broker, {});
  const TopicSpec topic{.name = std::string(kDeadLetterTopic), .partitions = 1};
  ASSERT_OK(bus.EnsureTopics({&topic, 1}, std::chrono::seconds(1)));
  DeadLetters letters(bus);
  const auto bury = [&](std::string_view cause) {
    EXPECT_OK(letters.Bury("spider-log", {.value = "v"}, cause, std::chrono::seconds(1)));
    EXPECT_OK(letters.Settle(std::chrono::seconds(1)));
  };
  bury("of an earlier run");
  const auto tally = DeadLetterTally::Create(bus, std::chrono::seconds(1));
  ASSERT_OK(tally);
  ASSERT_OK((*tally)->Follow());
  EXPECT_EQ((*tally)->count(), 0u);
  for (const char* cause : {"a", "b", "c", "d"}) bury(cause);
  ASSERT_OK((*tally)->Follow());
  ASSERT_OK((*tally)->Follow());
  EXPECT_EQ((*tally)->count(), 4u);
  EXPECT_THAT((*tally)->causes(), testing::ElementsAre("a", "b", "c"));
}

}  // namespace
}  // namespace orbweaver
