// Requests that a strategy makes beside the links of an event.
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/status.h"
#include "common/bus/topics.h"
#include "strategy_worker/core/strategy_core.h"
#include "tests/support/expect_ok.h"
#include "tests/support/strategy_core_fixture.h"
#include "tests/support/strategy_world.h"

namespace orbweaver {
namespace {

using Call = ScriptedStrategy::Call;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class ExtraRequests : public StrategyCoreTest {
 protected:
  // Asks for `url` on each event, and decides nothing else.
  void Ask(const std::string& url, bool even_if_known) {
    url_ = url;
    request_ = {};
    request_.url = ToText(url_);
    request_.even_if_known = even_if_known;
    request_.depth = 7;
    request_.decision.action = ORBWEAVER_SCHEDULE;
    strategy_.on_event = [this](Call call) {
      call.output->requests_kept = &request_;
      call.output->request_count = 1;
      return absl::OkStatus();
    };
  }
  std::string url_;
  orbweaver_request request_;
};

TEST_F(ExtraRequests, AreScheduledOnceUnlessTheStrategySaysOtherwise) {
  Ask("HTTPS://a.test/x", /*even_if_known=*/false);
  for (int i = 0; i < 2; ++i) {
    world_.Append({.domain = kDomain, .event = HostFacts{.host = "a.test"}});
  }
  ASSERT_OK(Run());
  ASSERT_THAT(world_.ReadRequests(), SizeIs(1));
  EXPECT_EQ(world_.ReadRequests()[0].url, "https://a.test/x");
  EXPECT_EQ(world_.StateOf(kDomain, "https://a.test/x")->depth, 7u);
  Ask("https://a.test/x", /*even_if_known=*/true);
  world_.Append({.domain = kDomain, .event = HostFacts{.host = "a.test"}});
  ASSERT_OK(world_.RunUntilIdle(*core_));
  EXPECT_THAT(world_.ReadRequests(), SizeIs(2));
}

TEST_F(ExtraRequests, OfAnotherDomainAreCountedAndTheEventGoesOn) {
  Ask("https://b.test/x", /*even_if_known=*/true);
  world_.Append(
      {.domain = kDomain, .event = PageFetched{.request = RequestOf(kUrl), .status = 200}});
  ASSERT_OK(Run());
  EXPECT_THAT(world_.ReadRequests(), SizeIs(0));
  EXPECT_EQ(world_.RecordOf(kDomain)->fetched, 1u);
  EXPECT_THAT(world_.metrics.Text(), HasSubstr("orbweaver_strategy_breaches_total 1"));
}

TEST_F(ExtraRequests, AUrlOfADomainThatWasGivenUpMayBeScheduledAgain) {
  AppendLinks({kUrl, kUrl + "2"});
  ASSERT_OK(Run());
  ASSERT_THAT(world_.ReadRequests(), SizeIs(2));
  // Gives the domain up, but for one URL.
  Ask(kUrl + "2", /*even_if_known=*/false);
  const auto ask = strategy_.on_event;
  strategy_.on_event = [&ask](Call call) {
    call.output->give_up_domain = 1;
    return ask(call);
  };
  world_.Append({.domain = kDomain, .event = HostFacts{.host = "a.test"}});
  ASSERT_OK(world_.RunUntilIdle(*core_));
  const ReadSchedule given_up = world_.ReadScoringLog().back();
  EXPECT_TRUE(given_up.update->purge);
  ASSERT_THAT(given_up.requests, SizeIs(1)) << "it was out of the queue, and is asked for anew";
  EXPECT_EQ(given_up.requests[0].url, kUrl + "2");
  EXPECT_EQ(world_.StateOf(kDomain, kUrl)->status, LinkStatus::kNotCrawled);
  EXPECT_EQ(world_.StateOf(kDomain, kUrl + "2")->status, LinkStatus::kQueued);
}

TEST_F(ExtraRequests, BytesAreKeptAsTheStrategysOwnThoughTheCacheGaveTheirDomainUpMeanwhile) {
  Ask("https://b.test/x", /*even_if_known=*/true);
  const auto ask = strategy_.on_event;
  strategy_.on_event = [&ask](Call call) {
    if (ToView(call.event.domain_view->name_view) != kDomain) return ask(call);
    call.output->set_domain_data = 1;
    call.output->domain_data_kept = ToText("kept");
    return absl::OkStatus();
  };
  // Both in one batch: loading what the first asks for pushes the second's domain out.
  world_.Append({.domain = "b.test", .event = HostFacts{.host = "b.test"}});
  AppendLinks({kUrl});
  StrategyWorld::Worker worker;
  worker.state_options.cache_bytes = 0;
  const auto core = world_.NewCore(strategy_, std::move(worker));
  ASSERT_OK(world_.RunUntilIdle(*core));
  EXPECT_EQ(world_.RecordOf(kDomain)->strategy_data, "kept");
  EXPECT_EQ(world_.RecordOf(kDomain)->strategy_name, strategy_.name());
}

}  // namespace
}  // namespace orbweaver
