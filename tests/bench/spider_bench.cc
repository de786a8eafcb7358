// What a page costs a spider from the feed to the commit: fetch, parse, publish, books. One thread,
// the bus in memory, no delay. The web is served by a child process, so that the CPU measured is
// the spider's alone, the kernel's work for its sockets and the bus's copies included.
//
// The `stage_` rows are parts of it, each measured by itself on the same pages; what is left of the
// whole is the kernel, the connections and the books.
#include <string>
#include <vector>

#include "fmt/format.h"

#include "common/base/check.h"
#include "common/base/status.h"
#include "common/bus/memory/memory_bus.h"
#include "common/bus/topics.h"
#include "common/url/fingerprint.h"
#include "spider/crawl/http_spider.h"
#include "spider/parse/page_parser.h"
#include "spider/publish/archive.h"
#include "spider/publish/outcome_encoder.h"
#include "tests/bench/bench.h"
#include "tests/bench/served_web.h"
#include "tests/support/spider_logs.h"

namespace orbweaver {
namespace {

constexpr uint32_t kHosts = 1000;
constexpr uint32_t kPagesPerHost = 1000;
constexpr int kPartitions = 16;
constexpr Duration kTimeout = std::chrono::minutes(1);

// As `orbweaver-spider` is configured for a web that asks for no patience.
SpiderOptions Options(const ServedWeb& web, bool tls) {
  SpiderOptions options;
  options.network.allow_networks = {"127.0.0.0/8"};
  options.network.hosts["*"] = fmt::format("127.0.0.1:{}", tls ? web.tls_port() : web.port());
  options.fetch.authorities_file = web.authority_file();
  options.politeness.delay = Duration{};
  options.crawl.max_fetches = 256;
  return options;
}

bool AllCommitted(MemoryBus& bus) {
  std::vector<PartitionId> partitions;
  for (int p = 0; p < kPartitions; ++p) partitions.emplace_back(p);
  const auto offsets = bus.NewOffsetReader().value();
  const auto bounds = offsets->Bounds(kSpiderFeedTopic, partitions, kTimeout).value();
  const auto committed =
      offsets->Committed(kSpiderGroup, kSpiderFeedTopic, partitions, kTimeout).value();
  for (size_t i = 0; i < partitions.size(); ++i) {
    if ((committed[i] ? committed[i]->offset : Offset(0)) < bounds[i].end) return false;
  }
  return true;
}

void Crawl(BenchReport& report, std::string_view name, const ServedWeb& web,
           const PublicSuffixes& suffixes, const SpiderOptions& options, uint32_t pages,
           std::string_view limit) {
  MemoryBroker broker;
  MemoryBus bus(&broker, {});
  CHECK_OK(bus.EnsureTopics(ProductTopics({.partitions = kPartitions}).value(), kTimeout).status());
  FeedWriter feed(bus, kPartitions, suffixes, kTimeout);
  const auto add = [&](uint32_t first, uint32_t count) {
    uint32_t added = 0;
    for (uint32_t i = first; i < first + count; ++i) {
      const std::string url = web.Url(i % kHosts, i / kHosts);
      // A client tells a server of TLS names only.
      if (url.find("://127.") != std::string::npos) continue;
      CHECK_OK(feed.Add({.url = url}));
      ++added;
    }
    CHECK_OK(feed.Flush());
    return added;
  };
  MetricRegistry registry;
  CrawlMetrics metrics(registry);
  auto core = MakeHttpSpider(options, {.bus = bus,
                                       .suffixes = suffixes,
                                       .metrics = metrics,
                                       .partitions = kPartitions,
                                       .consumer = {.group = std::string(kSpiderGroup)},
                                       .worker_id = "bench",
                                       .software = "bench"});
  CHECK_OK(core.status());
  CHECK_OK((*core)->Join());
  const auto run = [&](uint64_t until) {
    while (metrics.pages.value() < until || !AllCommitted(bus)) {
      for (int i = 0; i < 100; ++i) CHECK_OK((*core)->Step(std::chrono::milliseconds(5)));
      uint64_t failures = 0;
      for (const Counter* const failed : metrics.failures) failures += failed->value();
      CHECK(failures == 0);
    }
  };
  // Connections, robots.txt, and whatever else is done once.
  uint64_t wanted = add(0, 2 * kHosts);
  run(wanted);
  const uint32_t measured = add(2 * kHosts, pages);
  wanted += measured;
  const CpuTimer timer;
  run(wanted);
  report.AddRate(name, measured, "pages/cpu_s", timer, limit);
  CHECK_OK((*core)->Close());
  CHECK_OK((*core)->Finish());
}

// The parts that need no network.
void Stages(BenchReport& report, const ServedWeb& web, const PublicSuffixes& suffixes) {
  constexpr int kPages = 5'000;
  std::vector<std::string> urls;
  std::vector<FetchResult> results(100);
  synthetic::Answer answer;
  for (uint32_t i = 0; i < results.size(); ++i) {
    urls.push_back(web.Url(i, 7));
    web.web().Get({.place = {.host = i, .number = 7, .kind = synthetic::Place::Kind::kPage}},
                  &answer);
    results[i].status = 200;
    results[i].body = answer.body;
    results[i].request_head = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
    results[i].response_head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n";
  }
  UrlResolver resolver(UrlOptions(), suffixes);
  PageParser parser(ParseOptions(), &resolver);
  ParsedPage page;
  const auto parse = [&](size_t i) {
    parser.Parse({.url = urls[i], .body = results[i].body, .content_type = "text/html"}, &page);
  };
  const auto row = [&](std::string_view name, const CpuTimer& timer, double without) {
    const double cpu_s = timer.CpuSeconds();
    report.Add(name, cpu_s / kPages * 1e6 - without, "us/page", cpu_s, timer.WallSeconds(), "CPU");
    return cpu_s / kPages * 1e6;
  };
  const CpuTimer parse_timer;
  for (size_t i = 0; i < kPages; ++i) parse(i % results.size());
  const double parse_us = row("stage_parse", parse_timer, 0);

  OutcomeEncoder encoder({});
  const CpuTimer encode_timer;
  for (size_t i = 0; i < kPages; ++i) {
    const size_t which = i % results.size();
    parse(which);
    const Request request{
        .url = urls[which], .fingerprint = FingerprintOf(urls[which]), .domain = "site.test"};
    LogEntries entries;
    encoder.Page({.request = request, .url = request.url}, results[which], page, &entries);
    CHECK(!entries.empty());
  }
  row("stage_publish", encode_timer, parse_us);
}

void SpiderBench(BenchReport& report) {
  const auto suffixes = PublicSuffixes::Load({}).value();
  {
    const ServedWeb web({.hosts = kHosts, .pages_per_host = kPagesPerHost});
    Crawl(report, "http_20kb", web, *suffixes, Options(web, false), 20'000,
          "CPU: parsing, and the kernel's sockets");
    {
      const ScratchFolder folder;
      SpiderOptions options = Options(web, false);
      options.archive.folder = folder.path();
      Crawl(report, "http_20kb_warc", web, *suffixes, options, 5'000, "CPU: gzip");
    }
    Stages(report, web, *suffixes);
  }
  const ServedWeb web({.hosts = kHosts, .pages_per_host = kPagesPerHost, .https_hosts = 1});
  Crawl(report, "https_20kb", web, *suffixes, Options(web, true), 10'000,
        "CPU: parsing, the kernel's sockets, AES");
}

ORBWEAVER_BENCH("spider", SpiderBench);

}  // namespace
}  // namespace orbweaver
