// Failures that are our own side's and not the host's: requests wait, and nothing fails by them.
#include "fmt/format.h"
#include <gtest/gtest.h>

#include "spider/crawl/spider_core.h"
#include "tests/support/expect_ok.h"
#include "tests/support/spider_world.h"

namespace orbweaver {
namespace {

using std::chrono::seconds;

SimulatedAnswer NoProxy() { return {.failure = FailureCause::kProxy, .suspect = OwnSide::kProxy}; }

class NoWayOutTest : public ::testing::Test {
 protected:
  void Feed(std::string_view url) {
    Request request;
    request.url = url;
    ASSERT_OK(world_.feed().Add(request));
    ASSERT_OK(world_.feed().Flush());
  }
  SimulatedSpider& Spider(SimulatedSpider::Options options = {}) {
    if (spider_ == nullptr) spider_ = std::make_unique<SimulatedSpider>(world_, options);
    return *spider_;
  }
  void RunToEnd() {
    Spider().StepUntil([this] { return world_.AllCommitted(); });
  }
  void RunFor(Duration duration) {
    const SteadyTime end = world_.clock.Now() + duration;
    Spider().StepUntil([this, end] { return world_.clock.Now() >= end; });
  }
  SpiderLogContents::Outcomes OutcomeOf(std::string_view url) {
    return world_.Log().by_url[std::string(url)];
  }

  SpiderWorld world_;
  std::unique_ptr<SimulatedSpider> spider_;
};

TEST_F(NoWayOutTest, RequestsWaitUntilTheProxyIsThereAndNoneFails) {
  bool is_up = false;
  world_.web = [&is_up](std::string_view) { return is_up ? SimulatedAnswer() : NoProxy(); };
  for (int i = 0; i < 20; ++i) Feed(fmt::format("http://site{}.test/", i));
  RunFor(seconds(20));
  const auto& closed = Spider().core().flow().no_way_out();
  ASSERT_TRUE(closed.has_value());
  EXPECT_EQ(closed->side, OwnSide::kProxy);
  EXPECT_EQ(closed->message, "simulated");
  EXPECT_TRUE(Spider().core().no_way_out().has_value());
  EXPECT_TRUE(world_.Log().by_url.empty());
  // All at once before it was known, and then a try after 1, 2, 4 and 8 seconds.
  EXPECT_LE(world_.asked.size(), 20u + 5);
  is_up = true;
  RunToEnd();
  EXPECT_FALSE(Spider().core().flow().no_way_out().has_value());
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(OutcomeOf(fmt::format("http://site{}.test/", i)).pages, 1);
    EXPECT_EQ(OutcomeOf(fmt::format("http://site{}.test/", i)).failures, 0);
  }
}

TEST_F(NoWayOutTest, AHostThatTheProxyCannotReachFailsByItselfWhileOthersAreAnswered) {
  world_.web = [](std::string_view url) {
    return url.starts_with("http://dead.test/") ? NoProxy() : SimulatedAnswer();
  };
  Feed("http://dead.test/");
  for (int i = 0; i < 15; ++i) Feed(fmt::format("http://a.test/{}", i));
  RunToEnd();
  EXPECT_EQ(OutcomeOf("http://dead.test/").cause, FailureCause::kProxy);
  EXPECT_EQ(OutcomeOf("http://a.test/14").pages, 1);
}

TEST_F(NoWayOutTest, TheLastHostThatIsLeftFailsByItselfWhenOthersWereAnsweredBefore) {
  world_.web = [](std::string_view url) {
    return url.starts_with("http://dead.test/") ? NoProxy() : SimulatedAnswer();
  };
  Feed("http://a.test/");
  RunToEnd();
  Feed("http://dead.test/");
  RunToEnd();
  EXPECT_EQ(OutcomeOf("http://dead.test/").cause, FailureCause::kProxy);
  RunFor(seconds(2));
  EXPECT_FALSE(Spider().core().no_way_out().has_value());
  Feed("http://b.test/");
  RunToEnd();
  EXPECT_EQ(OutcomeOf("http://b.test/").pages, 1);
}

TEST_F(NoWayOutTest, NamesAreAskedForAgainWhenAnAddressHasADelayOfItsOwn) {
  bool is_up = false;
  world_.no_names = [&is_up](std::string_view) -> std::optional<OwnSide> {
    return is_up ? std::nullopt : std::optional(OwnSide::kNameServers);
  };
  SimulatedSpider::Options options;
  options.politeness.address_delay = seconds(1);
  for (int i = 0; i < 5; ++i) Feed(fmt::format("http://site{}.test/", i));
  (void)Spider(options);
  RunFor(seconds(30));
  EXPECT_TRUE(world_.Log().by_url.empty());
  EXPECT_TRUE(world_.asked.empty());
  is_up = true;
  RunToEnd();
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(OutcomeOf(fmt::format("http://site{}.test/", i)).pages, 1);
  }
}

TEST_F(NoWayOutTest, AStopMeanwhileHandsAllOfThemBack) {
  world_.web = [](std::string_view) { return NoProxy(); };
  for (int i = 0; i < 5; ++i) Feed(fmt::format("http://site{}.test/", i));
  RunFor(seconds(10));
  Spider().Close();
  for (int i = 0; i < 5; ++i) {
    const std::string url = fmt::format("http://site{}.test/", i);
    EXPECT_EQ(OutcomeOf(url).handed_back, 1) << url;
    EXPECT_EQ(OutcomeOf(url).failures, 0) << url;
  }
}

}  // namespace
}  // namespace orbweaver
