// The bytes of one message of each kind, as they stand in users' logs. A change here is a change of
// the contract: old logs and other languages' clients must still be understood (proto/README.md).
//
// golden/NAME.bin are the bytes; golden/NAME.txtpb is the same message as Protocol Buffers' text,
// which names the fields. `ORBWEAVER_UPDATE_GOLDEN=1` writes both anew, to be read before they are
// committed.
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"

#include "common/base/status.h"
#include "common/model/scoring_log.h"
#include "common/model/spider_feed.h"
#include "common/model/spider_log.h"
#include "common/model/stats.h"
#include "orbweaver/v1/scoring_log.pb.h"
#include "orbweaver/v1/spider_feed.pb.h"
#include "orbweaver/v1/spider_log.pb.h"
#include "orbweaver/v1/stats.pb.h"

namespace orbweaver {
namespace {

using std::chrono::milliseconds;

std::string ReadFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in) << path << " cannot be read";
  std::stringstream content;
  content << in.rdbuf();
  return content.str();
}

void WriteFile(const std::string& path, std::string_view content) {
  std::ofstream(path, std::ios::binary) << content;
}

// Every field of `message` is to be set, each to a value of its own.
template <typename Generated, typename Ours>
void CheckGolden(const std::string& name, const Ours& message) {
  const std::string path = "common/model/golden/" + name;
  EncodeBuffer buffer;
  const auto encoded = Encode(message, &buffer);
  ASSERT_TRUE(encoded.ok()) << encoded.status();

  if (std::getenv("ORBWEAVER_UPDATE_GOLDEN") != nullptr) {
    Generated parsed;
    ASSERT_TRUE(parsed.ParseFromString(std::string(*encoded)));
    std::string text;
    ASSERT_TRUE(google::protobuf::TextFormat::PrintToString(parsed, &text));
    WriteFile(path + ".txtpb", text);
    WriteFile(path + ".bin", *encoded);
  }

  const std::string golden = ReadFile(path + ".bin");
  EXPECT_EQ(*encoded, golden) << "the encoding of " << name << " has changed";

  Generated named;
  ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(ReadFile(path + ".txtpb"), &named));
  EXPECT_EQ(named.SerializeAsString(), golden) << name << ".txtpb is another message";

  Arena arena;
  Ours decoded;
  ASSERT_TRUE(Decode(golden, &arena, &decoded).ok());
  const auto again = Encode(decoded, &buffer);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(*again, golden) << name << " is not understood";
}

WallTime At(int64_t ms) { return WallTime(milliseconds(ms)); }

constexpr Meta kMeta[] = {{.key = "job", .value = "news"}};

Request GoldenRequest() {
  return {.url = "https://www.example.com/a?b=1",
          .fingerprint = {0x0123456789abcdef, 0xfedcba9876543210},
          .domain = "example.com",
          .depth = 2,
          .score = 0.75f,
          .attempt = 1,
          .etag = "\"v1\"",
          .last_modified = "Tue, 15 Nov 1994 12:45:26 GMT",
          .band = 3,
          .seq = 300,
          .index = 127,
          .meta = kMeta,
          .delay = milliseconds(1500),
          .referrer = "https://www.example.com/"};
}

TEST(GoldenTest, FeedMarkerKeepsItsBytes) {
  CheckGolden<v1::SpiderFeedEntry>(
      "feed_marker",
      SpiderFeedEntry{.entry = Marker{.owner = "db-worker-1", .written_at = At(1700000000001)}});
}

TEST(GoldenTest, FeedRequestKeepsItsBytes) {
  CheckGolden<v1::SpiderFeedEntry>(
      "feed_request", SpiderFeedEntry{.epoch = Offset(70000), .entry = GoldenRequest()});
}

TEST(GoldenTest, ScoringMarkerKeepsItsBytes) {
  CheckGolden<v1::ScoringLogEntry>(
      "scoring_marker", ScoringLogEntry{.entry = Marker{.owner = "strategy-worker-1",
                                                        .written_at = At(1700000000002)}});
}

TEST(GoldenTest, ScheduleKeepsItsBytes) {
  const ScheduledRequest requests[] = {
      {.url = "https://www.example.com/next",
       .fingerprint = {1, 2},
       .depth = 3,
       .score = 0.5f,
       .not_before = At(1700000060000),
       .attempt = 4,
       .etag = "\"v2\"",
       .last_modified = "Wed, 16 Nov 1994 12:45:26 GMT",
       .meta = kMeta,
       .action = ScheduleAction::kRaise,
       .referrer = "https://www.example.com/list"},
      {.url = "https://www.example.com/gone", .action = ScheduleAction::kDelete},
  };
  CheckGolden<v1::ScoringLogEntry>(
      "schedule",
      ScoringLogEntry{
          .epoch = Offset(80000),
          .entry = ScheduleRequests{.source_topic_epoch = 5,
                                    .source_offset = Offset(90000),
                                    .part = 6,
                                    .domain = "example.com",
                                    .domain_update = DomainUpdate{.crawl_delay = milliseconds(2000),
                                                                  .blocked_until = At(0),
                                                                  .back_off = true,
                                                                  .purge = true},
                                    .requests = requests}});
}

TEST(GoldenTest, SeedsKeepTheirBytes) {
  const Seed seeds[] = {
      {.url = "https://example.com/", .score = 1.0f, .meta = kMeta},
      // A score of 0 is a score.
      {.url = "https://example.com/low", .score = 0.0f},
      {.url = "https://example.com/none"},
  };
  CheckGolden<v1::SpiderLogEntry>("seeds", SpiderLogEntry{.domain = "example.com",
                                                          .event = Seeds{.seeds = seeds},
                                                          .time = At(1700000000009)});
}

TEST(GoldenTest, PageFetchedKeepsItsBytes) {
  const Redirect redirects[] = {{.url = "https://www.example.com/b", .status = 301}};
  const HttpHeader headers[] = {{.name = "content-type", .value = "text/html; charset=\xfcmlaut"}};
  CheckGolden<v1::SpiderLogEntry>(
      "page_fetched",
      SpiderLogEntry{.domain = "example.com",
                     .event = PageFetched{.request = GoldenRequest(),
                                          .final_url = "https://www.example.com/final",
                                          .redirects = redirects,
                                          .status = 200,
                                          .headers = headers,
                                          .fetched_at = At(1700000000003),
                                          .dns = milliseconds(11),
                                          .connect = milliseconds(12),
                                          .tls = milliseconds(13),
                                          .first_byte = milliseconds(14),
                                          .total = milliseconds(200),
                                          .received_bytes = 10001,
                                          .body_bytes = 50001,
                                          .content_hash = {3, 4},
                                          .content_type = "text/html",
                                          .charset = "windows-1252",
                                          .title = "Ein Titel für alle",
                                          .language = "de",
                                          .robots_directives = "noarchive",
                                          .canonical_url = "https://www.example.com/canonical",
                                          .etag = "\"v3\"",
                                          .last_modified = "Thu, 17 Nov 1994 12:45:26 GMT",
                                          .links_inside = 54,
                                          .links_outside = 6,
                                          .text_bytes = 7001,
                                          .body_truncated = true,
                                          .links_truncated = true,
                                          .not_modified = true,
                                          .remote_address = "192.0.2.1",
                                          .tls_error = "self-signed certificate",
                                          .body = "<html>\xff</html>"}});
}

TEST(GoldenTest, LinksFoundKeepsItsBytes) {
  const Link links[] = {
      {.url = "https://example.org/x",
       .anchor = "Zum Ufer →",
       .rel = kRelNofollow | kRelSponsored,
       .kind = LinkKind::kSitemapPage},
      {.url = "https://example.org/y"},
  };
  CheckGolden<v1::SpiderLogEntry>(
      "links_found",
      SpiderLogEntry{.domain = "example.org",
                     .event = LinksFound{.source = {.url = "https://www.example.com/a",
                                                    .fingerprint = {5, 6},
                                                    .depth = 7,
                                                    .score = 0.25f,
                                                    .link_count = 60,
                                                    .meta = kMeta},
                                         .links = links}});
}

TEST(GoldenTest, FetchFailedKeepsItsBytes) {
  CheckGolden<v1::SpiderLogEntry>(
      "fetch_failed",
      SpiderLogEntry{.domain = "example.com",
                     .event = FetchFailed{.request = GoldenRequest(),
                                          .cause = FailureCause::kHttp5xx,
                                          .status = 503,
                                          .final_url = "https://www.example.com/busy",
                                          .retry_after = milliseconds(120000),
                                          .message = "service unavailable",
                                          .failed_at = At(1700000000004),
                                          .total = milliseconds(31)}});
}

TEST(GoldenTest, DeferredKeepsItsBytes) {
  CheckGolden<v1::SpiderLogEntry>(
      "deferred", SpiderLogEntry{.domain = "example.com",
                                 .event = Deferred{.request = GoldenRequest(),
                                                   .not_before = At(1700000000005),
                                                   .reason = DeferReason::kShutdown}});
}

TEST(GoldenTest, HostFactsKeepTheirBytes) {
  constexpr std::string_view kSitemaps[] = {"https://example.com/sitemap.xml",
                                            "https://example.com/news.xml"};
  CheckGolden<v1::SpiderLogEntry>(
      "host_facts", SpiderLogEntry{.domain = "example.com",
                                   .event = HostFacts{.host = "www.example.com:8080",
                                                      .observed_at = At(1700000000006),
                                                      .robots = RobotsOutcome::kDisallowAll,
                                                      .robots_status = 500,
                                                      .crawl_delay = milliseconds(0),
                                                      .sitemaps = kSitemaps,
                                                      .retry_after = milliseconds(60000),
                                                      .dns = DnsOutcome::kFailed}});
}

TEST(GoldenTest, DomainOrderKeepsItsBytes) {
  CheckGolden<v1::SpiderLogEntry>(
      "domain_order",
      SpiderLogEntry{.domain = "example.com",
                     .event = DomainOrder{.blocked_until = At(1700000000009), .purge = true}});
}

TEST(GoldenTest, UrlOrderKeepsItsBytes) {
  CheckGolden<v1::SpiderLogEntry>(
      "url_order", SpiderLogEntry{.domain = "example.com",
                                  .event = UrlOrder{.url = "https://www.example.com/a",
                                                    .score = 0.75f,
                                                    .fetch_again = true,
                                                    .not_before = At(1700000000009),
                                                    .meta = kMeta,
                                                    .referrer = "https://www.example.com/"}});
}

TEST(GoldenTest, WorkerStatsKeepTheirBytes) {
  constexpr CounterValue kCounters[] = {{.key = "pages_total", .value = 123456789}};
  constexpr GaugeValue kGauges[] = {{.key = "queue_bytes", .value = 1.5e9}};
  CheckGolden<v1::WorkerStats>("worker_stats", WorkerStats{.worker_id = "spider-3",
                                                           .role = "spider",
                                                           .version = "0.1.0",
                                                           .started_at = At(1700000000007),
                                                           .reported_at = At(1700000005007),
                                                           .counters = kCounters,
                                                           .gauges = kGauges,
                                                           .admin_address = "db-3.example:9630"});
}

}  // namespace
}  // namespace orbweaver
