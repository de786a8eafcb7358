// The crawl of a simulation's strategy workers: their strategy, the entries that spiders append,
// and the books that must balance in the end.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <string>

#include "common/base/clock.h"
#include "common/base/random.h"
#include "common/model/spider_log.h"
#include "common/protocol/scoring_log_filter.h"
#include "strategy_worker/host/strategy.h"
#include "tests/support/strategy_world.h"

namespace orbweaver {

inline constexpr uint64_t kSimDomains = 6;
inline constexpr uint64_t kSimUrlsPerDomain = 12;

inline std::string SimDomain(uint64_t i) { return "d" + std::to_string(i) + ".test"; }
inline std::string SimUrl(const std::string& domain, uint64_t i) {
  return "https://" + domain + "/" + std::to_string(i);
}

// A block, its end, or a purge.
inline DomainOrder NewOrder(WallTime now, Random& random) {
  if (random.Chance(0.5)) return {.purge = true};
  return {.blocked_until = random.Chance(0.5) ? WallTime() : now + std::chrono::minutes(1)};
}

// Not thread-safe; one a simulation.
class SimCrawl {
 public:
  virtual ~SimCrawl() = default;

  // For one process, which decides at random by `seed` if it does.
  virtual std::unique_ptr<Strategy> NewStrategy(uint64_t seed) = 0;

  // Of all its workers.
  virtual CrawlScope Scope(const StrategyWorld&) { return {}; }

  // Appends one event, at a time of its own.
  virtual void Append(StrategyWorld& world, Random& random) = 0;

  // Everything is read: what is wrong, or nothing. The scoring log is read by `rules`.
  virtual std::string Audit(StrategyWorld& world, const ReaderRules& rules) = 0;
};

// A strategy that counts in each link state how often it scheduled the URL, by event and URL alone
// or by chance.
std::unique_ptr<SimCrawl> NewCountingCrawl(bool by_chance);

// A strategy that comes with Orbweaver. In the end everything must be as if one worker had read the
// spider log without any fault, also what workers schedule by themselves in this scope.
std::unique_ptr<SimCrawl> NewBuiltinCrawl(const std::string& strategy,
                                          const std::map<std::string, std::string>& params,
                                          const ScopeOptions& scope = {});

}  // namespace orbweaver
