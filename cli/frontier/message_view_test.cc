#include "cli/frontier/message_view.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/random.h"
#include "common/base/status.h"
#include "common/bus/topics.h"
#include "common/model/encode_buffer.h"
#include "common/model/schema.h"
#include "common/model/spider_feed.h"
#include "common/model/spider_log.h"
#include "common/protocol/dead_letters.h"

namespace orbweaver {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const Header kOurs{kSchemaHeader, kSchema};

Message Sample(std::string_view value, std::span<const Header> headers = {&kOurs, 1}) {
  return {.partition = PartitionId(3),
          .offset = Offset(42),
          .time = WallTime(std::chrono::milliseconds(1700000000123)),
          .key = "a.test",
          .value = value,
          .headers = headers};
}

TEST(MessageViewTest, AFetchedPageIsShownWithItsRequestAndItsUrls) {
  EncodeBuffer buffer;
  const auto value = Encode(SpiderLogEntry{.domain = "a.test",
                                           .event = PageFetched{.request = {.url = "http://a.test/",
                                                                            .fingerprint = {1, 2},
                                                                            .domain = "a.test"},
                                                                .final_url = "http://a.test/x",
                                                                .status = 200,
                                                                .title = "A \"title\""}},
                            &buffer);
  ASSERT_TRUE(value.ok()) << value.status();
  Arena arena;
  const Message message = Sample(*value);
  const MessageView view = ViewMessage(kSpiderLogTopic, message, &arena);
  EXPECT_EQ(view.type, "page_fetched");
  EXPECT_THAT(view.urls, ElementsAre("http://a.test/", "http://a.test/x"));
  EXPECT_THAT(MessageJson(kSpiderLogTopic, message, view), HasSubstr(R"("title":"A \"title\"")"));
  EXPECT_THAT(MessageLine(kSpiderLogTopic, message, view),
              HasSubstr("spider-log/3@42 2023-11-14T22:13:20.123Z a.test page_fetched {"));
}

TEST(MessageViewTest, AMarkerAndARequestOfTheFeedAreTold) {
  EncodeBuffer buffer;
  Arena arena;
  const auto marker =
      Encode(SpiderFeedEntry{.epoch = Offset(1), .entry = Marker{.owner = "db-1"}}, &buffer);
  ASSERT_TRUE(marker.ok()) << marker.status();
  EXPECT_EQ(ViewMessage(kSpiderFeedTopic, Sample(*marker), &arena).type, "marker");
}

TEST(MessageViewTest, AnOrderIsToldAndThatItLiftsABlockToo) {
  EncodeBuffer buffer;
  Arena arena;
  const auto order =
      Encode(SpiderLogEntry{.domain = "a.test", .event = DomainOrder{.blocked_until = WallTime()}},
             &buffer);
  ASSERT_TRUE(order.ok()) << order.status();
  const MessageView view = ViewMessage(kSpiderLogTopic, Sample(*order), &arena);
  EXPECT_EQ(view.type, "domain_order");
  EXPECT_EQ(view.detail, R"({"blocked_until_ms":0,"purge":false})");
}

TEST(MessageViewTest, AnOrderAboutAUrlIsFoundByItsUrl) {
  EncodeBuffer buffer;
  Arena arena;
  const auto order = Encode(
      SpiderLogEntry{.domain = "a.test",
                     .event = UrlOrder{.url = "http://a.test/1", .score = 1, .fetch_again = true}},
      &buffer);
  ASSERT_TRUE(order.ok()) << order.status();
  const MessageView view = ViewMessage(kSpiderLogTopic, Sample(*order), &arena);
  EXPECT_EQ(view.type, "url_order");
  EXPECT_THAT(view.urls, ElementsAre("http://a.test/1"));
  EXPECT_EQ(view.detail, R"({"url":"http://a.test/1","fetch_again":true,"score":1})");
}
TEST(MessageViewTest, WhatIsNoMessageIsShownWithTheReason) {
  Arena arena;
  const MessageView nonsense = ViewMessage(kSpiderLogTopic, Sample("\xff nonsense"), &arena);
  EXPECT_EQ(nonsense.type, "unreadable");
  EXPECT_THAT(nonsense.detail, HasSubstr("value_bytes\":10"));
  const Header newer{kSchemaHeader, "orbweaver.v2"};
  const MessageView strange = ViewMessage(kScoringLogTopic, Sample("", {&newer, 1}), &arena);
  EXPECT_EQ(strange.type, "unreadable");
  EXPECT_THAT(strange.detail, HasSubstr("orbweaver.v2"));
}

TEST(MessageViewTest, ADeadLetterTellsWhereItCameFromAndWhy) {
  const Header headers[] = {{kDeadLetterTopicHeader, "spider-log"},
                            {kDeadLetterPartitionHeader, "5"},
                            {kDeadLetterOffsetHeader, "77"},
                            {kDeadLetterCauseHeader, "no entry"}};
  Arena arena;
  const MessageView view = ViewMessage(kDeadLetterTopic, Sample("x", headers), &arena);
  EXPECT_EQ(view.type, "dead_letter");
  EXPECT_EQ(view.detail, R"({"from_topic":"spider-log","from_partition":"5","from_offset":"77",)"
                         R"("cause":"no entry","value_bytes":1})");
}

TEST(MessageViewTest, AnExportedRecordHoldsAnyBytesUnchanged) {
  const Header header{"h", std::string_view("\0\xff", 2)};
  EXPECT_EQ(MessageRecord("t", Sample(std::string_view("\0\n", 2), {&header, 1})),
            R"({"topic":"t","partition":3,"offset":42,"time_ms":1700000000123,)"
            R"("key":"YS50ZXN0","value":"AAo=","headers":[["h","AP8="]]})");
}

TEST(MessageViewTest, AnyBytesOfAnyTopicAreOneLine) {
  Random random(1);
  std::string bytes;
  Arena arena;
  for (int round = 0; round < 2000; ++round) {
    bytes.clear();
    for (uint64_t left = random.Below(60); left > 0; --left) {
      bytes.push_back(static_cast<char>(random.Below(256)));
    }
    for (const std::string_view topic :
         {kSpiderLogTopic, kScoringLogTopic, kSpiderFeedTopic, kStatsTopic, kDeadLetterTopic}) {
      arena.Reset();
      Message message = Sample(bytes);
      message.key = bytes;
      const MessageView view = ViewMessage(topic, message, &arena);
      EXPECT_EQ(MessageLine(topic, message, view).find('\n'), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace orbweaver
