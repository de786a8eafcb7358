#include "strategy_worker/core/flight.h"

#include <gmock/gmock.h>

#include "common/base/status.h"
#include "common/url/fingerprint.h"
#include "tests/support/expect_ok.h"
#include "tests/support/strategy_parts_fixture.h"

namespace orbweaver {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// Puts through to another store, and notes each call that wrote something.
class NotingStore : public Store {
 public:
  explicit NotingStore(Store& store) : store_(store) {}

  absl::Status MultiGet(Table table, std::span<const RowGet> gets, Duration timeout,
                        Rows* rows) override {
    return store_.MultiGet(table, gets, timeout, rows);
  }
  absl::Status Write(Table table, std::span<const RowPut> puts, Duration timeout,
                     std::vector<uint32_t>* remaining) override {
    if (fails_from_ <= writes.size()) {
      // All but the last are durable, which the caller learns.
      std::vector<uint32_t> none;
      RETURN_IF_ERROR(store_.Write(table, puts.first(puts.size() - 1), timeout, &none));
      *remaining = {static_cast<uint32_t>(puts.size() - 1)};
      return RetryError("the server is gone");
    }
    std::vector<Version>& versions = writes.emplace_back();
    for (const RowPut& put : puts) versions.push_back(put.version);
    return store_.Write(table, puts, timeout, remaining);
  }
  absl::Status Erase(Table table, std::span<const RowErase> erases, Duration timeout) override {
    return store_.Erase(table, erases, timeout);
  }
  absl::Status Scan(Table table, const ScanRange& range, Duration timeout,
                    Visitor visitor) override {
    return store_.Scan(table, range, timeout, visitor);
  }

  void FailFrom(size_t write) { fails_from_ = write; }
  void Heal() { fails_from_ = ~size_t{0}; }

  std::vector<std::vector<Version>> writes;

 private:
  Store& store_;
  size_t fails_from_ = ~size_t{0};
};

// A consumer of which only the commits matter.
class NotingConsumer : public Consumer {
 public:
  struct Noted {
    absl::Status answer;
    std::vector<Offset> commits;
  };
  explicit NotingConsumer(Noted& noted) : noted_(noted) {}

  absl::Status Subscribe(std::string_view, RebalanceListener*) override { return {}; }
  absl::Status Assign(std::string_view, std::span<const AssignedPartition>) override { return {}; }
  absl::Status Poll(const PollLimits&, Duration, MessageBatch*) override { return {}; }
  absl::Status SetPaused(PartitionId, bool) override { return {}; }
  absl::Status Commit(std::span<const OffsetCommit> made, Duration) override {
    if (!noted_.answer.ok()) return noted_.answer;
    for (const OffsetCommit& commit : made) noted_.commits.push_back(commit.offset);
    return absl::OkStatus();
  }
  void Close(Departure) override {}

 private:
  Noted& noted_;
};

class FlightTest : public CorePartsTest {
 protected:
  FlightTest() : CorePartsTest(StateOptions{.inline_bytes = 0, .shard_urls = 4}) { Own(); }

  // `urls` URLs of a.test become known, and one message goes to the scoring log.
  void Change(int urls) {
    const SourceEvent& event = AddToBatch(NewLinks("a.test", {"https://a.test/0"}));
    std::vector<Fingerprint> fingerprints;
    for (int i = 0; i < urls; ++i) {
      fingerprints.push_back(FingerprintOf("https://a.test/" + std::to_string(i)));
    }
    const StateRequest request{"a.test", kPartition, fingerprints};
    CHECK_OK(states_.Load({&request, 1}, kTimeout).status());
    DomainStates* const states = states_.Find("a.test");
    for (const Fingerprint fingerprint : fingerprints) {
      states->Set(fingerprint, {.status = LinkStatus::kQueued});
    }
    states->record().applied = {.topic_epoch = 1, .offset = event.message->offset};
    states->record().outbox = {"a message"};
    states->MarkChanged();
    batch_.domains()[0].sends = true;
    OwnedPartition& owned = *ownership_.Find(kPartition);
    owned.has_changes = true;
    owned.applied_to = event.message->offset + 1;
  }
  // Of the scoring log, behind the marker.
  int64_t Appended() { return world_.EndOf(kScoringLogTopic, kPartition) - Offset(1); }

  StrategyWorkerOptions options_;
  NotingStore store_{world_.store};
  NotingConsumer::Noted consumer_;
  LogSession spider_log_{world_.bus,
                         world_.clock,
                         std::make_unique<NotingConsumer>(consumer_),
                         *world_.bus.NewOffsetReader(),
                         {.topic = std::string(kSpiderLogTopic)}};
  DirectWrite background_;
  KeptEntries kept_entries_;
  Flight flight_{{.options = options_,
                  .clock = world_.clock,
                  .store = store_,
                  .states = states_,
                  .kept_entries = kept_entries_,
                  .log = *log_,
                  .spider_log = spider_log_,
                  .background = background_,
                  .metrics = metrics_}};
};

TEST_F(FlightTest, ABatchEndsWithItsRowsItsMessagesAndItsCommit) {
  Change(1);
  flight_.Begin(&ownership_, &batch_);
  EXPECT_TRUE(flight_.IsUnderWay());
  EXPECT_EQ(Appended(), 0) << "before the row is known to be durable";
  ASSERT_OK(flight_.Finish());
  EXPECT_FALSE(flight_.IsUnderWay());
  EXPECT_THAT(store_.writes, SizeIs(1));
  EXPECT_EQ(Appended(), 1);
  EXPECT_THAT(consumer_.commits, ElementsAre(Offset(1)));
}

TEST_F(FlightTest, ABatchThatChangedNothingIsCommittedWithoutAPut) {
  ownership_.Find(kPartition)->applied_to = Offset(3);
  flight_.Begin(&ownership_, &batch_);
  ASSERT_OK(flight_.Finish());
  EXPECT_THAT(store_.writes, IsEmpty());
  EXPECT_THAT(consumer_.commits, ElementsAre(Offset(3)));
}

TEST_F(FlightTest, NothingToDoIsNoFlight) {
  flight_.Begin(&ownership_, &batch_);
  EXPECT_FALSE(flight_.IsUnderWay());
}

TEST_F(FlightTest, TheOutboxLeavesTheRecordOnlyWithThePutThatHoldsIt) {
  Change(1);
  flight_.Begin(&ownership_, &batch_);
  EXPECT_THAT(states_.Find("a.test")->record().outbox, IsEmpty());
  EXPECT_THAT(world_.RecordOf("a.test")->outbox, ElementsAre("a message"));
  EXPECT_FALSE(batch_.domains()[0].sends);
}

TEST_F(FlightTest, ARowThatIsNotDurableIsPutAgainUnderTheSameVersionBeforeAnythingIsSent) {
  Change(1);
  const Version version = *ownership_.Find(kPartition)->version;
  store_.FailFrom(0);
  flight_.Begin(&ownership_, &batch_);
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(IsRetry(flight_.Finish()));
    EXPECT_EQ(Appended(), 0);
    EXPECT_THAT(consumer_.commits, IsEmpty());
  }
  store_.Heal();
  ASSERT_OK(flight_.Finish());
  EXPECT_THAT(store_.writes, ElementsAre(ElementsAre(version)));
  EXPECT_EQ(Appended(), 1);
}

TEST_F(FlightTest, TheRecordIsPutOnlyWhenAllItsShardsAreDurable) {
  Change(40);
  store_.FailFrom(0);
  flight_.Begin(&ownership_, &batch_);
  EXPECT_TRUE(IsRetry(flight_.Finish()));
  EXPECT_THAT(store_.writes, IsEmpty()) << "a record that counts shards that are not there";
  store_.Heal();
  ASSERT_OK(flight_.Finish());
  ASSERT_THAT(store_.writes, SizeIs(2));
  EXPECT_THAT(store_.writes[0], SizeIs(1)) << "what was durable is not put again";
  EXPECT_THAT(store_.writes[1], SizeIs(1)) << "the record";
}

TEST_F(FlightTest, NothingIsCommittedBeforeItsMessagesAreAckedAndNothingIsSentTwice) {
  Change(1);
  flight_.Begin(&ownership_, &batch_);
  world_.broker.SetAvailable(false);
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(IsRetry(flight_.Finish()));
    EXPECT_THAT(consumer_.commits, IsEmpty());
  }
  world_.broker.SetAvailable(true);
  ASSERT_OK(flight_.Finish());
  EXPECT_EQ(Appended(), 1);
  EXPECT_THAT(consumer_.commits, SizeIs(1));
}

TEST_F(FlightTest, NothingIsCommittedBeforeItsDeadLettersAreDurable) {
  const Message& message = NewMessage("a.test", "garbage");
  ASSERT_OK(spider_log_.Bury(message, "why"));
  ownership_.Find(kPartition)->applied_to = message.offset + 1;
  flight_.Begin(&ownership_, &batch_);
  world_.broker.SetAvailable(false);
  EXPECT_TRUE(IsRetry(flight_.Finish()));
  EXPECT_THAT(consumer_.commits, IsEmpty());
  world_.broker.SetAvailable(true);
  ASSERT_OK(flight_.Finish());
  EXPECT_THAT(world_.DeadLetterCauses(), ElementsAre("why"));
}

TEST_F(FlightTest, AWorkerThatWasDeposedCommitsNothing) {
  Change(1);
  flight_.Begin(&ownership_, &batch_);
  static_cast<void>(*NewLog()->TakeOver(kPartition, kTimeout));
  EXPECT_TRUE(IsFenced(flight_.Finish()));
  EXPECT_THAT(consumer_.commits, IsEmpty());
}

TEST_F(FlightTest, ACommitThatFailsIsTriedAgainAndNothingElseIs) {
  Change(1);
  flight_.Begin(&ownership_, &batch_);
  consumer_.answer = RetryError("not now");
  EXPECT_TRUE(IsRetry(flight_.Finish()));
  consumer_.answer = absl::OkStatus();
  ASSERT_OK(flight_.Finish());
  EXPECT_THAT(store_.writes, SizeIs(1));
  EXPECT_EQ(Appended(), 1);
  EXPECT_THAT(consumer_.commits, SizeIs(1));
}

}  // namespace
}  // namespace orbweaver
