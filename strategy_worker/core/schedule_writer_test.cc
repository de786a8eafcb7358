#include "strategy_worker/core/schedule_writer.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "common/base/status.h"
#include "common/model/limits.h"
#include "tests/support/expect_ok.h"

namespace orbweaver {
namespace {

class ScheduleWriterTest : public ::testing::Test {
 protected:
  ScoringLogEntry DecodeEntry(const std::string& bytes) {
    ScoringLogEntry entry;
    EXPECT_OK(Decode(bytes, &arena_, &entry));
    return entry;
  }
  ScheduleRequests DecodeSchedule(const std::string& bytes) {
    return std::get<ScheduleRequests>(DecodeEntry(bytes).entry);
  }
  std::vector<ScheduledRequest> Requests(size_t count) {
    urls_.clear();
    for (size_t i = 0; i < count; ++i) urls_.push_back("https://a.test/" + std::to_string(i));
    std::vector<ScheduledRequest> requests;
    for (const std::string& url : urls_) requests.push_back({.url = url});
    return requests;
  }

  const ScheduleRequests head_{
      .source_topic_epoch = 1, .source_offset = Offset(7), .domain = "a.test"};
  Arena arena_;
  std::vector<std::string> urls_;
  std::vector<std::string> entries_;
};

TEST_F(ScheduleWriterTest, AnEventThatSchedulesNothingWritesNothing) {
  ScheduleWriter writer(kDefaultMaxMessageBytes);
  ASSERT_OK(writer.Write(Offset(3), head_, {}, &entries_));
  EXPECT_TRUE(entries_.empty());
}

TEST_F(ScheduleWriterTest, ADomainUpdateAloneIsAMessage) {
  ScheduleWriter writer(kDefaultMaxMessageBytes);
  ScheduleRequests head = head_;
  head.domain_update = DomainUpdate{.back_off = true};
  ASSERT_OK(writer.Write(Offset(3), head, {}, &entries_));
  ASSERT_EQ(entries_.size(), 1u);
  EXPECT_TRUE(DecodeSchedule(entries_[0]).domain_update->back_off);
  EXPECT_EQ(DecodeEntry(entries_[0]).epoch, Offset(3));
}

TEST_F(ScheduleWriterTest, PartsOfALargeEventKeepTheOrderAndOnlyTheFirstUpdatesTheDomain) {
  ScheduleWriter writer(64 << 10);
  ScheduleRequests head = head_;
  head.domain_update = DomainUpdate{.purge = true};
  ASSERT_OK(writer.Write(Offset(3), head, Requests(2500), &entries_));
  ASSERT_GT(entries_.size(), 2u);
  size_t next = 0;
  for (uint32_t part = 0; part < entries_.size(); ++part) {
    EXPECT_LE(entries_[part].size(), size_t{64} << 10);
    const ScheduleRequests schedule = DecodeSchedule(entries_[part]);
    EXPECT_EQ(schedule.part, part);
    EXPECT_EQ(schedule.source_offset, Offset(7));
    EXPECT_EQ(schedule.domain_update.has_value(), part == 0);
    for (const ScheduledRequest& request : schedule.requests) {
      EXPECT_EQ(request.url, urls_[next++]);
    }
  }
  EXPECT_EQ(next, 2500u);
}

TEST_F(ScheduleWriterTest, WhatWouldNotFitIntoARowIsRefused) {
  ScheduleWriter writer(kDefaultMaxMessageBytes);
  const std::string value(kMaxMetaValueBytes, 'x');
  const Meta meta{.key = "k", .value = value};
  std::vector<ScheduledRequest> requests = Requests(8000);
  for (ScheduledRequest& request : requests) request.meta = {&meta, 1};
  EXPECT_TRUE(IsPoison(writer.Write(Offset(3), head_, requests, &entries_)));
}

TEST_F(ScheduleWriterTest, MetaBeyondTheBoundsIsRefusedWithTheField) {
  ScheduleWriter writer(kDefaultMaxMessageBytes);
  const std::string value(kMaxMetaValueBytes + 1, 'x');
  const Meta meta{.key = "k", .value = value};
  std::vector<ScheduledRequest> requests = Requests(1);
  requests[0].meta = {&meta, 1};
  const absl::Status status = writer.Write(Offset(3), head_, requests, &entries_);
  EXPECT_TRUE(IsPoison(status));
  EXPECT_NE(MessageOf(status).find("meta"), std::string_view::npos) << status;
}

TEST_F(ScheduleWriterTest, AClaimedEntryGetsTheNewEpochAndKeepsAllElse) {
  ScheduleWriter writer(kDefaultMaxMessageBytes);
  ASSERT_OK(writer.Write(Offset(3), head_, Requests(2), &entries_));
  std::string entry = entries_[0];
  EncodeBuffer buffer;
  EXPECT_TRUE(*ReplaceEpoch(Offset(900), &arena_, &buffer, &entry));
  EXPECT_EQ(DecodeEntry(entry).epoch, Offset(900));
  EXPECT_EQ(DecodeSchedule(entry).requests[1].url, urls_[1]);
  EXPECT_FALSE(*ReplaceEpoch(Offset(900), &arena_, &buffer, &entry));
}

TEST_F(ScheduleWriterTest, AnOutboxThatIsNoEntryIsFatalRatherThanLost) {
  std::string entry = "garbage";
  EncodeBuffer buffer;
  EXPECT_TRUE(IsFatal(ReplaceEpoch(Offset(1), &arena_, &buffer, &entry).status()));
}

}  // namespace
}  // namespace orbweaver
