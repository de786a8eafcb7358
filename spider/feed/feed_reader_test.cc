#include "spider/feed/feed_reader.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/status.h"
#include "common/bus/memory/memory_bus.h"
#include "common/bus/topics.h"
#include "tests/support/expect_ok.h"
#include "tests/support/spider_logs.h"

namespace orbweaver {
namespace {

using std::chrono::seconds;

constexpr Duration kTimeout = seconds(5);

class FeedReaderTest : public ::testing::Test, protected FeedListener {
 protected:
  FeedReaderTest() {
    const auto topics = ProductTopics({.partitions = 1});
    EXPECT_OK(bus_.EnsureTopics(*topics, kTimeout));
    writer_ = std::make_unique<FeedWriter>(bus_, 1, *suffixes_, kTimeout);
  }

  void Write(int count) {
    for (int i = 0; i < count; ++i) {
      ASSERT_OK(writer_->Add({.url = "http://a.test/" + std::to_string(written_++)}));
    }
    ASSERT_OK(writer_->Flush());
  }
  std::unique_ptr<FeedReader> Reader(Bus& bus, OnCutLog on_cut) {
    auto session = NewFeedSession(bus, clock_, {.member = "reader", .on_cut = on_cut});
    EXPECT_OK(session);
    FeedListener& listener = *this;
    auto reader = std::make_unique<FeedReader>(*std::move(session), clock_, listener, stats_);
    EXPECT_OK(reader->Start());
    return reader;
  }
  std::unique_ptr<FeedReader> Join(OnCutLog on_cut = OnCutLog::kStop) {
    return Reader(bus_, on_cut);
  }
  void Read(FeedReader& reader, size_t room = 1000) {
    for (int i = 0; i < 3; ++i) ASSERT_OK(reader.Poll(room, std::chrono::milliseconds(10)));
  }
  CommittedOffset Committed() {
    const PartitionId only(0);
    const auto committed =
        bus_.NewOffsetReader().value()->Committed(kSpiderGroup, kSpiderFeedTopic, {&only, 1}, {});
    EXPECT_OK(committed);
    return (*committed)[0].value_or(CommittedOffset{.offset = Offset(-1), .metadata = "none"});
  }
  // Without its end.
  std::string Metadata() {
    std::string metadata = Committed().metadata;
    if (metadata == "none") return metadata;
    EXPECT_TRUE(metadata.ends_with(' ')) << metadata;
    return metadata.substr(0, metadata.size() - 1);
  }
  // Retention deletes what is below `start`.
  void Cut(int start) {
    ASSERT_OK(broker_.CutLog(kSpiderFeedTopic, PartitionId(0), Offset(start)));
  }

  void OnRequest(const FeedRequest& request) override {
    places_.push_back(request.place);
    urls_.emplace_back(request.journey->request().url);
    others_until_ = request.others_until;
    rest_until_ = request.rest_until;
  }
  void OnRevoking(std::span<const PartitionId>) override { ++revoked_; }
  void OnGone(std::span<const PartitionId>) override { ++gone_; }

  ManualClock clock_;
  MemoryBroker broker_{&clock_};
  MemoryBus bus_{&broker_, {}};
  const std::unique_ptr<const PublicSuffixes> suffixes_ = PublicSuffixes::Load({}).value();
  std::unique_ptr<FeedWriter> writer_;
  FeedStats stats_;
  std::vector<FeedPlace> places_;
  std::vector<std::string> urls_;
  std::optional<SteadyTime> others_until_, rest_until_;
  int written_ = 0, revoked_ = 0, gone_ = 0;
};

TEST_F(FeedReaderTest, ReadsNoMoreThanThereIsRoomForAndNothingWithoutRoom) {
  Write(10);
  const auto reader = Join();
  for (int i = 0; i < 5; ++i) ASSERT_OK(reader->Poll(0, std::chrono::milliseconds(10)));
  EXPECT_TRUE(urls_.empty());
  while (urls_.empty()) ASSERT_OK(reader->Poll(3, std::chrono::milliseconds(10)));
  EXPECT_EQ(urls_.size(), 3u);
  for (int i = 0; i < 5; ++i) ASSERT_OK(reader->Poll(0, std::chrono::milliseconds(10)));
  EXPECT_EQ(urls_.size(), 3u);
  Read(*reader);
  EXPECT_EQ(urls_.size(), 10u);
}

TEST_F(FeedReaderTest, OneUnfinishedRequestKeepsAllBehindItUncommitted) {
  Write(10);
  const auto reader = Join();
  Read(*reader);
  ASSERT_EQ(places_.size(), 10u);
  for (size_t i = 1; i < 10; ++i) EXPECT_TRUE(reader->Finish(places_[i]));
  ASSERT_OK(reader->Commit(kTimeout));
  EXPECT_EQ(reader->uncommitted(), 10u);
  EXPECT_EQ(stats_.commits, 0u);
  EXPECT_TRUE(reader->Finish(places_[0]));
  EXPECT_FALSE(reader->Finish(places_[0])) << "a late answer";
  EXPECT_EQ(reader->uncommitted(), 10u) << "finished is not committed";
  ASSERT_OK(reader->Commit(kTimeout));
  EXPECT_EQ(reader->uncommitted(), 0u);
}

TEST_F(FeedReaderTest, ACommitSaysTheEpochThatHoldsAtItsOffset) {
  ASSERT_OK(writer_->TakeOver(PartitionId(0)));  // offset 0
  Write(2);                                      // 1 and 2
  ASSERT_OK(writer_->TakeOver(PartitionId(0)));  // 3
  Write(1);                                      // 4
  const auto reader = Join();
  Read(*reader);
  ASSERT_EQ(places_.size(), 3u);
  EXPECT_TRUE(reader->Finish(places_[0]));
  EXPECT_TRUE(reader->Finish(places_[2]));
  ASSERT_OK(reader->Commit(kTimeout));
  EXPECT_EQ(Metadata(), "0") << "the request at offset 2 must still count for the next reader";
  EXPECT_TRUE(reader->Finish(places_[1]));
  ASSERT_OK(reader->Commit(kTimeout));
  EXPECT_EQ(Metadata(), "3");
}

TEST_F(FeedReaderTest, WhatWasReadBeforeAPartitionWentCannotBeFinishedAfterItCameBack) {
  Write(2);
  auto reader = Join();
  Read(*reader);
  ASSERT_EQ(places_.size(), 2u);
  const FeedPlace before = places_[0];
  EXPECT_TRUE(reader->Finish(before));
  reader->Close();
  EXPECT_EQ(revoked_, 1);
  EXPECT_EQ(gone_, 1);
  EXPECT_FALSE(reader->Finish(places_[1]));
  EXPECT_EQ(others_until_, std::nullopt) << "nobody had it before";

  reader = Join();
  Read(*reader);
  ASSERT_EQ(places_.size(), 3u) << "the finished one was committed when it went";
  EXPECT_EQ(urls_.back(), "http://a.test/1");
  EXPECT_TRUE(others_until_.has_value());
}

TEST_F(FeedReaderTest, WhoeverDiesBeforeFinishingAnythingIsKnownToHaveAsked) {
  Write(2);
  auto reader = Join();
  EXPECT_EQ(Committed().metadata, "none");
  while (places_.empty()) ASSERT_OK(reader->Poll(1, std::chrono::milliseconds(10)));
  EXPECT_EQ(Committed().offset, Offset(0)) << "before the first request";
  EXPECT_EQ(others_until_, std::nullopt) << "nobody had it before";
  reader.reset();  // it finished nothing and gave nothing back

  clock_.Advance(std::chrono::minutes(1));
  const SteadyTime taken_over = clock_.Now();
  places_.clear();
  reader = Join();
  Read(*reader);
  ASSERT_EQ(places_.size(), 2u);
  EXPECT_GE(others_until_, taken_over);
}

TEST_F(FeedReaderTest, NothingIsReadBeforeTheFirstCommitIsThere) {
  for (uint64_t seed = 1; seed < 50; ++seed) {
    MemoryBroker broker(&clock_);
    MemoryBus faulty(&broker, {.faults = {.seed = seed, .unavailable = 0.7}});
    MemoryBus sound(&broker, {});
    ASSERT_OK(sound.EnsureTopics(*ProductTopics({.partitions = 1}), kTimeout));
    FeedWriter writer(sound, 1, *suffixes_, kTimeout);
    ASSERT_OK(writer.Add({.url = "http://a.test/"}));
    ASSERT_OK(writer.Flush());
    const auto reader = Reader(faulty, OnCutLog::kStop);
    urls_.clear();
    const PartitionId only(0);
    for (int i = 0; i < 1000 && urls_.empty(); ++i) {
      const absl::Status status = reader->Poll(1, std::chrono::milliseconds(10));
      ASSERT_TRUE(status.ok() || IsRetry(status)) << status;
      const auto committed = sound.NewOffsetReader().value()->Committed(
          kSpiderGroup, kSpiderFeedTopic, {&only, 1}, {});
      ASSERT_OK(committed);
      if (!urls_.empty()) EXPECT_TRUE((*committed)[0].has_value()) << "seed " << seed;
    }
    ASSERT_EQ(urls_.size(), 1u) << "seed " << seed;
  }
}

TEST_F(FeedReaderTest, WhoHasAskedForRestHasItFromTheNextReaderToo) {
  ASSERT_OK(writer_->TakeOver(PartitionId(0)));  // offset 0
  Write(2);
  auto reader = Join();
  Read(*reader);
  EXPECT_EQ(rest_until_, std::nullopt);
  EXPECT_FALSE(reader->rests_to_commit());
  ASSERT_OK(reader->Commit(kTimeout));  // past the marker, so that nothing else is left to commit
  const SteadyTime until = clock_.Now() + seconds(100);
  reader->Rest(PartitionId(0), "a.test", until);
  reader->Rest(PartitionId(7), "a.test", until);  // gone meanwhile
  EXPECT_TRUE(reader->rests_to_commit());
  ASSERT_OK(reader->Commit(kTimeout));  // though nothing is finished
  EXPECT_FALSE(reader->rests_to_commit());
  reader->Rest(PartitionId(0), "a.test", until);
  EXPECT_FALSE(reader->rests_to_commit()) << "that is known";
  reader.reset();  // dies

  clock_.Advance(seconds(10));
  places_.clear();
  reader = Join();
  Read(*reader);
  ASSERT_EQ(places_.size(), 2u);
  ASSERT_TRUE(rest_until_.has_value());
  EXPECT_GE(*rest_until_, until);
  EXPECT_LE(*rest_until_, until + seconds(1));

  // And from the one after that.
  EXPECT_TRUE(reader->Finish(places_[0]));
  ASSERT_OK(reader->Commit(kTimeout));
  EXPECT_EQ(Metadata().substr(0, 2), "0 ");
  reader.reset();
  rest_until_.reset();
  reader = Join();
  Read(*reader);
  ASSERT_TRUE(rest_until_.has_value());
  EXPECT_GE(*rest_until_, until);
  reader.reset();

  clock_.Advance(seconds(100));
  reader = Join();
  Read(*reader);
  EXPECT_LE(rest_until_, clock_.Now());
  for (const FeedPlace& place : places_) (void)reader->Finish(place);
  ASSERT_OK(reader->Commit(kTimeout));
  EXPECT_EQ(Metadata(), "0") << "over, and forgotten";
}

TEST_F(FeedReaderTest, ACutFeedStopsTheSpiderWithWhatToDo) {
  Write(10);
  const auto reader = Join();
  while (places_.empty()) ASSERT_OK(reader->Poll(2, std::chrono::milliseconds(10)));
  Cut(7);
  const absl::Status status = reader->Poll(10, std::chrono::milliseconds(10));
  EXPECT_TRUE(IsFatal(status)) << status;
  EXPECT_THAT(std::string(status.message()),
              ::testing::AllOf(::testing::HasSubstr("5 entries from offset 2 on"),
                               ::testing::HasSubstr("worker.on_cut_log")));
  EXPECT_EQ(stats_.lost, 0u);
}

TEST_F(FeedReaderTest, ByConfigurationACutFeedIsReadOnBehindTheGapAndTheLostAreCounted) {
  ASSERT_OK(writer_->TakeOver(PartitionId(0)));  // offset 0
  Write(10);
  const auto reader = Join(OnCutLog::kContinue);
  while (places_.size() < 2) ASSERT_OK(reader->Poll(3, std::chrono::milliseconds(10)));
  Cut(8);
  Read(*reader);
  EXPECT_EQ(stats_.lost, 8u - 1 - places_[1].offset.value());
  EXPECT_EQ(urls_.back(), "http://a.test/9");
  EXPECT_EQ(Committed().offset, Offset(8));
  EXPECT_EQ(Metadata(), "0");
  EXPECT_EQ(reader->uncommitted(), 3u);
  // A request read before the gap has its outcome as ever, and does not take the commit back.
  EXPECT_TRUE(reader->Finish(places_[1]));
  ASSERT_OK(reader->Commit(kTimeout));
  EXPECT_EQ(Committed().offset, Offset(8));
  for (size_t i = 0; i < places_.size(); ++i) {
    if (i != 1) EXPECT_TRUE(reader->Finish(places_[i])) << i;
  }
  ASSERT_OK(reader->Commit(kTimeout));
  EXPECT_EQ(Committed().offset, Offset(11));
  EXPECT_EQ(reader->uncommitted(), 0u);
}

TEST_F(FeedReaderTest, WhileTheBusIsAwayACutWaits) {
  MemoryBus faulty(&broker_, {.faults = {.seed = 3, .unavailable = 0.5}});
  Write(10);
  const auto reader = Reader(faulty, OnCutLog::kContinue);
  const auto poll_until = [&](size_t requests) {
    for (int i = 0; i < 1000 && urls_.size() < requests; ++i) {
      const absl::Status status = reader->Poll(2, std::chrono::milliseconds(10));
      ASSERT_TRUE(status.ok() || IsRetry(status)) << status;
    }
    ASSERT_EQ(urls_.size(), requests);
  };
  for (int start = 4; start < 300; start += 4) {
    Write(10);
    poll_until(urls_.size() + 2);
    Cut(start);
  }
  EXPECT_GT(stats_.lost, 0u);
}

TEST_F(FeedReaderTest, AnEntryTooLargeForItsOutcomeIsKeptElsewhere) {
  // A field of a newer schema, as large as it likes to be.
  std::string unknown = "\xa2\x06\xe0\xd4\x03" + std::string(60'000, 'x');
  ASSERT_OK(writer_->Add({.url = "http://a.test/large", .unknown = unknown}));
  Write(1);
  const auto reader = Join();
  Read(*reader);
  EXPECT_EQ(urls_.size(), 1u);
  EXPECT_EQ(stats_.dead_letters, 1u);
  EXPECT_TRUE(reader->Finish(places_[0]));
  ASSERT_OK(reader->Commit(kTimeout));
  EXPECT_EQ(reader->uncommitted(), 0u);
}

}  // namespace
}  // namespace orbweaver
