#include "strategy_worker/core/lookup.h"

#include <gmock/gmock.h>

#include "common/base/status.h"
#include "tests/support/expect_ok.h"
#include "tests/support/strategy_parts_fixture.h"

namespace orbweaver {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

class LookupTest : public CorePartsTest {
 protected:
  absl::Status Run() { return lookup_.Run(&batch_); }
  // Ends the batch.
  void Clear() {
    batch_.Clear();
    reader_.Reset();
  }
  // Puts the row of a.test as an earlier owner would have put it.
  void PutRecord(const std::function<void(DomainRecord&)>& change) {
    DomainRecord& record = Load("a.test");
    record.strategy_name = strategy_.name();
    record.strategy_version = strategy_.version();
    change(record);
    states_.Find("a.test")->MarkChanged();
    Put(Version(1));
  }
  static std::string EntryOf(Offset epoch) {
    EncodeBuffer buffer;
    const ScheduledRequest request{.url = "https://a.test/1"};
    return std::string(Encode(ScoringLogEntry{.epoch = epoch,
                                              .entry = ScheduleRequests{.source_topic_epoch = 1,
                                                                        .domain = "a.test",
                                                                        .requests = {&request, 1}}},
                              &buffer)
                           .value());
  }

  ScriptedStrategy strategy_;
  StrategyWorkerOptions options_;
  EventView view_;
  std::unique_ptr<OffsetReader> offsets_ = *world_.bus.NewOffsetReader();
  CrawlScope scope_;
  Lookup lookup_{options_, states_, *offsets_, ownership_, scope_, strategy_, view_, metrics_};
};

TEST_F(LookupTest, WhatIsInItsRowIsAReplayAndWhatIsNotIsNone) {
  Own().known_end = Offset(9);
  PutRecord([](DomainRecord& record) { record.applied = {.topic_epoch = 1, .offset = Offset(1)}; });
  for (int i = 0; i < 3; ++i) AddToBatch(NewLinks("a.test", {"https://a.test/1"}));
  ASSERT_OK(Run());
  EXPECT_TRUE(batch_.events()[0].is_in_row);
  EXPECT_TRUE(batch_.events()[1].is_in_row);
  EXPECT_FALSE(batch_.events()[2].is_in_row);
  EXPECT_EQ(metrics_.replayed.value(), 2u);
}

TEST_F(LookupTest, ARowOfAnEarlierTopicEpochHasNothingOfThisLog) {
  Own();
  PutRecord(
      [](DomainRecord& record) { record.applied = {.topic_epoch = 0, .offset = Offset(99)}; });
  AddToBatch(NewLinks("a.test", {"https://a.test/1"}));
  ASSERT_OK(Run());
  EXPECT_FALSE(batch_.events()[0].is_in_row);
}

TEST_F(LookupTest, ARowThatKnowsMoreThanTheLogHasIsFatal) {
  Own();
  PutRecord([](DomainRecord& record) { record.applied = {.topic_epoch = 1, .offset = Offset(7)}; });
  AddToBatch(NewLinks("a.test", {"https://a.test/1"}));
  const absl::Status status = Run();
  EXPECT_TRUE(IsFatal(status)) << status;
  EXPECT_THAT(std::string(MessageOf(status)), HasSubstr("a.test"));
}

TEST_F(LookupTest, AnOutboxOfAnotherOwnerIsClaimedUnderTheOwnEpoch) {
  static_cast<void>(*log_->TakeOver(kPartition, kTimeout));  // so that the own epoch is not 0
  OwnedPartition& owned = Own();
  ASSERT_GT(owned.epoch, Offset(0));
  PutRecord([](DomainRecord& record) { record.outbox = {EntryOf(Offset(0))}; });
  AddToBatch(NewLinks("a.test", {"https://a.test/1"}));
  ASSERT_OK(Run());
  EXPECT_TRUE(batch_.domains()[0].sends);
  EXPECT_TRUE(owned.has_changes) << "its row would keep the epoch of another";
  const std::vector<std::string>& outbox = states_.Find("a.test")->record().outbox;
  ASSERT_THAT(outbox, SizeIs(1));
  EXPECT_EQ(outbox[0], EntryOf(owned.epoch));
}

TEST_F(LookupTest, AnOutboxOfTheOwnEpochWasSentAlready) {
  OwnedPartition& owned = Own();
  PutRecord([&](DomainRecord& record) { record.outbox = {EntryOf(owned.epoch)}; });
  AddToBatch(NewLinks("a.test", {"https://a.test/1"}));
  ASSERT_OK(Run());
  EXPECT_FALSE(batch_.domains()[0].sends);
  EXPECT_THAT(states_.Find("a.test")->record().outbox, SizeIs(0));
}

TEST_F(LookupTest, AnOutboxOfGarbageIsFatalAndNamesItsDomain) {
  Own();
  PutRecord([](DomainRecord& record) { record.outbox = {"garbage"}; });
  AddToBatch(NewLinks("a.test", {"https://a.test/1"}));
  const absl::Status status = Run();
  EXPECT_TRUE(IsFatal(status)) << status;
  EXPECT_THAT(std::string(MessageOf(status)), HasSubstr("a.test"));
}

TEST_F(LookupTest, BytesThatNobodyCanAdoptSpoilTheEventsOfTheirDomainOnly) {
  Own();
  PutRecord([](DomainRecord& record) {
    record.strategy_name = "another";
    record.strategy_data = "bytes";
  });
  strategy_.adopt = [](auto, auto, auto) { return PoisonError("cannot read that"); };
  AddToBatch(NewLinks("a.test", {"https://a.test/1"}));
  AddToBatch(NewLinks("b.test", {"https://b.test/1"}));
  ASSERT_OK(Run());
  EXPECT_THAT(batch_.events()[0].poison, HasSubstr("cannot read that"));
  EXPECT_TRUE(batch_.events()[0].strategy_failed);
  EXPECT_EQ(batch_.events()[1].poison, "");
}

TEST_F(LookupTest, AFilterThatFailsSpoilsItsEventOnly) {
  Own();
  strategy_.filter = [](const orbweaver_event& event, auto, auto) {
    return ToView(event.domain_view->name_view) == "a.test" ? PoisonError("no") : absl::OkStatus();
  };
  AddToBatch(NewLinks("a.test", {"https://a.test/1"}));
  AddToBatch(NewLinks("b.test", {"https://b.test/1"}));
  ASSERT_OK(Run());
  EXPECT_EQ(batch_.events()[0].poison, "no");
  EXPECT_EQ(batch_.events()[1].poison, "");
}

TEST_F(LookupTest, TheFilterIsAskedOnceThoughTheLookupIsTriedAgain) {
  Own();
  // Known before; the second domain's row has to be asked for.
  Load("a.test");
  int asked = 0;
  strategy_.filter = [&asked](const orbweaver_event&, auto, std::span<uint8_t> keep) {
    ++asked;
    keep[0] = 0;
    return absl::OkStatus();
  };
  AddToBatch(NewLinks("a.test", {"https://a.test/1", "https://a.test/2"}));
  AddToBatch(NewLinks("b.test", {"https://b.test/1", "https://b.test/2"}));
  world_.tables.SetAvailable(false);
  EXPECT_TRUE(IsRetry(Run()));
  world_.tables.SetAvailable(true);
  ASSERT_OK(Run());
  ASSERT_OK(Run());
  EXPECT_EQ(asked, 2);
  EXPECT_THAT(batch_.events()[1].links, SizeIs(1));
}

TEST_F(LookupTest, DomainsAreAskedForInOneReadWhileTheirLinksPassTheFilter) {
  Own();
  for (int i = 0; i < 10; ++i) {
    const std::string domain = "d" + std::to_string(i) + ".test";
    AddToBatch(NewLinks(domain, {"https://" + domain + "/1"}));
  }
  ASSERT_OK(Run());
  EXPECT_EQ(world_.state_metrics.rows_read.value(), 10u);
}

TEST_F(LookupTest, GarbageNeedsNoRow) {
  Own();
  AddToBatch(NewMessage("a.test", "garbage"));
  ASSERT_OK(Run());
  EXPECT_EQ(world_.state_metrics.rows_read.value(), 0u);
}

TEST_F(LookupTest, WhatTheCacheGaveUpIsLoadedAgain) {
  Own();
  AddToBatch(NewLinks("a.test", {"https://a.test/1"}));
  ASSERT_OK(Run());
  states_.Drop(kPartition);
  ASSERT_OK(lookup_.RunAgain(&batch_));
  EXPECT_NE(states_.Find("a.test"), nullptr);
}

}  // namespace
}  // namespace orbweaver
