// The whole spider but for Kafka: a bus in memory, real connections, and the synthetic web with
// every fault at once. The server judges politeness. Past 400 lines, since all share one web.
#include "spider/crawl/http_spider.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <string>
#include <zlib.h>

#include "fmt/format.h"
#include <gtest/gtest.h>

#include "common/bus/memory/memory_bus.h"
#include "common/bus/topics.h"
#include "tests/support/expect_ok.h"
#include "tests/support/heap_bytes.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/spider_logs.h"
#include "tests/support/synthetic_web/server.h"

namespace orbweaver {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using synthetic::Outcome;
using synthetic::Place;

constexpr int kPartitions = 8;
constexpr Duration kTimeout = seconds(30);
// Also what a busy server may take to notice that an answer was broken off.
constexpr Duration kDelay = milliseconds(50);
constexpr Duration kPatience = minutes(4);

bool IsTimeout(FailureCause cause) {
  switch (cause) {
    case FailureCause::kTimeoutConnect:
    case FailureCause::kTimeoutTls:
    case FailureCause::kTimeoutFirstByte:
    case FailureCause::kTimeoutTotal:
    case FailureCause::kTooSlow:
      return true;
    default:
      return false;
  }
}

class HttpSpiderTest : public ::testing::Test {
 protected:
  HttpSpiderTest() {
    const auto topics = ProductTopics({.partitions = kPartitions});
    EXPECT_OK(bus_.EnsureTopics(*topics, kTimeout));
    feed_ = std::make_unique<FeedWriter>(bus_, kPartitions, *suffixes_, kTimeout);
    options_.fetch.connect_timeout = seconds(5);
    options_.fetch.tls_timeout = seconds(5);
    options_.fetch.first_byte_timeout = seconds(5);
    options_.fetch.slow_after = seconds(5);
    options_.fetch.total_timeout = seconds(20);
    options_.fetch.min_bytes_per_second = 100;
    options_.politeness.delay = kDelay;
    options_.politeness.back_off.first = milliseconds(500);
    options_.robots.retry_min = seconds(1);
    options_.crawl.drain_timeout = seconds(5);
  }

  // The web's names lead to its server as DNS would, ports as URLs name them.
  void Serve(synthetic::WebOptions web, synthetic::JudgeOptions judge) {
    auto server =
        synthetic::Server::Start(web, {.listen = "0.0.0.0", .ports_in_urls = true, .judge = judge});
    ASSERT_OK(server);
    server_ = *std::move(server);
    NetworkOptions& network = options_.network;
    network.allow_networks = {"127.0.0.0/8"};
    network.ports = {std::to_string(server_->port()), std::to_string(server_->tls_port()), "80"};
    std::istringstream hosts(server_->web().HostsFile());
    for (std::string address, name; hosts >> address >> name;) network.hosts[name] = address;
    // A name that leads into somebody's network.
    network.hosts["inside.example"] = "10.0.0.1";
    const std::string authorities = folder_.path() / "authority.pem";
    std::ofstream(authorities) << server_->authority_pem();
    options_.fetch.authorities_file = authorities;
  }

  void Feed(std::string_view url) { ASSERT_OK(feed_->Add({.url = url})); }

  void Make() {
    auto core = MakeHttpSpider(options_, {.bus = bus_,
                                          .suffixes = *suffixes_,
                                          .metrics = crawl_metrics_,
                                          .partitions = kPartitions,
                                          .worker_id = "test",
                                          .software = "test"});
    ASSERT_OK(core);
    core_ = *std::move(core);
    ASSERT_OK(core_->Join());
  }

  bool AllCommitted() {
    std::vector<PartitionId> partitions;
    for (int p = 0; p < kPartitions; ++p) partitions.emplace_back(p);
    const auto reader = bus_.NewOffsetReader();
    const auto bounds = (*reader)->Bounds(kSpiderFeedTopic, partitions, kTimeout);
    const auto committed =
        (*reader)->Committed(kSpiderGroup, kSpiderFeedTopic, partitions, kTimeout);
    EXPECT_OK(bounds);
    EXPECT_OK(committed);
    for (size_t i = 0; i < partitions.size(); ++i) {
      const Offset done = (*committed)[i] ? (*committed)[i]->offset : Offset(0);
      if (done < (*bounds)[i].end) return false;
    }
    return true;
  }

  void RunUntil(const std::function<bool()>& done) {
    const SteadyTime end = SystemClock().Now() + kPatience;
    SteadyTime look{};
    while (true) {
      ASSERT_OK(core_->Step(milliseconds(20)));
      const SteadyTime now = SystemClock().Now();
      ASSERT_LT(now, end);
      if (now - look < milliseconds(100)) continue;
      look = now;
      if (done()) return;
    }
  }
  void RunToEnd() {
    RunUntil([this] { return AllCommitted(); });
  }

  SpiderLogContents Log() {
    SpiderLogContents log;
    EXPECT_OK(ReadSpiderLog(bus_, kPartitions, kTimeout, &log));
    return log;
  }

  // Of lanes that are gone.
  void ExpectNetworkMetrics() {
    core_.reset();
    std::map<std::string, double> values;
    metrics_.Visit(
        [&values](MetricKind, const std::string& name, double value) { values[name] = value; });
    for (const char* name : {"connections", "connections_reused", "tls_handshakes"}) {
      EXPECT_GT(values.at(fmt::format("orbweaver_spider_{}_total", name)), 0) << name;
    }
    EXPECT_GT(values.at("orbweaver_spider_received_bytes_total"), 10e6);
    EXPECT_EQ(values.at("orbweaver_spider_open_connections"), 0);
    EXPECT_EQ(values.at("orbweaver_spider_idle_connections"), 0);
  }

  void CutSpiderLog() {
    const auto offsets = bus_.NewOffsetReader().value();
    for (int p = 0; p < kPartitions; ++p) {
      const PartitionId partition(p);
      const auto bounds = offsets->Bounds(kSpiderLogTopic, {&partition, 1}, kTimeout);
      ASSERT_OK(bounds);
      ASSERT_OK(broker_.CutLog(kSpiderLogTopic, partition, (*bounds)[0].end));
    }
  }

  const ScratchFolder folder_;
  const std::unique_ptr<const PublicSuffixes> suffixes_ = PublicSuffixes::Load({}).value();
  MemoryBroker broker_;
  MemoryBus bus_{&broker_, {}};
  MetricRegistry metrics_;
  CrawlMetrics crawl_metrics_{metrics_};
  SpiderOptions options_;
  std::unique_ptr<synthetic::Server> server_;
  std::unique_ptr<FeedWriter> feed_;
  std::unique_ptr<SpiderCore> core_;
};

class EveryFault : public HttpSpiderTest, public ::testing::WithParamInterface<int> {};

TEST_P(EveryFault, EachOf10000RequestsHasOneOutcomeAndNoSiteHasAReasonToComplain) {
  constexpr uint32_t kHosts = 500;
  constexpr uint32_t kPagesPerHost = 20;
  options_.crawl.threads = GetParam();
  synthetic::WebOptions web{.hosts = kHosts,
                            .pages_per_host = kPagesPerHost,
                            .troubles = synthetic::AllTroubles(),
                            .gone_pages = 0.03,
                            .failing_pages = 0.02,
                            .https_hosts = 0.2,
                            .slow_first_byte = milliseconds(150),
                            .drip = milliseconds(300),
                            .retry_after = seconds(1),
                            .crawl_delay = milliseconds(100),
                            .bomb_bytes = uint64_t{32} << 20};
  web.troubles.faults.Add(synthetic::Fault::kRedirectPrivate);
  Serve(web, {.domain_delay = kDelay});
  std::map<std::string, Place> urls;
  for (uint32_t page = 0; page < kPagesPerHost; ++page) {
    for (uint32_t host = 0; host < kHosts; ++host) {
      const Place place{.host = host, .number = page, .kind = Place::Kind::kPage};
      const std::string url = server_->web().paths().UrlOf(place);
      urls.emplace(url, place);
      Feed(url);
    }
  }
  ASSERT_OK(feed_->Flush());
  Make();
  const size_t heap_before = HeapBytes();
  RunToEnd();
  const SpiderLogContents log = Log();
  // The log is in memory here.
  CutSpiderLog();
  // Some 200 MB of pages have gone through. The rest is the books of 500 hosts, idle connections,
  // those of the server too, which is in this process, and the server's books.
  const size_t heap_after = HeapBytes();
  EXPECT_LT(heap_after, heap_before + (size_t{64} << 20)) << "memory grows with each request";
  RecordProperty("left_over_kb",
                 static_cast<int>((heap_after - std::min(heap_before, heap_after)) >> 10));
  ASSERT_OK(core_->Close());
  ASSERT_OK(core_->Finish());

  EXPECT_EQ(log.by_url.size(), urls.size());
  size_t wrong = 0, pages = 0, handed_back = 0;
  for (const auto& [url, place] : urls) {
    const auto found = log.by_url.find(url);
    if (found == log.by_url.end() || found->second.all() != 1) {
      if (++wrong < 5) ADD_FAILURE() << url;
      continue;
    }
    pages += found->second.pages > 0;
    handed_back += found->second.handed_back > 0;
    const Outcome expected = server_->web().OutcomeOf(place);
    if (!synthetic::ReachesServer(expected)) {
      EXPECT_EQ(server_->RequestsOf(url), 0u) << url;
      EXPECT_EQ(found->second.pages, 0) << url;
    }
    // Nothing goes wrong with a page but what passes when it is asked again; on a machine that is
    // busy with other things also time runs out, for the server is as slow as everybody.
    if (expected == Outcome::kPage && found->second.failures > 0 &&
        found->second.cause != FailureCause::kRobotsUnreachable &&
        !IsTimeout(found->second.cause)) {
      EXPECT_GT(server_->web().FailuresBefore(place), 0u)
          << url << " cause " << static_cast<int>(found->second.cause);
    }
  }
  EXPECT_EQ(wrong, 0u);
  EXPECT_GT(pages, 3'000u);
  ExpectNetworkMetrics();
  RecordProperty("pages", static_cast<int>(pages));
  RecordProperty("handed_back", static_cast<int>(handed_back));

  const synthetic::Verdict verdict = server_->verdict();
  std::string text;
  JsonWriter json(&text);
  WriteJson(verdict, &json);
  EXPECT_TRUE(verdict.polite()) << text;
}

INSTANTIATE_TEST_SUITE_P(Threads, EveryFault, ::testing::Values(1, 3));

TEST_F(HttpSpiderTest, WhatIsNotPublicIsNeverAsked) {
  synthetic::WebOptions web{.hosts = 40, .pages_per_host = 30, .faulty_hosts = 1};
  web.troubles.faults = {synthetic::Fault::kRedirectPrivate};
  Serve(web, {});
  options_.network.allow_networks.clear();
  Feed("http://169.254.169.254/latest/meta-data");
  Feed("http://inside.example/");
  // The web's own server is on loopback.
  const std::string loopback =
      server_->web().paths().UrlOf({.host = 0, .number = 1, .kind = Place::Kind::kPage});
  Feed(loopback);
  ASSERT_OK(feed_->Flush());
  Make();
  RunToEnd();
  const SpiderLogContents log = Log();
  for (const std::string& url : {std::string("http://169.254.169.254/latest/meta-data"),
                                 std::string("http://inside.example/"), loopback}) {
    EXPECT_EQ(log.by_url.at(url).cause, FailureCause::kPrivateAddress) << url;
    EXPECT_EQ(log.by_url.at(url).all(), 1) << url;
  }
  EXPECT_EQ(server_->stats().connections, 0u);
}

TEST_F(HttpSpiderTest, ARedirectToAPrivateAddressIsNotFollowed) {
  synthetic::WebOptions web{
      .hosts = 40, .pages_per_host = 60, .faulty_hosts = 1, .faulty_pages = 0.5};
  web.troubles.faults = {synthetic::Fault::kRedirectPrivate};
  Serve(web, {});
  int redirected = 0;
  for (uint32_t page = 0; page < 60; ++page) {
    const Place place{.host = 1, .number = page, .kind = Place::Kind::kPage};
    std::vector<Place> learnt;
    server_->web().AppendLearnt(place, &learnt);
    redirected += learnt.size() == 1 && learnt[0].kind == Place::Kind::kPrivateAddress;
    Feed(server_->web().paths().UrlOf(place));
  }
  ASSERT_GT(redirected, 5);
  ASSERT_OK(feed_->Flush());
  Make();
  RunToEnd();
  // It becomes a link, which is refused in its turn.
  const SpiderLogContents log = Log();
  std::vector<std::string> targets;
  for (const auto& [url, times] : log.links) {
    if (url.starts_with("http://169.254.169.254")) targets.push_back(url);
  }
  ASSERT_FALSE(targets.empty());
  for (const std::string& url : targets) Feed(url);
  ASSERT_OK(feed_->Flush());
  RunToEnd();
  const SpiderLogContents after = Log();
  for (const std::string& url : targets) {
    EXPECT_EQ(after.by_url.at(url).cause, FailureCause::kPrivateAddress) << url;
  }
}

TEST_F(HttpSpiderTest, KilledAndBegunAnewItFetchesWhatHasNoOutcome) {
  constexpr uint32_t kHosts = 60;
  constexpr uint32_t kPages = 20;
  Serve({.hosts = kHosts, .pages_per_host = kPages}, {});
  options_.crawl.window = 100;
  options_.crawl.max_requests = 100;
  options_.crawl.commit_interval = milliseconds(50);
  std::vector<std::string> urls;
  for (uint32_t page = 0; page < kPages; ++page) {
    for (uint32_t host = 0; host < kHosts; ++host) {
      urls.push_back(
          server_->web().paths().UrlOf({.host = host, .number = page, .kind = Place::Kind::kPage}));
      Feed(urls.back());
    }
  }
  ASSERT_OK(feed_->Flush());
  Make();
  RunUntil([this] { return server_->stats().requests > 400; });
  // Everything is dropped where it stands: what is in flight, what waits for its ack.
  core_.reset();
  const SpiderLogContents at_death = Log();
  ASSERT_LT(at_death.by_url.size(), urls.size());
  Make();
  RunToEnd();
  const SpiderLogContents log = Log();
  int repeated = 0;
  for (const std::string& url : urls) {
    ASSERT_TRUE(log.by_url.contains(url)) << url;
    repeated += log.by_url.at(url).all() - 1;
  }
  EXPECT_LE(repeated, 100);
}

TEST_F(HttpSpiderTest, WhatWasFetchedIsInTheArchive) {
  Serve({.hosts = 10, .pages_per_host = 10}, {});
  options_.archive.folder = folder_.path() / "archive";
  options_.archive.cdxj = false;
  options_.archive.jsonl = true;
  for (uint32_t host = 0; host < 10; ++host) {
    Feed(server_->web().paths().UrlOf({.host = host, .number = 1, .kind = Place::Kind::kPage}));
  }
  ASSERT_OK(feed_->Flush());
  Make();
  RunToEnd();
  ASSERT_OK(core_->Close());
  ASSERT_OK(core_->Finish());
  size_t lines = 0, warcs = 0;
  for (const auto& file : std::filesystem::directory_iterator(options_.archive.folder)) {
    if (file.path().extension() == ".jsonl") {
      std::ifstream text(file.path());
      for (std::string line; std::getline(text, line);) ++lines;
    } else {
      EXPECT_EQ(file.path().extension(), ".gz");
      ++warcs;
    }
  }
  EXPECT_EQ(warcs, 1u);
  size_t pages = 0;
  for (const auto& [url, outcome] : Log().by_url) pages += outcome.pages > 0;
  EXPECT_EQ(lines, pages);
  EXPECT_GT(pages, 5u);
}

TEST_F(HttpSpiderTest, AnAnswerWhoseContentIsRefusedIsInTheArchive) {
  Serve({.hosts = 1, .pages_per_host = 10}, {});
  options_.archive.folder = folder_.path() / "archive";
  options_.archive.cdxj = false;
  options_.fetch.content_types = {"application/pdf"};
  const std::string url =
      server_->web().paths().UrlOf({.host = 0, .number = 1, .kind = Place::Kind::kPage});
  Feed(url);
  ASSERT_OK(feed_->Flush());
  Make();
  RunToEnd();
  ASSERT_OK(core_->Close());
  ASSERT_OK(core_->Finish());
  EXPECT_EQ(Log().by_url.at(url).cause, FailureCause::kContentType);
  const std::filesystem::directory_iterator files(options_.archive.folder);
  std::string text;
  gzFile const file = gzopen(begin(files)->path().c_str(), "rb");
  char block[4096];
  for (int n; (n = gzread(file, block, sizeof block)) > 0;) {
    text.append(block, static_cast<size_t>(n));
  }
  gzclose(file);
  const size_t record = text.find("WARC-Target-URI: " + url + "\r\n");
  ASSERT_NE(record, std::string::npos) << text;
  EXPECT_NE(text.find("WARC-Truncated: unspecified\r\n", record), std::string::npos) << text;
  EXPECT_NE(text.find("\r\n\r\nHTTP/1.1 200 OK\r\n", record), std::string::npos) << text;
}

}  // namespace
}  // namespace orbweaver
