#include "tests/sim/whole/shape.h"

#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "fmt/format.h"

#include "common/base/random.h"
#include "tests/sim/whole/counting_crawl.h"

namespace orbweaver::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr double kUsesKind = 0.6;
constexpr uint64_t kStrategies = 4;

// A lone spider's sites know one spider, so it has no zombies.
bool Concerns(FaultKind kind, Component component) {
  using enum FaultKind;
  switch (kind) {
    case kRobotsChange:
    case kBlock:
    case kPurge:
    case kUrlOrder:
    case kStrategySwap:
    case kClockJump:
    case kSlowHosts:
    case kTroubledHosts:
      return component == Component::kWhole;
    case kFreeze:
    case kSleep:
    case kRestart:
      return component != Component::kSpider;
    default:
      return true;
  }
}

FaultPlan DrawPlan(const FaultPlan& allowed, Random& random) {
  FaultPlan plan = allowed;
  for (size_t i = 0; i < kFaultKinds; ++i) {
    // Drawn in any case, so that what is taken out of a plan changes nothing else.
    const bool is_drawn = random.Chance(kUsesKind) || plan.component == Component::kSpider;
    if (!is_drawn || !Concerns(static_cast<FaultKind>(i), plan.component)) {
      plan.Drop(static_cast<FaultKind>(i));
    }
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

StrategyOptions Builtin(std::string name, std::map<std::string, std::string> params) {
  return {.name = std::move(name), .path = {}, .directory = {}, .params = std::move(params)};
}

StrategyOptions Example(const char* module, std::map<std::string, std::string> params = {}) {
  params["module"] = fmt::format("{}/{}.py", ORBWEAVER_EXAMPLES, module);
  return Builtin("python", std::move(params));
}

// Of strategy workers alone: one that counts, or any that comes with Orbweaver, some where workers
// schedule by themselves too.
void DrawStrategy(Random& random, bool in_python, Shape* shape) {
  const std::map<std::string, std::string> capped{{"max_pages", "8"}};
  const std::vector<StrategyOptions> builtins{Builtin("breadth_first", capped),
                                              Builtin("depth_first", {}),
                                              Builtin("random", {}),
                                              Builtin("discovery", capped),
                                              Builtin("recrawl", {}),
                                              Builtin("keyword", {{"terms", "spider, 3:2"}}),
                                              Builtin("opic", {}),
                                              Builtin("indegree", {}),
                                              Builtin("larger_sites_first", capped)};
  const std::vector<StrategyOptions> examples{Example("discovery", capped), Example("opic")};
  const ScopeOptions scopes[] = {
      {.kind = ScopeKind::kDomain, .sitemaps = SitemapUse::kAlso, .assets = true},
      {.sitemaps = SitemapUse::kOnly, .assets = true},
      {.kind = ScopeKind::kHost, .sitemaps = SitemapUse::kNo, .assets = true}};
  shape->by_chance = !in_python && random.Chance(0.25);
  if (shape->by_chance || (!in_python && random.Chance(0.33))) {
    shape->strategy = Builtin(std::string(kCountingStrategy), {});
    shape->scope = {};
    return;
  }
  const auto& strategies = in_python ? examples : builtins;
  shape->strategy = strategies[random.Below(strategies.size())];
  shape->scope = random.Chance(0.3) ? scopes[random.Below(std::size(scopes))] : ScopeOptions();
}

// Of the whole, what it has not: the other kinds of workers. More goes wrong with those it has.
void KeepComponent(Random& random, const FaultPlan& plan, Shape* shape) {
  if (plan.component == Component::kWhole) return;
  const bool has_strategy = plan.component == Component::kStrategy;
  const bool has_queue = plan.component == Component::kQueue;
  const bool has_spider = plan.component == Component::kSpider;
  shape->strategy_workers = has_strategy ? 2 : 0;
  shape->db_workers = has_queue ? 2 : 0;
  shape->spiders = has_spider ? 1 : 0;
  shape->most_between_faults = 150;
  shape->error_rate = has_strategy ? 1.7 : 1;
  shape->loss_rate = 2.5;
  if (has_strategy) {
    shape->partitions = 4;
    DrawStrategy(random, plan.in_python, shape);
  }
  if (!has_spider) return;
  shape->partitions = 4;
  shape->spider_minutes = plan.Has(FaultKind::kKill) ? 30 : 60;
  shape->faults = 20;
  shape->most_between_faults = 50'000;
  shape->longest_outage = seconds(45);
  // Longer than an outage, so that who has a partition keeps it.
  shape->session_timeout = minutes(5);
  shape->error_rate = 0.5;
  shape->loss_rate = 0.003;
  shape->named_members = true;
  shape->crawl = {.window = 20'000, .max_requests = 1'000, .max_fetches = 300};
  // Whatever is kept for a time comes to its end several times.
  shape->politeness = {};
  shape->politeness.back_off = {
      .first = seconds(10), .most = minutes(4), .forgiven_after = minutes(3)};
  shape->robots = {.max_age = minutes(8),
                   .retry_min = seconds(5),
                   .retry_max = minutes(2),
                   .cache_bytes = size_t{1} << 20};
  shape->fetch_timeout = seconds(60);
}

// Tight bounds, so that each is met.
void DrawWorkers(Random& random, Shape* shape) {
  shape->states = {.cache_bytes = random.Chance(0.5) ? uint64_t{2000} : uint64_t{1} << 20,
                   .inline_bytes = random.Below(150),
                   .max_deltas = 1 + random.Below(4),
                   .shard_urls = 4 + random.Below(20)};
  shape->strategy_worker.batch_events = 1 + random.Below(12);
  shape->strategy_worker.store_timeout = milliseconds(random.Chance(0.2) ? 80 : 5000);
  shape->strategy_worker.bus_timeout = milliseconds(random.Chance(0.2) ? 200 : 5000);
  shape->strategy_worker.dns_failure_rest = seconds(30);

  shape->db_worker.feed = {.low_lag = 4 + static_cast<int64_t>(random.Below(5)),
                           .target_lag = 10,
                           .max_per_domain = 3,
                           .min_domains = 2,
                           .window = seconds(2),
                           .interval = milliseconds(100)};
  shape->db_worker.checkpoint_interval = milliseconds(200 + random.Below(3000));
  shape->db_worker.checkpoint_requests = 8;
  // So that chunks are read from the store, and some domains are forgotten.
  shape->db_worker.chunk_cache_bytes = random.Chance(0.5) ? 1 : 4000;
  shape->db_worker.index_bytes = random.Chance(0.5) ? 1 : int64_t{1} << 20;
  shape->db_worker.call_timeout = seconds(5);

  shape->crawl.window = 12;
  shape->crawl.max_requests = 8;
  shape->crawl.max_fetches = 1 + random.Below(5);
  shape->crawl.commit_interval = milliseconds(100 + random.Below(900));
  shape->crawl.drain_timeout = seconds(10);
  shape->politeness.delay = seconds(1);
  shape->politeness.max_wait = seconds(5 + random.Below(10));
  shape->politeness.max_crawl_delay = seconds(30);
  shape->politeness.back_off.first = seconds(5);
  shape->db_worker.politeness = shape->politeness;
  shape->robots.product_token = "orbweaver";  // as the sites name it
  shape->robots.max_age = minutes(1);
  shape->robots.retry_min = seconds(5);
  shape->robots.retry_max = seconds(60);
  shape->fetch_timeout = seconds(8);
  shape->session_timeout = seconds(45);
}

}  // namespace

Shape DrawShape(uint64_t seed, const FaultPlan& allowed) {
  Random random(seed);
  Shape shape;
  shape.plan = DrawPlan(allowed, random);
  shape.partitions = random.Chance(0.6) ? 1 : 2 << random.Below(3);
  shape.spiders = 1 + static_cast<int>(random.Below(2));
  shape.strategy_workers = 1 + static_cast<int>(random.Below(2));
  shape.db_workers = 1 + static_cast<int>(random.Below(2));
  shape.named_members = random.Chance(0.5);
  shape.faults = 1 + static_cast<int>(random.Below(10));
  shape.most_between_faults = 300;
  shape.longest_outage = seconds(610);
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

  DrawWorkers(random, &shape);

  // The last to be drawn: what was drawn before stays what it was for its seed.
  const bool hosts_differ = shape.plan.Has(FaultKind::kTroubledHosts);
  if (hosts_differ && random.Chance(0.4)) shape.scope.sitemaps = SitemapUse::kAlso;
  shape.strategy_worker.own_retries = 5;
  shape.strategy_worker.own_retry_delay = seconds(20);
  if (random.Chance(0.3)) shape.strategy_worker.explore = 0.25;
  KeepComponent(random, allowed, &shape);
  return shape;
}

}  // namespace orbweaver::sim
