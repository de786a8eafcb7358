// A named schedule in which a put of a replaced strategy worker reaches the store late.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/expect_ok.h"
#include "tests/support/late_store.h"
#include "tests/support/strategy_core_fixture.h"

namespace orbweaver {
namespace {

class StrategyLatePut : public StrategyCoreTest {
 protected:
  void AppendPage(const std::string& url) {
    const PageFetched page{.request = RequestOf(url), .status = 200};
    world_.Append({.domain = kDomain, .event = page});
  }
  // A worker that takes over and dies in its next put, which is late.
  void DieInNextPut(LateStore& store, size_t batch_events) {
    store.Hold();
    StrategyWorld::Worker worker;
    worker.store = &store;
    worker.options.batch_events = batch_events;
    core_.reset();
    world_.clock.Advance(kLong);
    core_ = world_.NewCore(strategy_, std::move(worker));
    for (int i = 0; i < 10 && !store.holds_something(); ++i) {
      (void)core_->Step(Duration::zero()).ok();
    }
    EXPECT_TRUE(store.holds_something());
    core_.reset();
    world_.clock.Advance(kLong);
  }

  LateStore first_{&world_.tables};
  LateStore second_{&world_.tables};
};

// Both put the domain, the second with fewer events. Its successor reads what the first put, passes
// over these events, which changed states only, and commits them.
TEST_F(StrategyLatePut, OfAnOwnerInBetweenTakesBackNoEventThatItsSuccessorPassedOver) {
  const std::vector<std::string> urls{"https://a.test/1", "https://a.test/2", "https://a.test/3"};
  AppendLinks(urls);
  ASSERT_OK(Run());
  strategy_.on_event = nullptr;
  AppendPage(urls[0]);
  ASSERT_OK(world_.RunUntilIdle(*core_));  // the row has no outbox any more
  AppendPage(urls[1]);
  AppendPage(urls[2]);
  DieInNextPut(first_, 2);
  DieInNextPut(second_, 1);
  first_.Land();
  ASSERT_OK(Run());
  EXPECT_EQ(Committed(), Offset(4));
  core_.reset();
  second_.Land();
  for (const std::string& url : urls) {
    EXPECT_EQ(world_.StateOf(kDomain, url)->status, LinkStatus::kCrawled) << url;
  }
  EXPECT_EQ(world_.RecordOf(kDomain)->fetched, 3u);
}

}  // namespace
}  // namespace orbweaver
