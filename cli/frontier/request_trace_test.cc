#include "cli/frontier/request_trace.h"

#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "common/bus/embedded/embedded_bus.h"
#include "common/bus/topics.h"
#include "common/model/encode_buffer.h"
#include "common/model/scoring_log.h"
#include "common/model/spider_log.h"
#include "common/store/rocksdb/database.h"
#include "common/url/fingerprint.h"
#include "tests/support/expect_ok.h"
#include "tests/support/scratch_folder.h"

namespace orbweaver {
namespace {

using Where = RequestTrace::Where;

constexpr Duration kLong = std::chrono::minutes(1);
constexpr std::string_view kUrl = "http://a.test/x";

// The request of one URL on its way round the loop, in partition 1 of two.
class RequestTraceTest : public ::testing::Test {
 protected:
  RequestTraceTest() {
    database_ = *Database::Open({.folder = folder_.path() / "data"});
    bus_ = *EmbeddedBus::Open(*database_, SystemClock());
    for (const std::string_view topic : {kSpiderLogTopic, kScoringLogTopic, kSpiderFeedTopic}) {
      const TopicSpec spec{.name = std::string(topic), .partitions = 2};
      EXPECT_OK(bus_->EnsureTopics({&spec, 1}, kLong));
    }
    producer_ = *bus_->NewProducer({}, [](const Ack&) {});
    facts_.fingerprint = FingerprintOf(kUrl);
    facts_.domain.partition = PartitionId(1);
    facts_.domain.record.emplace();
  }

  void Append(std::string_view topic, std::string_view value) {
    ASSERT_OK(producer_->Send({std::string(topic), PartitionId(1), "", value, {}}, 0));
    ASSERT_OK(producer_->Flush(kLong));
  }
  std::string Scheduling(std::string_view url) {
    const ScheduledRequest request{.url = url, .fingerprint = FingerprintOf(url)};
    return std::string(*Encode(
        ScoringLogEntry{.epoch = Offset(0),
                        .entry = ScheduleRequests{.domain = "a.test", .requests = {&request, 1}}},
        &buffer_));
  }
  std::string Asking(std::string_view url) {
    return std::string(
        *Encode(SpiderFeedEntry{.epoch = Offset(0), .entry = RequestFor(url)}, &buffer_));
  }
  std::string Failing(std::string_view url) {
    return std::string(
        *Encode(SpiderLogEntry{.domain = "a.test",
                               .event = FetchFailed{.request = RequestFor(url),
                                                    .cause = FailureCause::kRefused,
                                                    .failed_at = SystemClock().Wall()}},
                &buffer_));
  }
  static Request RequestFor(std::string_view url) {
    return {.url = url, .fingerprint = FingerprintOf(url), .domain = "a.test"};
  }

  RequestTrace Trace() {
    auto trace = TraceRequest(*bus_, facts_);
    EXPECT_OK(trace);
    return *trace;
  }

  const ScratchFolder folder_;
  EncodeBuffer buffer_;
  std::unique_ptr<Database> database_;
  std::unique_ptr<EmbeddedBus> bus_;
  std::unique_ptr<Producer> producer_;
  UrlFacts facts_;
};

TEST_F(RequestTraceTest, FollowsTheRequestRoundTheLoop) {
  EXPECT_EQ(Trace().where, Where::kNowhere);
  facts_.domain.record->outbox.push_back(Scheduling(kUrl));
  EXPECT_EQ(Trace().where, Where::kOutbox);
  Append(kScoringLogTopic, Scheduling("http://a.test/y"));
  Append(kScoringLogTopic, Scheduling(kUrl));
  EXPECT_EQ(Trace().where, Where::kScoringLog);
  EXPECT_EQ(Trace().before, 1u);
  for (int i = 0; i < 3; ++i) Append(kSpiderFeedTopic, Asking("http://a.test/y"));
  Append(kSpiderFeedTopic, Asking(kUrl));
  EXPECT_EQ(Trace().where, Where::kFeed);
  EXPECT_EQ(Trace().before, 3u);
  Append(kSpiderLogTopic, Failing(kUrl));
  EXPECT_EQ(Trace().where, Where::kSpiderLog);
  EXPECT_EQ(Trace().before, 0u);
}

TEST_F(RequestTraceTest, ARequestThatASpiderHandedBackIsToldFromAnOutcome) {
  Append(kSpiderFeedTopic, Asking(kUrl));
  Append(kSpiderLogTopic, Failing("http://a.test/y"));
  Append(kSpiderLogTopic,
         *Encode(SpiderLogEntry{.domain = "a.test",
                                .event = Deferred{.request = RequestFor(kUrl),
                                                  .not_before = SystemClock().Wall(),
                                                  .reason = DeferReason::kPoliteness}},
                 &buffer_));
  EXPECT_EQ(Trace().where, Where::kHandedBack);
  EXPECT_EQ(Trace().before, 1u);
}

TEST_F(RequestTraceTest, WhatAGroupHasReadCountsNoMore) {
  Append(kSpiderFeedTopic, Asking(kUrl));
  Append(kSpiderFeedTopic, Asking("http://a.test/y"));
  EXPECT_EQ(Trace().where, Where::kFeed);
  const auto consumer = *bus_->NewConsumer({.group = std::string(kSpiderGroup)});
  const AssignedPartition from{.partition = PartitionId(1), .position = Offset(0)};
  ASSERT_OK(consumer->Assign(kSpiderFeedTopic, {&from, 1}));
  const OffsetCommit commit{PartitionId(1), Offset(1), ""};
  ASSERT_OK(consumer->Commit({&commit, 1}, kLong));
  EXPECT_EQ(Trace().where, Where::kNowhere);
}

TEST_F(RequestTraceTest, BytesOfNoMessageAreNoRequest) {
  for (const std::string_view topic : {kSpiderLogTopic, kScoringLogTopic, kSpiderFeedTopic}) {
    Append(topic, "\xff\x01nonsense");
  }
  EXPECT_EQ(Trace().where, Where::kNowhere);
}

}  // namespace
}  // namespace orbweaver
