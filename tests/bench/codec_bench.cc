// Messages encoded and decoded per second, with the classes that protoc generates beside them.
#include <string>
#include <vector>

#include "common/base/check.h"
#include "common/model/scoring_log.h"
#include "common/model/spider_feed.h"
#include "common/model/spider_log.h"
#include "orbweaver/v1/spider_log.pb.h"
#include "tests/bench/bench.h"

namespace orbweaver {
namespace {

constexpr int kLinks = 60;

const std::string& UrlOf(int i) {
  static const std::vector<std::string>* const urls = [] {
    auto* made = new std::vector<std::string>;
    for (int n = 0; n < kLinks; ++n) {
      made->push_back("https://www.example.com/products/category-" + std::to_string(100 + n) +
                      "/item-" + std::to_string(10000 + 37 * n) + ".html");
    }
    return made;
  }();
  return (*urls)[i];
}

// A few words, every eighth of them not in ASCII: what pages of many languages average to.
std::string_view AnchorOf(int i) {
  static constexpr std::string_view kAnchors[] = {
      "Home",
      "Read more",
      "Contact and directions",
      "Bücher für Kinder",
      "How to choose a bicycle",
      "Next page",
      "Terms and conditions of use",
      "The ten best walks by the sea",
  };
  return kAnchors[i % std::size(kAnchors)];
}

Request RequestOf(int i) {
  return Request{.url = UrlOf(i),
                 .fingerprint = {0x0123456789abcdef + static_cast<uint64_t>(i), 0xfedcba9876543210},
                 .domain = "example.com",
                 .depth = 3,
                 .score = 0.5f,
                 .etag = "\"5f3e-5b2c8a1d\"",
                 .band = 4,
                 .seq = 1234,
                 .index = 17,
                 .delay = std::chrono::seconds(1)};
}

// The entries view what this owns.
class Entries {
 public:
  Entries() {
    for (int i = 0; i < kLinks; ++i) {
      links_.push_back({.url = UrlOf(i), .anchor = AnchorOf(i), .rel = i % 10 == 0 ? 1u : 0u});
      requests_.push_back(
          {.url = UrlOf(i), .fingerprint = RequestOf(i).fingerprint, .depth = 4, .score = 0.25f});
    }
  }

  SpiderLogEntry LinksFoundEntry() const {
    return {.domain = "example.com",
            .event = LinksFound{.source = {.url = UrlOf(0),
                                           .fingerprint = RequestOf(0).fingerprint,
                                           .depth = 3,
                                           .score = 0.5f,
                                           .link_count = kLinks},
                                .links = links_}};
  }

  SpiderLogEntry PageFetchedEntry() const {
    return {.domain = "example.com",
            .event = PageFetched{.request = RequestOf(1),
                                 .status = 200,
                                 .headers = headers_,
                                 .fetched_at = WallTime(std::chrono::hours(24 * 365 * 56)),
                                 .first_byte = std::chrono::milliseconds(120),
                                 .total = std::chrono::milliseconds(180),
                                 .received_bytes = 9'000,
                                 .body_bytes = 48'000,
                                 .content_hash = {1, 2},
                                 .content_type = "text/html",
                                 .charset = "utf-8",
                                 .title = "How to choose a bicycle - Example",
                                 .language = "en",
                                 .links_inside = 54,
                                 .links_outside = 6,
                                 .text_bytes = 7'000,
                                 .remote_address = "192.0.2.1"}};
  }

  ScoringLogEntry ScheduleEntry() const {
    return {.epoch = Offset(1000),
            .entry = ScheduleRequests{.source_topic_epoch = 1,
                                      .source_offset = Offset(123456),
                                      .domain = "example.com",
                                      .requests = requests_}};
  }

 private:
  std::vector<Link> links_;
  std::vector<ScheduledRequest> requests_;
  std::vector<HttpHeader> headers_ = {{.name = "content-type", .value = "text/html; charset=utf-8"},
                                      {.name = "server", .value = "nginx"}};
};

template <typename Entry>
void EncodeTimes(const Entry& entry, int times, EncodeBuffer* buffer) {
  for (int i = 0; i < times; ++i) CHECK(Encode(entry, buffer).ok());
}

template <typename Entry>
void DecodeTimes(std::string_view bytes, int times, Arena* arena) {
  Entry entry;
  for (int i = 0; i < times; ++i) {
    arena->Reset();
    CHECK(Decode(bytes, arena, &entry).ok());
  }
}

template <typename Entry>
void Both(BenchReport& report, std::string_view name, const Entry& entry, int times) {
  EncodeBuffer buffer;
  Arena arena;
  Entry decoded;
  const CpuTimer timer;
  for (int i = 0; i < times; ++i) {
    const auto bytes = Encode(entry, &buffer);
    CHECK(bytes.ok());
    arena.Reset();
    CHECK(Decode(*bytes, &arena, &decoded).ok());
  }
  report.AddRate(name, times, "messages/cpu_s", timer, "CPU: encode and decode");
}

void ProtobufLinksFound(BenchReport& report, int times) {
  v1::SpiderLogEntry entry;
  entry.set_domain("example.com");
  v1::LinksFound* found = entry.mutable_links_found();
  v1::SourcePage* source = found->mutable_source();
  source->set_url(UrlOf(0));
  source->set_fingerprint(std::string(16, 'f'));
  source->set_depth(3);
  source->set_score(0.5f);
  source->set_link_count(kLinks);
  for (int i = 0; i < kLinks; ++i) {
    v1::Link* link = found->add_links();
    link->set_url(UrlOf(i));
    link->set_anchor(std::string(AnchorOf(i)));
    if (i % 10 == 0) link->set_rel(1);
  }
  std::string bytes;
  const CpuTimer timer;
  google::protobuf::Arena arena;
  for (int i = 0; i < times; ++i) {
    CHECK(entry.SerializeToString(&bytes));
    arena.Reset();
    auto* decoded = google::protobuf::Arena::CreateMessage<v1::SpiderLogEntry>(&arena);
    CHECK(decoded->ParseFromString(bytes));
  }
  report.AddRate("protobuf_links_found_60", times, "messages/cpu_s", timer,
                 "CPU: generated classes, for comparison");
}

void CodecBench(BenchReport& report) {
  const Entries entries;
  const SpiderLogEntry links = entries.LinksFoundEntry();
  constexpr int kTimes = 200'000;
  Both(report, "links_found_60", links, kTimes);
  EncodeBuffer buffer;
  {
    const CpuTimer timer;
    EncodeTimes(links, kTimes, &buffer);
    report.AddRate("links_found_60_encode", kTimes, "messages/cpu_s", timer, "CPU: copying, UTF-8");
  }
  {
    Arena arena;
    const CpuTimer timer;
    DecodeTimes<SpiderLogEntry>(buffer.written(), kTimes, &arena);
    report.AddRate("links_found_60_decode", kTimes, "messages/cpu_s", timer, "CPU: tags, UTF-8");
  }
  Both(report, "page_fetched", entries.PageFetchedEntry(), 10 * kTimes);
  Both(report, "schedule_requests_60", entries.ScheduleEntry(), kTimes);
  Both(report, "request", SpiderFeedEntry{.epoch = Offset(1000), .entry = RequestOf(2)},
       20 * kTimes);
  ProtobufLinksFound(report, kTimes / 10);
}
ORBWEAVER_BENCH("codec", CodecBench);

}  // namespace
}  // namespace orbweaver
