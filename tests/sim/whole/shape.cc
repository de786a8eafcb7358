#include "tests/sim/whole/shape.h"

#include <iterator>
#include <string>

#include "fmt/format.h"

#include "common/base/random.h"

namespace orbweaver::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr double kUsesKind = 0.6;
constexpr uint64_t kStrategies = 4;

FaultPlan DrawPlan(const FaultPlan& allowed, Random& random) {
  FaultPlan plan = allowed;
  for (size_t i = 0; i < kFaultKinds; ++i) {
    // Drawn in any case, so that what is taken out of a plan changes nothing else.
    if (!random.Chance(kUsesKind)) plan.Drop(static_cast<FaultKind>(i));
  }
  return plan;
}

void DrawWeb(const FaultPlan& plan, Random& random, synthetic::WebOptions* web) {
  using synthetic::Fault;
  using synthetic::RobotsKind;
  web->seed = random();
  web->hosts = 3 + static_cast<uint32_t>(random.Below(6));
  web->pages_per_host = 3 + static_cast<uint32_t>(random.Below(6));
  web->links_per_page = 2 + static_cast<uint32_t>(random.Below(4));
  web->page_bytes = 200;
  web->outside_links = 0.3;
  web->transient_failures = 1;
  web->retry_after = seconds(30);
  web->crawl_delay = milliseconds(2500);
  const double failing = random.Unit() * 0.1;
  if (!plan.Has(FaultKind::kTroubledHosts)) return;
  web->troubles.faults = {
      Fault::kReset,        Fault::kTooManyRequests, Fault::kTooManyRequestsBare,
      Fault::kUnavailable,  Fault::kUnavailableBare, Fault::kHang,
      Fault::kNoSuchHost,   Fault::kRedirect,        Fault::kRedirectAway,
      Fault::kRedirectLoop, Fault::kDuplicates,      Fault::kSoft404};
  web->troubles.robots = {
      RobotsKind::kMissing,     RobotsKind::kRules,    RobotsKind::kOwnGroup,
      RobotsKind::kCrawlDelay,  RobotsKind::kEmpty,    RobotsKind::kFailsFirst,
      RobotsKind::kDisallowAll, RobotsKind::kRedirect, RobotsKind::kServerError};
  web->faulty_hosts = 0.4;
  web->robots_hosts = 0.4;
  web->faulty_pages = 0.4;
  web->gone_pages = failing;
  web->failing_pages = failing / 2;
}

// In Python those of python/examples that fetch all that can be reached, and one in C++, so that
// strategies are swapped over the languages.
StrategyOptions StrategyOf(uint64_t number, bool in_python) {
  constexpr const char* kBuiltin[] = {"breadth_first", "depth_first", "random", "opic"};
  constexpr const char* kPython[] = {"breadth_first", nullptr, "breadth_first_batch", "opic"};
  static_assert(std::size(kBuiltin) == kStrategies && std::size(kPython) == kStrategies);
  if (!in_python || kPython[number] == nullptr) {
    return {.name = kBuiltin[number], .path = {}, .directory = {}, .params = {}};
  }
  return {.name = "python",
          .path = {},
          .directory = {},
          .params = {{"module", fmt::format("{}/{}.py", ORBWEAVER_EXAMPLES, kPython[number])}}};
}

}  // namespace

Shape DrawShape(uint64_t seed, const FaultPlan& allowed) {
  Random random(seed);
  Shape shape;
  shape.plan = DrawPlan(allowed, random);
  shape.partitions = random.Chance(0.6) ? 1 : 2;
  shape.spiders = 1 + static_cast<int>(random.Below(2));
  shape.strategy_workers = 1 + static_cast<int>(random.Below(2));
  shape.db_workers = 1 + static_cast<int>(random.Below(2));
  shape.named_members = random.Chance(0.5);
  shape.faults = 1 + static_cast<int>(random.Below(10));
  DrawWeb(shape.plan, random, &shape.web);
  shape.seeds = 1 + random.Below(3);
  shape.max_pages = random.Chance(0.15) ? 2 + random.Below(6) : 0;
  shape.by_chance = random.Chance(0.3);
  shape.slowest_answer = milliseconds(50 + random.Below(300));
  if (shape.plan.Has(FaultKind::kSlowHosts)) shape.slowest_answer = seconds(6);

  const auto strategy = [&shape, &allowed](uint64_t number) {
    StrategyOptions options = StrategyOf(number, allowed.in_python);
    options.params.insert({{"max_pages", std::to_string(shape.max_pages)},
                           {"retries", "5"},
                           {"retry_delay_s", "20"}});
    return options;
  };
  const uint64_t first = random.Below(kStrategies);
  shape.strategy = strategy(first);
  shape.next_strategy = strategy((first + 1 + random.Below(kStrategies - 1)) % kStrategies);

  shape.states = {.cache_bytes = random.Chance(0.5) ? uint64_t{2000} : uint64_t{1} << 20,
                  .inline_bytes = random.Below(150),
                  .max_deltas = 1 + random.Below(4),
                  .shard_urls = 4 + random.Below(20)};
  shape.strategy_worker.batch_events = 1 + random.Below(12);
  shape.strategy_worker.store_timeout = milliseconds(random.Chance(0.2) ? 80 : 5000);
  shape.strategy_worker.bus_timeout = milliseconds(random.Chance(0.2) ? 200 : 5000);
  shape.strategy_worker.dns_failure_rest = seconds(30);

  shape.db_worker.feed = {.low_lag = 4 + static_cast<int64_t>(random.Below(5)),
                          .target_lag = 10,
                          .max_per_domain = 3,
                          .min_domains = 2,
                          .window = seconds(2),
                          .interval = milliseconds(100)};
  shape.db_worker.checkpoint_interval = milliseconds(200 + random.Below(3000));
  shape.db_worker.checkpoint_requests = 8;
  // So that chunks are read from the store, and some domains are forgotten.
  shape.db_worker.chunk_cache_bytes = random.Chance(0.5) ? 1 : 4000;
  shape.db_worker.index_bytes = random.Chance(0.5) ? 1 : int64_t{1} << 20;
  shape.db_worker.call_timeout = seconds(5);

  shape.crawl.window = 12;
  shape.crawl.max_requests = 8;
  shape.crawl.max_fetches = 1 + random.Below(5);
  shape.crawl.commit_interval = milliseconds(100 + random.Below(900));
  shape.crawl.drain_timeout = seconds(10);
  shape.politeness.delay = seconds(1);
  shape.politeness.max_wait = seconds(5 + random.Below(10));
  shape.politeness.max_crawl_delay = seconds(30);
  shape.politeness.back_off.first = seconds(5);
  shape.db_worker.politeness = shape.politeness;
  shape.robots.product_token = "orbweaver";  // as the sites name it
  shape.robots.max_age = minutes(1);
  shape.robots.retry_min = seconds(5);
  shape.robots.retry_max = seconds(60);
  shape.fetch_timeout = seconds(8);
  shape.session_timeout = seconds(45);

  // The last to be drawn: what was drawn before stays what it was for its seed.
  const bool hosts_differ = shape.plan.Has(FaultKind::kTroubledHosts);
  if (hosts_differ && random.Chance(0.4)) shape.scope.sitemaps = SitemapUse::kAlso;
  shape.strategy_worker.own_retries = 5;
  shape.strategy_worker.own_retry_delay = seconds(20);
  if (random.Chance(0.3)) shape.strategy_worker.explore = 0.25;
  return shape;
}

}  // namespace orbweaver::sim
