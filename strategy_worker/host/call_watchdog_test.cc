#include "strategy_worker/host/call_watchdog.h"

#include <chrono>
#include <future>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strategy_worker/host/testdata/one_link.h"

namespace orbweaver {
namespace {

using std::chrono::seconds;

TEST(CallAgesTest, ACallThatLastsIsToldWithItsEvent) {
  OneLink links;
  StrategyCall call("slow");
  call.Begin({.function = "OnLinks", .event = &links.event, .links = &links.link, .link_count = 1});
  CallAges ages;
  EXPECT_FALSE(ages.FindOverdue(seconds(100), seconds(30)).has_value()) << "it may have just begun";
  EXPECT_FALSE(ages.FindOverdue(seconds(29), seconds(30)).has_value());
  EXPECT_EQ(ages.FindOverdue(seconds(1), seconds(30)),
            "strategy 'slow' has been in OnLinks for 1 link to example.com from "
            "https://example.org/page for longer than strategy.time_limit (30s)");
  call.End();
  EXPECT_FALSE(ages.FindOverdue(seconds(100), seconds(30)).has_value());
}

TEST(CallAgesTest, ManyShortCallsAreNotALongOne) {
  StrategyCall call("busy");
  CallAges ages;
  for (int i = 0; i < 5; ++i) {
    const CallScope scope(call, {.function = "Finished"});
    EXPECT_FALSE(ages.FindOverdue(seconds(29), seconds(30)).has_value());
  }
}

TEST(CallWatchdogTest, ItTellsFromItsThread) {
  StrategyCall call("slow");
  const CallScope scope(call, {.function = "Finished"});
  std::promise<std::string> told;
  CallWatchdog watchdog(std::chrono::milliseconds(8),
                        [&told](std::string text) { told.set_value(std::move(text)); });
  EXPECT_THAT(told.get_future().get(), testing::HasSubstr("strategy 'slow' has been in Finished"));
}

TEST(CallWatchdogTest, WithoutALimitAndWithoutALongCallItIsSilent) {
  const auto tell = [](const std::string& text) { ADD_FAILURE() << text; };
  CallWatchdog no_limit(Duration::zero(), tell);
  StrategyCall call("slow");
  const CallScope scope(call, {.function = "Finished"});
  CallWatchdog long_limit(std::chrono::hours(1), tell);
}

}  // namespace
}  // namespace orbweaver
