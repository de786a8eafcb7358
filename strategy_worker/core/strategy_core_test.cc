// Tests of the core: events, and the strategy's decisions about them. tests/sim covers crashes.
// Past 400 lines, since all cases share one world.
#include "strategy_worker/core/strategy_core.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/status.h"
#include "common/bus/topics.h"
#include "common/protocol/owned_log.h"
#include "common/url/partition.h"
#include "strategy_worker/states/shard.h"
#include "tests/support/expect_ok.h"
#include "tests/support/strategy_core_fixture.h"
#include "tests/support/strategy_world.h"

namespace orbweaver {
namespace {

using Call = ScriptedStrategy::Call;
using ::testing::HasSubstr;
using ::testing::SizeIs;

TEST_F(StrategyCoreTest, ALinkThatIsScheduledIsInTheLogAndQueued) {
  AppendLinks({"HTTPS://A.test:443/1#here", "https://www.a.test/2"});
  ASSERT_OK(Run());
  const std::vector<ReadRequest> requests = world_.ReadRequests();
  ASSERT_THAT(requests, SizeIs(2));
  EXPECT_EQ(requests[0].url, kUrl);
  EXPECT_EQ(requests[0].depth, 4u);
  EXPECT_EQ(requests[0].source_offset, Offset(0));
  EXPECT_EQ(world_.StateOf(kDomain, kUrl)->status, LinkStatus::kQueued);
  EXPECT_EQ(world_.RecordOf(kDomain)->scheduled, 2u);
  EXPECT_EQ(Committed(), Offset(1));
}

TEST_F(StrategyCoreTest, ItsLagIsTheAgeOfWhatItReadsUntilNothingIsLeft) {
  ASSERT_OK(Run());
  AppendLinks({kUrl});
  world_.clock.Advance(std::chrono::seconds(3));
  ASSERT_OK(core_->Step(Duration::zero()).status());
  EXPECT_THAT(world_.metrics.Text(), HasSubstr("orbweaver_strategy_lag_seconds 3\n"));
  ASSERT_OK(world_.RunUntilIdle(*core_));
  EXPECT_THAT(world_.metrics.Text(), HasSubstr("orbweaver_strategy_lag_seconds 0\n"));
}

TEST_F(StrategyCoreTest, LinksOfOtherDomainsNoUrlsAndRepeatedOnesNeverReachTheStrategy) {
  size_t seen = 0;
  strategy_.on_event = [&seen](Call call) {
    seen += call.links.size();
    return absl::OkStatus();
  };
  AppendLinks({kUrl, kUrl + "#again", "https://b.test/", "mailto:x@a.test", "https://nota.test/"});
  ASSERT_OK(Run());
  EXPECT_EQ(seen, 1u);
}

TEST_F(StrategyCoreTest, WhatTheStrategyLeavesAloneIsNotWritten) {
  strategy_.on_event = [](Call) { return absl::OkStatus(); };
  AppendLinks({kUrl});
  ASSERT_OK(Run());
  EXPECT_FALSE(world_.RecordOf(kDomain).has_value());
  EXPECT_EQ(world_.EndOf(kScoringLogTopic, kOnly), Offset(1)) << "more than the marker";
  EXPECT_EQ(Committed(), Offset(1));
}

class DamagedRow : public StrategyCoreTest {
 protected:
  // The error of the partition's owner when it needs a damaged row.
  absl::Status Read() {
    const std::string row = ShardRow(DomainRow(kDomain), 0);
    const CellPut damage{.column = kRecordColumn, .value = "no record"};
    const RowPut put{.row = row, .version = Version(1), .cells = {&damage, 1}};
    std::vector<uint32_t> remaining;
    EXPECT_OK(world_.store.Write(Table::kDomains, {&put, 1}, kLong, &remaining));
    AppendLinks({kUrl});
    return world_.RunUntilIdle(*core_);
  }
};

TEST_F(DamagedRow, EndsItsOwner) {
  ASSERT_OK(Run());
  const absl::Status status = Read();
  EXPECT_TRUE(IsFatal(status)) << status;
  EXPECT_THAT(status.message(), HasSubstr("or is damaged"));
}

TEST_F(DamagedRow, IsNoDamageToAWorkerThatWasReplaced) {
  ASSERT_OK(Run());
  auto successor = OwnedLog::Create(world_.bus, world_.clock,
                                    {.topic = std::string(kScoringLogTopic), .owner = "next"});
  ASSERT_OK(successor);
  ASSERT_OK((*successor)->TakeOver(kOnly, kLong));
  const absl::Status status = Read();
  EXPECT_TRUE(IsFenced(status)) << status;
}

TEST_F(StrategyCoreTest, APageIsCrawledBeforeTheStrategySeesIt) {
  orbweaver_state seen{};
  std::vector<bool> changed;
  strategy_.on_event = [&](Call call) {
    seen = call.states[0];
    changed.push_back(call.event.page_view->changed != 0);
    EXPECT_EQ(call.event.domain_view->fetched, changed.size());
    return absl::OkStatus();
  };
  const PageFetched page{.request = RequestOf(kUrl),
                         .status = 200,
                         .content_hash = {.high = 1, .low = 2},
                         .etag = "\"e\""};
  world_.Append({.domain = kDomain, .event = page});
  world_.Append({.domain = kDomain, .event = page});
  ASSERT_OK(Run());
  EXPECT_EQ(seen.status, ORBWEAVER_CRAWLED);
  EXPECT_EQ(seen.fetches, 2u);
  EXPECT_EQ(seen.has_validators, 1);
  EXPECT_EQ(changed, (std::vector<bool>{true, false}));
  EXPECT_EQ(world_.StateOf(kDomain, kUrl)->etag, "\"e\"");
  EXPECT_EQ(world_.RecordOf(kDomain)->fetched, 2u);
}

TEST_F(StrategyCoreTest, ARevisitIsConditionalAndKeepsItsMeta) {
  const Meta meta{.key = "k", .value = "v"};
  Request request = RequestOf(kUrl);
  request.meta = {&meta, 1};
  world_.Append(
      {.domain = kDomain,
       .event = PageFetched{
           .request = request, .status = 200, .etag = "\"e\"", .last_modified = "yesterday"}});
  ASSERT_OK(Run());
  ASSERT_THAT(world_.ReadRequests(), SizeIs(1));
  const ReadRequest read = world_.ReadRequests()[0];
  EXPECT_EQ(read.etag, "\"e\"");
  EXPECT_EQ(read.last_modified, "yesterday");
  EXPECT_EQ(read.meta.at("k"), "v");
}

TEST_F(StrategyCoreTest, ARequestKeepsTheFirstPageThatLinkedThereWhateverBecomesOfIt) {
  options_.keep_referrers = true;
  strategy_.on_event = [](Call call) {
    call.decisions[0].action = ORBWEAVER_SCHEDULE;
    return absl::OkStatus();
  };
  AppendLinks({kUrl});
  Request request = RequestOf(kUrl);
  request.referrer = "https://b.test/first";
  world_.Append({.domain = kDomain, .event = FetchFailed{.request = request, .status = 500}});
  world_.Append({.domain = kDomain, .event = PageFetched{.request = request, .status = 200}});
  world_.Append({.domain = kDomain, .event = Deferred{.request = request}});
  ASSERT_OK(Run());
  std::vector<std::string> referrers;
  for (const ReadRequest& read : world_.ReadRequests()) referrers.push_back(read.referrer);
  EXPECT_EQ(referrers, (std::vector<std::string>{"https://b.test/", "https://b.test/first",
                                                 "https://b.test/first", "https://b.test/first"}));
}

TEST_F(StrategyCoreTest, NoReferrerIsKeptUnlessAskedFor) {
  AppendLinks({kUrl});
  ASSERT_OK(Run());
  ASSERT_THAT(world_.ReadRequests(), SizeIs(1));
  EXPECT_EQ(world_.ReadRequests()[0].referrer, "");
}

TEST_F(StrategyCoreTest, AFailureIsAnErrorOrForGoodByItsCause) {
  strategy_.on_event = [](Call call) {
    EXPECT_EQ(call.decisions[0].attempt, 2u);
    return absl::OkStatus();
  };
  const std::string second = kUrl + "2";
  world_.Append({.domain = kDomain,
                 .event = FetchFailed{.request = RequestOf(kUrl), .cause = FailureCause::kReset}});
  world_.Append(
      {.domain = kDomain,
       .event = FetchFailed{
           .request = RequestOf(second), .cause = FailureCause::kHttp4xx, .status = 404}});
  ASSERT_OK(Run());
  EXPECT_EQ(world_.StateOf(kDomain, kUrl)->status, LinkStatus::kError);
  EXPECT_EQ(world_.StateOf(kDomain, second)->status, LinkStatus::kGone);
  EXPECT_EQ(world_.RecordOf(kDomain)->failed, 2u);
}

// A spider died between an outcome and its commit: the next one fetched the request again.
TEST_F(StrategyCoreTest, ASecondFailureOfOneRequestQueuesNoSecondRetry) {
  AppendLinks({kUrl});
  Request request = RequestOf(kUrl);
  request.attempt = 0;
  const FetchFailed failed{.request = request, .cause = FailureCause::kReset};
  world_.Append({.domain = kDomain, .event = failed});
  world_.Append({.domain = kDomain, .event = failed});
  request.attempt = 1;
  world_.Append(
      {.domain = kDomain, .event = FetchFailed{.request = request, .cause = FailureCause::kReset}});
  ASSERT_OK(Run());
  const auto requests = world_.ReadRequests();
  ASSERT_THAT(requests, SizeIs(3));  // from the link, and after each of two failures
  EXPECT_EQ(requests[1].attempt, 1u);
  EXPECT_EQ(requests[2].attempt, 2u);
  EXPECT_EQ(world_.StateOf(kDomain, kUrl)->errors, 2u);
}

// The request may have left the queue long ago, or it is a retry: it keeps the attempts that its
// failure will be compared with.
TEST_F(StrategyCoreTest, ARaiseOfAQueuedUrlAddsNoRequestAndKeepsItsAttempts) {
  Request request = RequestOf(kUrl);
  request.attempt = 0;
  world_.Append(
      {.domain = kDomain, .event = FetchFailed{.request = request, .cause = FailureCause::kReset}});
  ASSERT_OK(Run());
  strategy_.on_event = [](Call call) {
    for (orbweaver_decision& decision : call.decisions) {
      decision.action = ORBWEAVER_RAISE;
      decision.score = 1;
    }
    return absl::OkStatus();
  };
  AppendLinks({kUrl, kUrl + "/new"});
  ASSERT_OK(world_.RunUntilIdle(*core_));
  const auto requests = world_.ReadRequests();
  ASSERT_THAT(requests, SizeIs(3));
  EXPECT_EQ(requests[0].action, ScheduleAction::kAdd);
  EXPECT_EQ(requests[1].action, ScheduleAction::kRaise);
  EXPECT_EQ(requests[1].attempt, 1u);
  EXPECT_EQ(requests[2].action, ScheduleAction::kAdd) << "it was never queued";
  EXPECT_EQ(world_.RecordOf(kDomain)->scheduled, 2u);
}

TEST_F(StrategyCoreTest, AUrlThatWasGivenUpAndIsScheduledAnewIsRetriedAnew) {
  strategy_.on_event = [](Call call) {
    if (call.event.kind == ORBWEAVER_LINKS) call.decisions[0].action = ORBWEAVER_SCHEDULE;
    return absl::OkStatus();
  };
  Request request = RequestOf(kUrl);
  request.attempt = 0;
  const FetchFailed failed{.request = request, .cause = FailureCause::kReset};
  world_.Append({.domain = kDomain, .event = failed});
  AppendLinks({kUrl});
  ASSERT_OK(Run());
  EXPECT_EQ(world_.StateOf(kDomain, kUrl)->errors, 0u);
  world_.Append({.domain = kDomain, .event = failed});
  ASSERT_OK(Run());
  // It is no second outcome of the first request.
  EXPECT_EQ(world_.StateOf(kDomain, kUrl)->status, LinkStatus::kError);
  EXPECT_EQ(world_.StateOf(kDomain, kUrl)->errors, 1u);
}

// Two outcomes of a URL that nobody retried count twice; the retry that comes later is none of
// them.
TEST_F(StrategyCoreTest, ARetryThatWasScheduledLateIsNoSecondOutcomeHoweverManyErrorsThereWere) {
  strategy_.on_event = [](Call call) {
    if (call.event.kind != ORBWEAVER_LINKS) return absl::OkStatus();
    call.decisions[0].action = ORBWEAVER_SCHEDULE;
    call.decisions[0].attempt = 1;
    return absl::OkStatus();
  };
  Request request = RequestOf(kUrl);
  request.attempt = 0;
  const FetchFailed failed{.request = request, .cause = FailureCause::kReset};
  world_.Append({.domain = kDomain, .event = failed});
  world_.Append({.domain = kDomain, .event = failed});
  AppendLinks({kUrl});
  request.attempt = 1;
  world_.Append(
      {.domain = kDomain, .event = FetchFailed{.request = request, .cause = FailureCause::kReset}});
  ASSERT_OK(Run());
  EXPECT_EQ(world_.StateOf(kDomain, kUrl)->status, LinkStatus::kError);
}

TEST_F(StrategyCoreTest, AServerThatAsksForPatienceGetsItWhateverTheStrategySays) {
  strategy_.on_event = [](Call) { return absl::OkStatus(); };
  world_.Append({.domain = kDomain,
                 .event = FetchFailed{
                     .request = RequestOf(kUrl), .cause = FailureCause::kHttp5xx, .status = 503}});
  world_.Append({.domain = kDomain,
                 .event = FetchFailed{.request = RequestOf(kUrl),
                                      .cause = FailureCause::kHttp4xx,
                                      .status = 429,
                                      .retry_after = std::chrono::hours(24 * 365)}});
  ASSERT_OK(Run());
  const auto read = world_.ReadScoringLog();
  ASSERT_THAT(read, SizeIs(2));
  EXPECT_TRUE(read[0].update->back_off);
  EXPECT_EQ(*read[1].update->blocked_until, world_.clock.Wall() + options_.max_retry_after);
}

// A recorded log decides on another day, in another log, as it did on its own.
TEST_F(StrategyCoreTest, AnEventsOwnTimeIsAllTheTimeThatIsDecidedBy) {
  const WallTime then(std::chrono::milliseconds(1'700'000'000'123));
  int64_t seen_ms = 0;
  strategy_.on_event = [&seen_ms](Call call) {
    seen_ms = call.event.now_ms;
    return absl::OkStatus();
  };
  world_.Append({.domain = kDomain,
                 .event = FetchFailed{.request = RequestOf(kUrl),
                                      .cause = FailureCause::kHttp4xx,
                                      .status = 429,
                                      .retry_after = std::chrono::seconds(7)},
                 .time = then});
  ASSERT_OK(Run());
  EXPECT_EQ(seen_ms, then.time_since_epoch().count());
  const auto read = world_.ReadScoringLog();
  ASSERT_THAT(read, SizeIs(1));
  EXPECT_EQ(*read[0].update->blocked_until, then + std::chrono::seconds(7));
}

TEST_F(StrategyCoreTest, ADeferredGoesBackAsItWasWithoutTheStrategy) {
  strategy_.on_event = [](Call) -> absl::Status { return PoisonError("was asked"); };
  world_.Append({.domain = kDomain,
                 .event = Deferred{.request = RequestOf(kUrl),
                                   .not_before = WallTime(std::chrono::milliseconds(77))}});
  ASSERT_OK(Run());
  const auto requests = world_.ReadRequests();
  ASSERT_THAT(requests, SizeIs(1));
  EXPECT_EQ(requests[0].attempt, 1u);
  EXPECT_EQ(requests[0].score, 0.25f);
  EXPECT_EQ(requests[0].not_before_ms, 77);
  EXPECT_EQ(world_.RecordOf(kDomain)->scheduled, 0u);
}

TEST_F(StrategyCoreTest, CrawlDelayIsPassedOnWhenItChangesAndNotEachTime) {
  for (const int delay_s : {5, 5, 0}) {
    HostFacts facts{.host = "a.test", .robots = RobotsOutcome::kRules};
    if (delay_s != 0) facts.crawl_delay = std::chrono::seconds(delay_s);
    world_.Append({.domain = kDomain, .event = facts});
  }
  ASSERT_OK(Run());
  const auto read = world_.ReadScoringLog();
  ASSERT_THAT(read, SizeIs(2));
  EXPECT_EQ(read[0].update->crawl_delay, std::chrono::seconds(5));
  EXPECT_EQ(read[1].update->crawl_delay, std::chrono::seconds(0));
}

TEST_F(StrategyCoreTest, AnUnresolvedNameBlocksItsDomainButNotForASubdomain) {
  for (const char* host : {"gone.a.test", "www.a.test:8443"}) {
    world_.Append(
        {.domain = kDomain, .event = HostFacts{.host = host, .dns = DnsOutcome::kNoSuchName}});
  }
  ASSERT_OK(Run());
  const auto read = world_.ReadScoringLog();
  ASSERT_THAT(read, SizeIs(1));
  EXPECT_EQ(read[0].source_offset, Offset(1));
  EXPECT_EQ(*read[0].update->blocked_until, world_.clock.Wall() + options_.dns_failure_rest);
}

TEST_F(StrategyCoreTest, ASeedKeepsItsScoreAndItsMeta) {
  strategy_.on_event = [](Call call) {
    EXPECT_EQ(call.links[0].score, 0.75f);
    call.decisions[0].action = ORBWEAVER_SCHEDULE;
    return absl::OkStatus();
  };
  // Filtered, so that the second seed takes the first one's place.
  strategy_.filter = [](const orbweaver_event&, auto, std::span<uint8_t> keep) {
    keep[0] = 0;
    return absl::OkStatus();
  };
  const Meta meta{.key = "k", .value = "v"};
  const std::string second = kUrl + "2";
  const Seed seeds[] = {{.url = kUrl}, {.url = second, .score = 0.75f, .meta = {&meta, 1}}};
  world_.Append({.domain = kDomain, .event = Seeds{.seeds = seeds}});
  ASSERT_OK(Run());
  ASSERT_THAT(world_.ReadRequests(), SizeIs(1));
  EXPECT_EQ(world_.ReadRequests()[0].url, second);
  EXPECT_EQ(world_.ReadRequests()[0].meta.at("k"), "v");
}

TEST_F(StrategyCoreTest, WhatCannotBeProcessedIsKeptWithItsCauseAndHoldsNothingUp) {
  world_.AppendRaw(kOnly, kDomain, "no protobuf");
  world_.AppendRaw(kOnly, kDomain, "", "someone.v2");
  const SpiderLogEntry entry{.domain = kDomain, .event = HostFacts{.host = "a.test"}};
  world_.Append(entry, "b.test");
  world_.Append({.domain = "www.a.test", .event = HostFacts{.host = "www.a.test"}});
  world_.Append({.domain = kDomain, .event = Deferred{.request = RequestOf("https://b.test/")}});
  AppendLinks({kUrl});
  ASSERT_OK(Run());
  const std::vector<std::string> causes = world_.DeadLetterCauses();
  ASSERT_THAT(causes, SizeIs(5));
  EXPECT_THAT(causes[1], HasSubstr("someone.v2"));
  EXPECT_THAT(causes[2], HasSubstr("key 'b.test'"));
  EXPECT_THAT(causes[3], HasSubstr("registered domain is 'a.test'"));
  EXPECT_THAT(causes[4], HasSubstr("https://b.test/"));
  EXPECT_THAT(world_.ReadRequests(), SizeIs(1));
  EXPECT_EQ(Committed(), Offset(6));
}

TEST(StrategyCorePartitions, ADomainInTheWrongPartitionIsRefusedAsTwoWorkersWouldOwnIt) {
  StrategyWorld world(2);
  ScriptedStrategy strategy;
  EncodeBuffer buffer;
  const auto entry =
      Encode(SpiderLogEntry{.domain = kDomain, .event = HostFacts{.host = "a.test"}}, &buffer);
  const PartitionId wrong(1 - world.PartitionOfDomain(kDomain).value());
  world.AppendRaw(wrong, kDomain, *entry);
  const auto core = world.NewCore(strategy, {});
  ASSERT_OK(world.RunUntilIdle(*core));
  EXPECT_THAT(world.DeadLetterCauses(), ::testing::ElementsAre(HasSubstr("default partitioner")));
}

TEST_F(StrategyCoreTest, AnEventOnWhichTheStrategyFailsHasNoEffectAndIsKept) {
  strategy_.on_event = [](Call call) -> absl::Status {
    call.decisions[0].action = ORBWEAVER_SCHEDULE;
    return PoisonError("strategy 'scripted': threw a tantrum");
  };
  world_.Append(
      {.domain = kDomain, .event = PageFetched{.request = RequestOf(kUrl), .status = 200}});
  ASSERT_OK(Run());
  EXPECT_THAT(world_.DeadLetterCauses(), ::testing::ElementsAre(HasSubstr("tantrum")));
  EXPECT_FALSE(world_.RecordOf(kDomain).has_value());
  EXPECT_EQ(Committed(), Offset(1));
}

TEST_F(StrategyCoreTest, AStrategyThatFailsStopsTheWorkerWhereThatIsConfigured) {
  options_.on_strategy_error = OnStrategyError::kStop;
  strategy_.on_event = [](Call) -> absl::Status { return PoisonError("a tantrum"); };
  AppendLinks({kUrl});
  const absl::Status status = Run();
  EXPECT_TRUE(IsFatal(status)) << status;
  EXPECT_THAT(std::string(MessageOf(status)), HasSubstr("a tantrum"));
}

TEST_F(StrategyCoreTest, DecisionsThatNoMessageCanCarryAreTheStrategysFaultAndHaveNoEffect) {
  using Spoil = std::function<void(Call)>;
  const std::vector<Spoil> spoils = {
      [](Call call) { call.decisions[0].action = 9; },
      [](Call call) { call.decisions[0].score = std::numeric_limits<float>::quiet_NaN(); },
      [](Call call) { call.decisions[0].not_before_ms = -1; },
      [](Call call) { call.decisions[0].set_status = 1, call.decisions[0].status = 5; },
      [](Call call) { call.decisions[0].set_due = 1, call.decisions[0].due_at_ms = -1; },
      [](Call call) { call.output->blocked_until_ms = -5; },
      [](Call call) { call.output->request_count = size_t{1} << 40; },
      [](Call call) {
        call.output->set_domain_data = 1;
        static const std::string kLarge(kMaxStrategyBytes + 1, 'x');
        call.output->domain_data_kept = ToText(kLarge);
      }};
  size_t next = 0;
  strategy_.on_event = [&](Call call) {
    call.decisions[0].action = ORBWEAVER_SCHEDULE;
    spoils[next++](call);
    return absl::OkStatus();
  };
  for (size_t i = 0; i < spoils.size(); ++i) AppendLinks({kUrl});
  ASSERT_OK(Run());
  EXPECT_THAT(world_.DeadLetterCauses(), SizeIs(spoils.size()));
  EXPECT_FALSE(world_.RecordOf(kDomain).has_value());
}

TEST_F(StrategyCoreTest, LinksThatTheFilterDropsCostNoRead) {
  strategy_.filter = [](const orbweaver_event& event, auto, std::span<uint8_t> keep) {
    // Its budget is spent.
    if (event.domain_view->scheduled >= 1) std::fill(keep.begin(), keep.end(), 0);
    return absl::OkStatus();
  };
  AppendLinks({kUrl});
  ASSERT_OK(Run());
  AppendLinks({kUrl + "2"});
  ASSERT_OK(world_.RunUntilIdle(*core_));
  EXPECT_THAT(world_.ReadRequests(), SizeIs(1));
  EXPECT_EQ(world_.StateOf(kDomain, kUrl + "2"), std::nullopt);
}

// Keeps the longest time that a call was given.
class TimedStore : public MemoryStore {
 public:
  using MemoryStore::MemoryStore;

  absl::Status MultiGet(Table table, std::span<const RowGet> gets, Duration timeout,
                        Rows* rows) override {
    longest = std::max(longest, timeout);
    return MemoryStore::MultiGet(table, gets, timeout, rows);
  }
  absl::Status Write(Table table, std::span<const RowPut> puts, Duration timeout,
                     std::vector<uint32_t>* remaining) override {
    longest = std::max(longest, timeout);
    return MemoryStore::Write(table, puts, timeout, remaining);
  }

  Duration longest{};
};

TEST_F(StrategyCoreTest, NoCallOutlastsTheSessionOfItsWorker) {
  TimedStore store(&world_.tables, {.virtual_time = &world_.clock});
  AppendLinks({kUrl});
  StrategyWorld::Worker worker;
  worker.store = &store;
  worker.session_timeout = std::chrono::seconds(6);
  core_ = world_.NewCore(strategy_, std::move(worker));
  ASSERT_OK(world_.RunUntilIdle(*core_));
  EXPECT_EQ(store.longest, std::chrono::seconds(2));
}

TEST_F(StrategyCoreTest, BytesOfAnotherStrategyAreAdoptedAndKeptUnderTheNewName) {
  strategy_.on_event = [](Call call) {
    call.output->set_domain_data = 1;
    call.output->domain_data_kept = ToText("old");
    return absl::OkStatus();
  };
  AppendLinks({kUrl});
  ASSERT_OK(Run());
  ASSERT_OK(core_->Stop());
  strategy_.name_ = "other";
  strategy_.adopt = [](std::string_view from, uint32_t, std::string_view data) {
    return std::string(from) + "/" + std::string(data);
  };
  std::string seen;
  strategy_.on_event = [&seen](Call call) {
    seen = ToView(call.event.domain_view->data_view);
    call.decisions[0].action = ORBWEAVER_SCHEDULE;
    return absl::OkStatus();
  };
  AppendLinks({kUrl});
  world_.clock.Advance(kLong);
  ASSERT_OK(Run());
  EXPECT_EQ(seen, "scripted/old");
  EXPECT_EQ(world_.RecordOf(kDomain)->strategy_name, "other");
  EXPECT_EQ(world_.RecordOf(kDomain)->strategy_data, "scripted/old");
}

}  // namespace
}  // namespace orbweaver
