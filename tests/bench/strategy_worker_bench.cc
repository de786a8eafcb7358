// What the strategy worker costs, from the bytes of the spider log to the bytes of the scoring log,
// with its real parts on a store and a bus in memory: 1000 hosts with 100 known URLs each, pages of
// 60 links to their own host, 54 of them known and 6 new.
#include <string>
#include <utility>
#include <vector>

#include "common/base/check.h"
#include "common/base/log.h"
#include "common/base/random.h"
#include "common/base/status.h"
#include "common/bus/topics.h"
#include "common/metrics/metric_registry.h"
#include "strategy_worker/host/loader.h"
#include "tests/bench/bench.h"
#include "tests/support/strategy_world.h"

namespace orbweaver {
namespace {

constexpr int kHosts = 1000;
constexpr int kKnown = 100;
constexpr int kKnownLinks = 54;
constexpr int kNewLinks = 6;
constexpr int kPages = 20'000;
constexpr int kPartitions = 16;
constexpr size_t kBatchEvents = 300;

class Web {
 public:
  explicit Web(StrategyWorld* world) : world_(*world), known_(kHosts, kKnown) {}

  void AppendSeeds() {
    for (int host = 0; host < kHosts; ++host) {
      const std::vector<std::string> urls = Urls(host, 0, kKnown);
      std::vector<Link> links;
      for (const std::string& url : urls) links.push_back({.url = url, .anchor = "a link"});
      AppendLinks(host, links);
    }
  }

  void AppendPage() {
    const int host = static_cast<int>(random_.Below(kHosts));
    std::vector<std::string> urls;
    // Different ones: 7 and kKnown have no common divisor.
    const int start = static_cast<int>(random_.Below(kKnown));
    for (int i = 0; i < kKnownLinks; ++i) urls.push_back(UrlOf(host, (start + i * 7) % kKnown));
    for (int i = 0; i < kNewLinks; ++i) urls.push_back(UrlOf(host, known_[Index(host)]++));
    std::vector<Link> links;
    for (const std::string& url : urls) links.push_back({.url = url, .anchor = "More about this"});
    const std::string page = UrlOf(host, static_cast<int>(random_.Below(kKnown)));
    const std::string domain = DomainOf(host);
    world_.Append({.domain = domain,
                   .event = PageFetched{.request = {.url = page, .domain = domain, .depth = 1},
                                        .status = 200,
                                        .fetched_at = world_.clock.Wall(),
                                        .content_hash = {.high = random_(), .low = random_()},
                                        .content_type = "text/html",
                                        .title = "A page as there are many",
                                        .etag = "\"5f3e-9a8b7c6d\""}});
    AppendLinks(host, links);
  }

 private:
  static size_t Index(int host) { return static_cast<size_t>(host); }
  static std::string DomainOf(int host) { return "some-site-" + std::to_string(host) + ".example"; }
  static std::string UrlOf(int host, int number) {
    return "https://www." + DomainOf(host) + "/articles/2026/section-" +
           std::to_string(number % 7) + "/some-words-of-a-title-" + std::to_string(number) +
           ".html";
  }
  static std::vector<std::string> Urls(int host, int from, int to) {
    std::vector<std::string> urls;
    for (int i = from; i < to; ++i) urls.push_back(UrlOf(host, i));
    return urls;
  }
  void AppendLinks(int host, const std::vector<Link>& links) {
    const std::string source = UrlOf(host, 0);
    world_.Append({.domain = DomainOf(host),
                   .event = LinksFound{
                       .source = {.url = source, .depth = 1, .link_count = kKnownLinks + kNewLinks},
                       .links = links}});
  }

  StrategyWorld& world_;
  Random random_{1};
  std::vector<int> known_;
};

void MemoryCase(BenchReport& report, const char* name, const char* strategy_name) {
  auto strategy = LoadStrategy({.name = strategy_name, .path = {}, .directory = {}, .params = {}},
                               /*seed=*/1);
  if (!strategy.ok()) {
    report.Fail(name, MessageOf(strategy.status()));
    return;
  }
  StrategyWorld world(kPartitions);
  Web web(&world);
  web.AppendSeeds();
  // As for any store in this process: a put costs the same whenever it comes, and a batch that
  // stays in the CPU's caches costs less.
  StrategyWorld::Worker worker;
  worker.options.batch_events = kBatchEvents;
  const auto core = world.NewCore(**strategy, std::move(worker));
  CHECK_OK(world.RunUntilIdle(*core));
  for (int i = 0; i < kPages; ++i) web.AppendPage();
  const CpuTimer timer;
  CHECK_OK(world.RunUntilIdle(*core));
  report.AddRate(name, kPages * (kKnownLinks + kNewLinks), "links/cpu_s", timer,
                 "CPU: canonical URLs, decoding");
  CHECK(world.DeadLetterCauses().empty());
}

void StrategyWorkerBench(BenchReport& report) {
  ConfigureLog({.level = LogLevel::kWarning});
  MemoryCase(report, "memory_breadth_first", "breadth_first");
  MemoryCase(report, "memory_discovery", "discovery");
}

ORBWEAVER_BENCH("strategy_worker", StrategyWorkerBench);

}  // namespace
}  // namespace orbweaver
