// A batch whose domains do not fit into memory together, or that leads to much.
#include <set>
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
using ::testing::SizeIs;

// Domains of 100 URLs each, in one batch, and memory for a few of them.
class ManyDomains : public StrategyCoreTest {
 protected:
  static constexpr int kDomains = 50;
  static constexpr uint64_t kCacheBytes = 20'000;

  static std::string NameOf(int domain) { return "d" + std::to_string(domain) + ".test"; }
  void Append(int from, int to) {
    // Those of a domain stand apart.
    for (int page = from; page < to; ++page) {
      for (int i = 0; i < kDomains; ++i) {
        std::vector<std::string> urls;
        for (int j = 0; j < 10; ++j) {
          urls.push_back("https://" + NameOf(i) + "/" + std::to_string(page * 10 + j));
        }
        std::vector<Link> links;
        for (const std::string& url : urls) links.push_back({.url = url});
        world_.Append({.domain = NameOf(i),
                       .event = LinksFound{.source = {.url = "https://b.test/"}, .links = links}});
      }
    }
  }
  std::unique_ptr<StrategyCore> NewCore() {
    StrategyWorld::Worker worker;
    worker.state_options.cache_bytes = kCacheBytes;
    return world_.NewCore(strategy_, std::move(worker));
  }
};

TEST_F(ManyDomains, WhoseStatesDoNotFitTogetherAreAppliedInPortionsAndCommittedInTheEnd) {
  Append(0, 10);
  const auto core = NewCore();
  ASSERT_OK(world_.RunUntilIdle(*core));
  const size_t scheduled = world_.ReadRequests().size();
  ASSERT_EQ(scheduled, size_t{kDomains} * 100);
  Append(5, 12);  // most of it is known
  const Offset sent = world_.EndOf(kScoringLogTopic, kOnly);
  double most = 0;
  const auto schedule = strategy_.on_event;
  strategy_.on_event = [&](Call call) {
    most = std::max(most, world_.state_metrics.bytes.value());
    for (size_t i = 0; i < call.links.size(); ++i) {
      if (call.states[i].known == 0) call.decisions[i].action = ORBWEAVER_SCHEDULE;
    }
    return absl::OkStatus();
  };
  ASSERT_OK(world_.RunUntilIdle(*core));
  EXPECT_EQ(world_.ReadRequests().size(), scheduled + size_t{kDomains} * 20);
  EXPECT_EQ(Committed(), Offset(kDomains * 17));
  EXPECT_EQ(world_.EndOf(kScoringLogTopic, kOnly), sent + kDomains * 2)
      << "a message of each event that has something new";
  EXPECT_LT(most, 1.5 * kCacheBytes) << "one domain more than fits, and what it grows by";
}

TEST_F(ManyDomains, AKillBetweenTwoPortionsLosesNothingAndDoublesNothing) {
  Append(0, 3);
  for (int kills = 0; kills < 8; ++kills) {
    const auto core = NewCore();
    const size_t before = world_.ReadRequests().size();
    for (int steps = 0; steps < 1000 && world_.ReadRequests().size() == before; ++steps) {
      ASSERT_OK(core->Step(Duration::zero()));
    }
    EXPECT_FALSE(core->IsSettled());
    world_.clock.Advance(kLong);
  }
  ASSERT_OK(world_.RunUntilIdle(*NewCore()));
  std::set<std::string> urls;
  for (const ReadRequest& request : world_.ReadRequests()) {
    EXPECT_TRUE(urls.insert(request.url).second) << request.url;
  }
  EXPECT_THAT(urls, SizeIs(kDomains * 30));
}

TEST_F(ManyDomains, ThatASlowStrategyTakesLongForDoNotCostItsPlaceInTheGroup) {
  const auto schedule = strategy_.on_event;
  strategy_.on_event = [&](Call call) {
    world_.clock.Advance(std::chrono::seconds(1));
    return schedule(call);
  };
  Append(0, 3);  // some three session timeouts
  ASSERT_OK(world_.RunUntilIdle(*NewCore()));
  EXPECT_THAT(world_.ReadRequests(), SizeIs(kDomains * 30));
  EXPECT_EQ(Committed(), Offset(kDomains * 3));
}

TEST_F(ManyDomains, ThatPushOneAnotherOutAreReadAgain) {
  Append(0, 1);
  const auto core = NewCore();
  ASSERT_OK(world_.RunUntilIdle(*core));
  // Domains grow, and loading what an event asks for pushes those out whose turn comes later.
  std::string extra;
  orbweaver_request request{};
  request.decision.action = ORBWEAVER_SCHEDULE;
  const auto schedule = strategy_.on_event;
  strategy_.on_event = [&](Call call) {
    extra = "https://" + std::string(ToView(call.event.domain_view->name_view)) + "/extra";
    request.url = ToText(extra);
    call.output->requests_kept = &request;
    call.output->request_count = 1;
    return schedule(call);
  };
  Append(1, 10);
  ASSERT_OK(world_.RunUntilIdle(*core));
  std::set<std::string> urls;
  for (const ReadRequest& read : world_.ReadRequests()) {
    EXPECT_TRUE(urls.insert(read.url).second) << read.url;
  }
  EXPECT_THAT(urls, SizeIs(kDomains * 101));
}

// One domain of some hundred shards, and memory for a few of them.
class LargeDomain : public StrategyCoreTest {
 protected:
  static constexpr int kUrls = 6000;
  static constexpr uint64_t kCacheBytes = 30'000;
  static constexpr int kLinks = 5;

  LargeDomain() {
    strategy_.on_event = [this](Call call) {
      most_ = std::max(most_, world_.state_metrics.bytes.value());
      for (size_t i = 0; i < call.links.size(); ++i) {
        if (call.states[i].known == 0) call.decisions[i].action = ORBWEAVER_SCHEDULE;
      }
      return absl::OkStatus();
    };
  }
  static std::string UrlOf(int number) { return "https://a.test/" + std::to_string(number); }
  void Append(int from, int to) {
    for (int first = from; first < to; first += kLinks) {
      std::vector<std::string> urls;
      for (int i = 0; i < kLinks; ++i) urls.push_back(UrlOf(first + i));
      AppendLinks(urls);
    }
  }
  std::unique_ptr<StrategyCore> NewCore() {
    StrategyWorld::Worker worker;
    worker.state_options.cache_bytes = kCacheBytes;
    worker.state_options.shard_urls = 64;
    return world_.NewCore(strategy_, std::move(worker));
  }
  void ExpectEachOnce(int urls) {
    std::set<std::string> seen;
    for (const ReadRequest& request : world_.ReadRequests()) {
      EXPECT_TRUE(seen.insert(request.url).second) << request.url;
    }
    EXPECT_EQ(seen.size(), static_cast<size_t>(urls));
  }

  double most_ = 0;  // bytes of states in memory when the strategy was asked
};

TEST_F(LargeDomain, WhoseShardsDoNotFitTogetherIsAppliedInPortionsOfItsEvents) {
  for (int part = 0; part < 4; ++part) {  // so that it is not one shard while it grows
    Append(part * kUrls / 4, (part + 1) * kUrls / 4);
    ASSERT_OK(world_.RunUntilIdle(*NewCore()));
    world_.clock.Advance(kLong);
  }
  ExpectEachOnce(kUrls);
  most_ = 0;
  Append(kUrls / 2, kUrls + 100);  // most of it is known
  const auto core = NewCore();
  ASSERT_OK(world_.RunUntilIdle(*core));
  ExpectEachOnce(kUrls + 100);
  EXPECT_EQ(Committed(), world_.EndOf(kSpiderLogTopic, kOnly));
  EXPECT_GT(most_, 0);
  EXPECT_LT(most_, 1.5 * kCacheBytes) << "the shards of an event more than fit";
}

TEST_F(LargeDomain, AKillBetweenTwoPortionsLosesNothingAndDoublesNothing) {
  Append(0, 1000);
  ASSERT_OK(world_.RunUntilIdle(*NewCore()));
  Append(500, 3000);
  for (int kills = 0; kills < 8; ++kills) {
    const size_t before = world_.ReadRequests().size();
    const auto core = NewCore();
    for (int steps = 0; steps < 1000 && world_.ReadRequests().size() == before; ++steps) {
      ASSERT_OK(core->Step(Duration::zero()));
    }
    EXPECT_FALSE(core->IsSettled());
    world_.clock.Advance(kLong);
  }
  ASSERT_OK(world_.RunUntilIdle(*NewCore()));
  ExpectEachOnce(3000);
}

TEST_F(LargeDomain, GivenUpLoadsNoneOfItsShardsAndEachUrlMayBeScheduledAgain) {
  Append(0, 3000);
  ASSERT_OK(world_.RunUntilIdle(*NewCore()));
  world_.clock.Advance(kLong);
  strategy_.on_event = [](Call call) {
    call.output->give_up_domain = 1;
    return absl::OkStatus();
  };
  const double rows_before = world_.state_metrics.rows_read.value();
  AppendLinks({UrlOf(0)});
  const auto core = NewCore();
  ASSERT_OK(world_.RunUntilIdle(*core));
  EXPECT_LE(world_.state_metrics.rows_read.value() - rows_before, 2) << "record, and one shard";
  for (int i = 0; i < 3000; i += 97) {
    ASSERT_EQ(world_.StateOf(kDomain, UrlOf(i))->status, LinkStatus::kNotCrawled) << i;
  }
  EXPECT_EQ(world_.RecordOf(kDomain)->known_urls, 3000u);
  strategy_.on_event = [](Call call) {
    for (size_t i = 0; i < call.links.size(); ++i) {
      if (call.states[i].status == ORBWEAVER_QUEUED) continue;
      call.decisions[i].action = ORBWEAVER_SCHEDULE;
    }
    return absl::OkStatus();
  };
  const size_t requests = world_.ReadRequests().size();
  Append(0, 100);
  Append(0, 100);
  ASSERT_OK(world_.RunUntilIdle(*core));
  EXPECT_EQ(world_.ReadRequests().size(), requests + 100);
}

TEST_F(StrategyCoreTest, BatchesThatLeadToMuchAreCutShortAndNothingIsMissing) {
  options_.batch_bytes = 1;  // one event a batch
  for (int i = 0; i < 20; ++i) AppendLinks({kUrl + std::to_string(i)});
  ASSERT_OK(Run());
  EXPECT_THAT(world_.ReadRequests(), SizeIs(20));
  EXPECT_EQ(Committed(), Offset(20));
}

}  // namespace
}  // namespace orbweaver
