#include "common/worker/log_session.h"

#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/check.h"
#include "common/base/status.h"
#include "common/bus/memory/memory_bus.h"
#include "common/bus/topics.h"
#include "tests/support/expect_ok.h"

namespace orbweaver {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr PartitionId kFirst(0);
constexpr PartitionId kSecond(1);

class LogSessionTest : public ::testing::Test, protected RebalanceListener {
 protected:
  LogSessionTest() {
    CHECK_OK(bus_.EnsureTopics(*ProductTopics({.partitions = 2}), seconds(1)).status());
    session_ = Join(OnCutLog::kStop);
    Poll();
    Produce(kFirst);
    Produce(kSecond);
  }

  std::unique_ptr<LogSession> Join(OnCutLog on_cut, const char* member = "one",
                                   Departure departure = Departure::kForNow) {
    auto session =
        LogSession::Create(bus_, clock_,
                           {.topic = std::string(kSpiderLogTopic),
                            .group = "group",
                            .membership = {.member = member,
                                           .session_timeout = seconds(6),
                                           .on_cut = on_cut,
                                           .departure = [departure] { return departure; }},
                            .call_timeout = seconds(1),
                            .module = "test",
                            .loss = "Their links are lost"});
    CHECK_OK(session.status());
    CHECK_OK((*session)->Join(this));
    return *std::move(session);
  }

  // Joins anew, under another policy.
  void Rejoin(OnCutLog on_cut) {
    session_->Close();
    session_ = Join(on_cut);
    Poll();
  }

  // The messages of one poll.
  size_t Poll() {
    MessageBatch batch;
    CHECK_OK(session_->Poll({}, Duration::zero(), &batch));
    return batch.messages().size();
  }

  void Produce(PartitionId partition, int count = 1) {
    const auto producer = *bus_.NewProducer({}, [](const Ack& ack) { CHECK_OK(ack.status); });
    for (int i = 0; i < count; ++i) {
      CHECK_OK(producer->Send({kSpiderLogTopic, partition, "key", "value", {}}, 0));
    }
    CHECK_OK(producer->Flush(seconds(1)));
  }

  CommittedOffset Committed(PartitionId partition) {
    const auto committed =
        bus_.NewOffsetReader().value()->Committed("group", kSpiderLogTopic, {&partition, 1}, {});
    CHECK_OK(committed.status());
    return (*committed)[0].value_or(CommittedOffset{.offset = Offset(-1), .metadata = "none"});
  }

  void OnAssigned(std::span<const AssignedPartition> partitions) override {
    for (const AssignedPartition& one : partitions) has_.push_back(one.partition);
  }
  void OnRevoked(std::span<const PartitionId> gone) override { OnLost(gone); }
  void OnLost(std::span<const PartitionId> gone) override {
    ++losses_;
    for (const PartitionId one : gone) std::erase(has_, one);
  }

  ManualClock clock_;
  MemoryBroker broker_{&clock_};
  MemoryBus bus_{&broker_, {}};
  std::unique_ptr<LogSession> session_;
  std::vector<PartitionId> has_;
  int losses_ = 0;
};

const LogSession::MetadataOf kNoMetadata = [](PartitionId) { return std::string(); };

TEST_F(LogSessionTest, IsDueASecondAfterTheLastPollOfEitherKind) {
  EXPECT_FALSE(session_->IsDue());
  clock_.Advance(milliseconds(999));
  EXPECT_FALSE(session_->IsDue());
  clock_.Advance(milliseconds(1));
  EXPECT_TRUE(session_->IsDue());
  ASSERT_OK(session_->StayInGroup());
  EXPECT_FALSE(session_->IsDue());
  clock_.Advance(seconds(1));
  Poll();
  EXPECT_FALSE(session_->IsDue());
}

TEST_F(LogSessionTest, AMemberThatOnlyStaysInTheGroupKeepsItsPartitionsAndIsGivenNoMessages) {
  ASSERT_EQ(has_.size(), 2u);
  for (int i = 0; i < 100; ++i) {
    clock_.Advance(seconds(5));
    ASSERT_OK(session_->StayInGroup());
  }
  EXPECT_EQ(losses_, 0);
  EXPECT_EQ(Poll(), 2u) << "the next poll reads again";
}

TEST_F(LogSessionTest, APartitionThatTheWorkerHasPausedStaysPausedOverLongWork) {
  ASSERT_OK(session_->SetPaused(kSecond, true));
  ASSERT_OK(session_->StayInGroup());
  EXPECT_EQ(Poll(), 1u);
  EXPECT_EQ(session_->NextOf(kFirst), Offset(1));
  EXPECT_EQ(session_->NextOf(kSecond), Offset(0));
  ASSERT_OK(session_->SetPaused(kSecond, false));
  EXPECT_EQ(Poll(), 1u);
  EXPECT_EQ(session_->NextOf(kSecond), Offset(1));
}

TEST_F(LogSessionTest, APartitionThatIsResumedInTheMiddleOfLongWorkIsReadAfterIt) {
  ASSERT_OK(session_->SetPaused(kSecond, true));
  ASSERT_OK(session_->StayInGroup());
  ASSERT_OK(session_->SetPaused(kSecond, false));
  ASSERT_OK(session_->StayInGroup()) << "it would say that messages of a paused partition came";
  EXPECT_EQ(Poll(), 2u);
}

TEST_F(LogSessionTest, IsBehindByTheAgeOfTheOldestMessageUntilNothingIsLeftToRead) {
  clock_.Advance(seconds(2));
  Produce(kFirst);
  clock_.Advance(seconds(3));
  EXPECT_EQ(Poll(), 3u);
  EXPECT_EQ(session_->behind(), seconds(5));
  Poll();
  EXPECT_EQ(session_->behind(), seconds(0));
}

TEST_F(LogSessionTest, AWorkerThatHasPausedAPartitionDoesNotTakeItselfForUpToDate) {
  clock_.Advance(seconds(5));
  EXPECT_EQ(Poll(), 2u);
  ASSERT_OK(session_->SetPaused(kFirst, true));
  Poll();
  EXPECT_EQ(session_->behind(), seconds(5));
}

TEST_F(LogSessionTest, ABrokerThatIsAwayIsNoErrorInLongWork) {
  broker_.SetAvailable(false);
  EXPECT_OK(session_->StayInGroup());
  broker_.SetAvailable(true);
  EXPECT_TRUE(IsFenced(session_->SetPaused(PartitionId(7), true)));
}

TEST_F(LogSessionTest, ACutLogStopsAWorkerWithWhatWasLostAndWhatToDo) {
  Produce(kSecond, 4);
  ASSERT_OK(broker_.CutLog(kSpiderLogTopic, kSecond, Offset(3)));
  Poll();
  ASSERT_TRUE(session_->is_cut());
  const absl::Status status = session_->GoOnBehindCuts(kNoMetadata).status();
  EXPECT_TRUE(IsFatal(status)) << status;
  EXPECT_THAT(
      std::string(MessageOf(status)),
      testing::AllOf(testing::HasSubstr("'spider-log' partition 1: 3 entries from offset 0"),
                     testing::HasSubstr("Their links are lost"),
                     testing::HasSubstr("worker.on_cut_log")));
  EXPECT_EQ(Committed(kSecond).metadata, "none") << "the next start meets it again";
}

TEST_F(LogSessionTest, ByConfigurationItGoesOnBehindTheCut) {
  Rejoin(OnCutLog::kContinue);
  Produce(kSecond, 4);
  ASSERT_OK(broker_.CutLog(kSpiderLogTopic, kSecond, Offset(3)));
  Poll();
  ASSERT_TRUE(session_->is_cut());
  const auto cuts = session_->GoOnBehindCuts([](PartitionId) { return std::string("an epoch"); });
  ASSERT_OK(cuts);
  ASSERT_EQ(cuts->size(), 1u);
  EXPECT_EQ(cuts->front().partition, kSecond);
  EXPECT_FALSE(session_->is_cut());
  EXPECT_EQ(session_->NextOf(kSecond), Offset(3));
  EXPECT_EQ(Committed(kSecond).offset, Offset(3));
  EXPECT_EQ(Committed(kSecond).metadata, "an epoch");
  while (session_->NextOf(kSecond) < Offset(5)) ASSERT_GT(Poll(), 0u);
}

TEST_F(LogSessionTest, ACutIsNoticedInTheMiddleOfLongWorkToo) {
  Rejoin(OnCutLog::kContinue);
  ASSERT_OK(session_->StayInGroup());
  Produce(kFirst, 4);
  ASSERT_OK(broker_.CutLog(kSpiderLogTopic, kFirst, Offset(5)));
  ASSERT_OK(session_->StayInGroup());
  Poll();
  EXPECT_TRUE(session_->is_cut());
}

TEST_F(LogSessionTest, APartitionThatIsNotReadyForItsCutIsAskedForAgain) {
  Rejoin(OnCutLog::kContinue);
  Produce(kSecond, 4);
  ASSERT_OK(broker_.CutLog(kSpiderLogTopic, kSecond, Offset(3)));
  Poll();
  const auto only_first = [](PartitionId partition) -> std::optional<std::string> {
    if (partition == kSecond) return std::nullopt;
    return "";
  };
  const auto cuts = session_->GoOnBehindCuts(only_first);
  ASSERT_OK(cuts);
  EXPECT_TRUE(cuts->empty());
  EXPECT_TRUE(session_->is_cut());
  EXPECT_EQ(session_->GoOnBehindCuts(kNoMetadata)->size(), 1u);
  EXPECT_FALSE(session_->is_cut());
}

TEST_F(LogSessionTest, AWorkerThatGoesForGoodLeavesItsPartitionsToTheOthersAtOnce) {
  const auto messages_of_the_next = [this](Departure departure) {
    session_->Close();
    session_ = Join(OnCutLog::kStop, "one", departure);
    Poll();
    session_->Close();
    session_ = Join(OnCutLog::kStop, "two", Departure::kForGood);
    Poll();
    return Poll();
  };
  EXPECT_EQ(messages_of_the_next(Departure::kForNow), 0u);
  EXPECT_EQ(messages_of_the_next(Departure::kForGood), 2u);
}

TEST_F(LogSessionTest, NothingIsCommittedBeforeWhatWasBuriedIsDurable) {
  MessageBatch batch;
  ASSERT_OK(session_->Poll({}, Duration::zero(), &batch));
  const Message& message = batch.messages().front();
  ASSERT_OK(session_->Bury(message, "why"));
  const OffsetCommit commit{message.partition, message.offset + 1, {}};
  broker_.SetAvailable(false);
  EXPECT_TRUE(IsRetry(session_->Commit({&commit, 1})));
  broker_.SetAvailable(true);
  EXPECT_EQ(Committed(message.partition).metadata, "none");
  ASSERT_OK(session_->Commit({&commit, 1}));
  EXPECT_EQ(Committed(message.partition).offset, message.offset + 1);
}

}  // namespace
}  // namespace orbweaver
