#include "strategy_worker/host/strategy_call.h"

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "strategy_worker/host/testdata/one_link.h"

namespace orbweaver {
namespace {

std::string Words(const CallArguments& call) {
  FixedText text;
  Describe(call, &text);
  return std::string(text.view());
}

TEST(StrategyCallTest, ACallIsToldByItsHandlerAndWhatItWasGiven) {
  OneLink links;
  CallArguments call{.function = "OnX", .event = &links.event, .links = &links.link};
  call.link_count = 1;
  EXPECT_EQ(Words(call), "OnX for 1 link to example.com from https://example.org/page");
  links.event.kind = ORBWEAVER_PAGE;
  EXPECT_EQ(Words(call), "OnX for https://example.com/a");
  links.event.kind = ORBWEAVER_SEEDS;
  orbweaver_link both[] = {links.link, links.link};
  call.links = both;
  call.link_count = 2;
  EXPECT_EQ(Words(call), "OnX for https://example.com/a and 1 more");
  links.event.kind = ORBWEAVER_HOST;
  orbweaver_host host{};
  host.host_view = {"www.example.com", 15};
  links.event.host_view = &host;
  call.link_count = 0;
  EXPECT_EQ(Words(call), "OnX for www.example.com");
  EXPECT_EQ(Words({.function = "Finished"}), "Finished");
}

TEST(StrategyCallTest, ControlBytesAndLongTextsDoNoHarm) {
  FixedText text;
  text.Add("a\x1b[2J\n");
  EXPECT_EQ(text.view(), "a?[2J?");
  for (int i = 0; i < 100; ++i) text.Add(std::string(100, 'x'));
  EXPECT_EQ(text.view().size(), 2048u);
}

TEST(StrategyCallTest, ACallIsUnderWayFromItsBeginToItsEnd) {
  StrategyCall call("x");
  EXPECT_FALSE(call.Number().has_value());
  {
    const CallScope scope(call, {.function = "Finished"});
    ASSERT_TRUE(call.Number().has_value());
    EXPECT_STREQ(call.arguments().function, "Finished");
    EXPECT_TRUE(pthread_equal(call.thread(), pthread_self()));
  }
  EXPECT_FALSE(call.Number().has_value());
}

TEST(StrategyCallTest, OnlyTheCallThatWasMeantIsHeld) {
  StrategyCall call("x");
  call.Begin({});
  const uint64_t first = *call.Number();
  call.End();
  call.Begin({});
  EXPECT_FALSE(call.Hold(first));
  EXPECT_TRUE(call.Hold(first + 1));
  EXPECT_FALSE(call.Hold(first + 1)) << "it is held";
  call.Release(first + 1);
  call.End();
  EXPECT_FALSE(call.Hold(first + 1));
}

TEST(StrategyCallTest, ThoseThatExistAreFound) {
  const auto names = [] {
    std::string all;
    StrategyCall::ForEach([&](StrategyCall& call) { all += call.strategy(); });
    return all;
  };
  {
    StrategyCall a("a");
    StrategyCall b("b");
    EXPECT_EQ(names(), "ab");
  }
  EXPECT_EQ(names(), "");
  std::vector<std::unique_ptr<StrategyCall>> many;
  for (int i = 0; i < 9; ++i) many.push_back(std::make_unique<StrategyCall>("m"));
  EXPECT_EQ(names(), "mmmmmmmm");
}

}  // namespace
}  // namespace orbweaver
