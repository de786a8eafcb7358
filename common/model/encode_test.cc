// Messages that Encode refuses, so that no writer of ours puts into a log what its readers cannot
// read.
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "common/base/status.h"
#include "common/model/limits.h"
#include "common/model/scoring_log.h"
#include "common/model/spider_feed.h"
#include "common/model/spider_log.h"
#include "common/model/stats.h"

namespace orbweaver {
namespace {

using testing::HasSubstr;

template <typename Entry>
std::string RefusalOf(const Entry& entry) {
  EncodeBuffer buffer;
  const auto bytes = Encode(entry, &buffer);
  EXPECT_FALSE(bytes.ok());
  EXPECT_TRUE(bytes.ok() || IsPoison(bytes.status()));
  return std::string(MessageOf(bytes.status()));
}

SpiderFeedEntry FeedOf(const Request& request) { return {.entry = request}; }

TEST(EncodeTest, AMissingRequiredFieldIsNamed) {
  EXPECT_THAT(RefusalOf(FeedOf({.url = "http://a/"})), HasSubstr("request.domain: missing"));
  EXPECT_THAT(RefusalOf(FeedOf({.domain = "a"})), HasSubstr("request.url: missing"));
  EXPECT_THAT(RefusalOf(SpiderLogEntry{.event = Seeds{}}), HasSubstr("domain: missing"));
}

TEST(EncodeTest, ATextPastItsBoundIsNamedWithBoth) {
  const std::string url(kMaxUrlBytes + 1, 'u');
  EXPECT_THAT(RefusalOf(FeedOf({.url = url, .domain = "a"})),
              HasSubstr("request.url: 2049 bytes, at most 2048"));
}

TEST(EncodeTest, TextThatOtherLanguagesWouldRefuseIsRefused) {
  const Link links[] = {{.url = "http://a/", .anchor = "\xff"}};
  EXPECT_THAT(
      RefusalOf(SpiderLogEntry{
          .domain = "a", .event = LinksFound{.source = {.url = "http://a/"}, .links = links}}),
      HasSubstr("links_found.links.anchor: not UTF-8"));
}

TEST(EncodeTest, AListPastItsBoundIsRefused) {
  const std::vector<Link> links(kMaxLinks + 1, {.url = "http://a/"});
  EXPECT_THAT(
      RefusalOf(SpiderLogEntry{
          .domain = "a", .event = LinksFound{.source = {.url = "http://a/"}, .links = links}}),
      HasSubstr("links_found.links: more than 1000"));
}

TEST(EncodeTest, NumbersThatNoReaderTakesAreRefused) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT(RefusalOf(FeedOf({.url = "u", .domain = "a", .score = nan})), HasSubstr("score"));
  EXPECT_THAT(
      RefusalOf(FeedOf({.url = "u", .domain = "a", .delay = std::chrono::milliseconds(-1)})),
      HasSubstr("delay_ms"));
  EXPECT_THAT(RefusalOf(SpiderFeedEntry{.epoch = Offset(-1), .entry = Marker{}}),
              HasSubstr("epoch"));
  EXPECT_THAT(RefusalOf(SpiderFeedEntry{
                  .entry = Marker{.written_at = WallTime(std::chrono::milliseconds::max())}}),
              HasSubstr("written_at_ms"));
  const GaugeValue gauges[] = {{.key = "g", .value = INFINITY}};
  EXPECT_THAT(RefusalOf(WorkerStats{.worker_id = "w", .gauges = gauges}), HasSubstr("gauges"));
}

TEST(EncodeTest, TheBufferIsUsedAgain) {
  EncodeBuffer buffer;
  const std::string body(100'000, 'b');
  const SpiderLogEntry large{
      .domain = "a",
      .event = PageFetched{.request = {.url = "http://a/", .domain = "a"}, .body = body}};
  const SpiderFeedEntry small{.epoch = Offset(1), .entry = Marker{.owner = "w"}};
  ASSERT_TRUE(Encode(large, &buffer).ok());
  const auto bytes = Encode(small, &buffer);
  ASSERT_TRUE(bytes.ok());
  // epoch 1; a marker of 3 bytes: its owner of 1.
  EXPECT_EQ(*bytes, std::string_view("\x08\x01\x12\x03\x0a\x01w", 7));
}

}  // namespace
}  // namespace orbweaver
