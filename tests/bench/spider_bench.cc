// The cost of a page for a spider from the feed to the commit: fetch, parse, publish, books. One
// thread, the bus in memory, no delay. The web is served by a child process, so that the CPU
// measured is the spider's alone, the kernel's work for its sockets and the bus's copies included.
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
#include "tests/bench/heap.h"
#include "tests/bench/served_web.h"
#include "tests/support/journey.h"
#include "tests/support/spider_logs.h"

namespace orbweaver {
namespace {

constexpr uint32_t kHosts = 1000;
constexpr uint32_t kPagesPerHost = 1000;
constexpr int kPartitions = 16;
constexpr auto kPage = synthetic::Place::Kind::kPage;
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

// A spider on a bus of its own, and what it is asked for.
class Load {
 public:
  Load(const ServedWeb& web, const PublicSuffixes& suffixes, const SpiderOptions& options)
      : web_(web) {
    CHECK_OK(
        bus_.EnsureTopics(ProductTopics({.partitions = kPartitions}).value(), kTimeout).status());
    feed_ = std::make_unique<FeedWriter>(bus_, kPartitions, suffixes, kTimeout);
    core_ = MakeHttpSpider(options, {.bus = bus_,
                                     .suffixes = suffixes,
                                     .metrics = metrics_,
                                     .partitions = kPartitions,
                                     .worker_id = "bench",
                                     .software = "bench"})
                .value();
    CHECK_OK(core_->Join());
  }
  ~Load() { CHECK_OK(core_->Finish()); }

  bool Has(uint32_t host) const {
    // A client tells a server of TLS names only.
    return web_.Url(host, 0).find("://127.") == std::string::npos;
  }
  void Add(uint32_t host, uint32_t page) {
    CHECK_OK(feed_->Add({.url = web_.Url(host, page)}));
    ++added_;
  }
  // Pages of all hosts in turn: `count` from the `first` on. Returns how many there are.
  uint32_t AddPages(uint32_t first, uint32_t count) {
    const uint64_t before = added_;
    for (uint32_t i = first; i < first + count; ++i) {
      if (Has(i % kHosts)) Add(i % kHosts, i / kHosts);
    }
    CHECK_OK(feed_->Flush());
    return static_cast<uint32_t>(added_ - before);
  }
  void Flush() { CHECK_OK(feed_->Flush()); }

  // Until so many pages are there in all.
  void RunUntil(uint64_t pages) {
    while (metrics_.pages.value() < pages) {
      CHECK_OK(core_->Step(std::chrono::milliseconds(5)));
      uint64_t failures = 0;
      for (const Counter* const failed : metrics_.failures) failures += failed->value();
      CHECK(failures == 0);
    }
  }
  // Until all that was added is there and committed.
  void RunToEnd() {
    RunUntil(added_);
    while (!AllCommitted(bus_)) {
      for (int i = 0; i < 100; ++i) CHECK_OK(core_->Step(std::chrono::milliseconds(5)));
    }
  }
  void RunFor(Duration duration) {
    const SteadyTime until = SystemClock().Now() + duration;
    while (SystemClock().Now() < until) CHECK_OK(core_->Step(std::chrono::milliseconds(5)));
  }

  size_t fetching() const { return core_->flow().fetching(); }
  uint64_t pages() const { return metrics_.pages.value(); }
  void Close() { CHECK_OK(core_->Close()); }

 private:
  const ServedWeb& web_;
  MemoryBroker broker_;
  MemoryBus bus_{&broker_, {}};
  std::unique_ptr<FeedWriter> feed_;
  MetricRegistry registry_;
  CrawlMetrics metrics_{registry_};
  std::unique_ptr<SpiderCore> core_;
  uint64_t added_ = 0;
};

void Crawl(BenchReport& report, std::string_view name, const ServedWeb& web,
           const PublicSuffixes& suffixes, const SpiderOptions& options, uint32_t pages,
           std::string_view limit) {
  Load load(web, suffixes, options);
  // Connections, robots.txt, and whatever else is done once.
  load.AddPages(0, 2 * kHosts);
  load.RunToEnd();
  const uint32_t measured = load.AddPages(2 * kHosts, pages);
  const CpuTimer timer;
  load.RunToEnd();
  report.AddRate(name, measured, "pages/cpu_s", timer, limit);
  load.Close();
}

// A thousand hosts send a byte every half second, for ever; the others are as always.
void Slow(BenchReport& report, const PublicSuffixes& suffixes) {
  constexpr uint32_t kSlow = 1000;
  constexpr uint32_t kPages = 10'000;
  synthetic::WebOptions web_options{.hosts = 3 * kHosts, .pages_per_host = kPagesPerHost};
  web_options.troubles.faults.Add(synthetic::Fault::kEndlessDrip);
  web_options.faulty_hosts = 0.5;
  web_options.faulty_pages = 1;
  web_options.endless_drip_pause = std::chrono::milliseconds(500);
  const ServedWeb web(web_options);
  SpiderOptions options = Options(web, false);
  options.fetch.min_bytes_per_second = 0;
  options.fetch.total_timeout = std::chrono::minutes(10);
  options.crawl.max_fetches += kSlow;
  // Hosts share domains, and a slow one would hold up the others of its own.
  options.politeness.per_domain = kSlow;
  Load load(web, suffixes, options);
  std::vector<uint32_t> slow, fast;
  for (uint32_t host = 0; host < 3 * kHosts; ++host) {
    if (!load.Has(host)) continue;
    const auto outcome = web.web().OutcomeOf({.host = host, .number = 1, .kind = kPage});
    (outcome == synthetic::Outcome::kPage ? fast : slow).push_back(host);
  }
  CHECK(slow.size() >= kSlow && fast.size() >= kHosts);
  fast.resize(kHosts);
  const auto add_fast = [&](uint32_t first, uint32_t count) {
    for (uint32_t i = first; i < first + count; ++i) load.Add(fast[i % kHosts], 1 + i / kHosts);
    load.Flush();
  };
  add_fast(0, 2 * kHosts);
  load.RunUntil(2 * kHosts);
  {
    add_fast(2 * kHosts, kPages);
    const CpuTimer timer;
    load.RunUntil(2 * kHosts + kPages);
    report.AddRate("http_20kb_alone", kPages, "pages/cpu_s", timer, "CPU, as http_20kb");
  }
  const size_t before = HeapBytes();
  for (uint32_t i = 0; i < kSlow; ++i) load.Add(slow[i], 1);
  load.Flush();
  while (load.fetching() < kSlow) load.RunFor(std::chrono::milliseconds(100));
  load.RunFor(std::chrono::seconds(2));
  CHECK(load.fetching() == kSlow);
  report.Add("slow_connection", static_cast<double>(HeapBytes() - before) / kSlow, "bytes", 0, 0,
             "heap: a request, its fetch and its connection; the log's and the feed's entries");
  {
    const CpuTimer timer;
    load.RunFor(std::chrono::seconds(4));
    report.Add("slow_1000_connections", 100 * timer.CpuSeconds() / timer.WallSeconds(),
               "% of a core", timer.CpuSeconds(), timer.WallSeconds(),
               "CPU: 2,000 single bytes a second, the looks at deadlines, feed and acks");
  }
  {
    const uint64_t pages = load.pages();
    add_fast(2 * kHosts + kPages, kPages);
    const CpuTimer timer;
    load.RunUntil(pages + kPages);
    CHECK(load.fetching() >= kSlow);
    report.AddRate("http_20kb_beside_slow_1000", kPages, "pages/cpu_s", timer,
                   "CPU, as http_20kb_alone: who waits costs the others nothing");
  }
}

// Hosts that nobody has asked before: a connection, a handshake and a certificate, robots.txt, and
// one page of 16 KB.
void NewTlsHosts(BenchReport& report, const PublicSuffixes& suffixes) {
  constexpr uint32_t kWarmUp = 200;
  constexpr uint32_t kMeasured = 2'000;
  constexpr uint32_t kMade = 2 * (kWarmUp + kMeasured);  // some are addresses
  const ServedWeb web(
      {.hosts = kMade, .pages_per_host = 10, .page_bytes = 16'000, .https_hosts = 1});
  Load load(web, suffixes, Options(web, true));
  uint32_t host = 0;
  const auto add = [&](uint32_t count) {
    for (; count > 0; ++host) {
      CHECK(host < kMade);
      if (!load.Has(host)) continue;
      load.Add(host, 1);
      --count;
    }
    load.Flush();
  };
  add(kWarmUp);
  load.RunToEnd();
  add(kMeasured);
  const CpuTimer timer;
  load.RunToEnd();
  report.AddRate("new_host_tls", kMeasured, "hosts/cpu_s", timer,
                 "CPU: key exchange, two signatures, reading the certificate");
  load.Close();
}

// The parts that need no network.
void Stages(BenchReport& report, const ServedWeb& web, const PublicSuffixes& suffixes) {
  constexpr int kPages = 5'000;
  std::vector<std::string> urls;
  std::vector<FetchResult> results(100);
  synthetic::Answer answer;
  for (uint32_t i = 0; i < results.size(); ++i) {
    urls.push_back(web.Url(i, 7));
    web.web().Get({.place = {.host = i, .number = 7, .kind = kPage}}, &answer);
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

  OutcomeEncoder encoder({}, SystemClock());
  const CpuTimer encode_timer;
  for (size_t i = 0; i < kPages; ++i) {
    const size_t which = i % results.size();
    parse(which);
    const auto journey = JourneyOf(
        {.url = urls[which], .fingerprint = FingerprintOf(urls[which]), .domain = "site.test"});
    LogEntries entries;
    encoder.Page(*journey, results[which], page, &entries);
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
      Crawl(report, "http_20kb_warc", web, *suffixes, options, 5'000,
            "CPU: digests, gzip, writing");
    }
    Stages(report, web, *suffixes);
  }
  {
    // As pages of the real web are: 5,600 tags, a fifth of the bytes on the wire.
    synthetic::WebOptions options{.hosts = kHosts,
                                  .pages_per_host = kPagesPerHost,
                                  .page_bytes = 254'000,
                                  .links_per_page = 200,
                                  .spans_per_link = 12};
    options.troubles.faults.Add(synthetic::Fault::kGzip);
    options.faulty_hosts = 1;
    options.faulty_pages = 1;
    const ServedWeb web(options);
    Crawl(report, "page_254kb_gzip", web, *suffixes, Options(web, false), 1'000,
          "CPU: parsing, unpacking");
  }
  NewTlsHosts(report, *suffixes);
  Slow(report, *suffixes);
  const ServedWeb web({.hosts = kHosts, .pages_per_host = kPagesPerHost, .https_hosts = 1});
  Crawl(report, "https_20kb", web, *suffixes, Options(web, true), 10'000,
        "CPU: parsing, the kernel's sockets, AES");
}

ORBWEAVER_BENCH("spider", SpiderBench);

}  // namespace
}  // namespace orbweaver
