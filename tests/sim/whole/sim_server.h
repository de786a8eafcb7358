// All sites of the simulated web, and what their owners see of the crawl.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/clock.h"
#include "common/base/random.h"
#include "tests/sim/whole/shape.h"
#include "tests/sim/whole/sim_web.h"
#include "tests/support/synthetic_web/judge.h"
#include "tests/support/synthetic_web/ledger.h"
#include "tests/support/synthetic_web/web.h"

namespace orbweaver::sim {

// Place: behind the spiders' simulated fetchers, in virtual time. Knows when each response ended by
// itself: a client that stands still does not keep a request open, and one that dies ends it.
//
// Not thread-safe.
class SimServer : public SimWeb {
 public:
  // Must outlive this.
  SimServer(const Shape& shape, const ManualClock& clock);

  SimulatedAnswer Begin(int client, FetchId id, std::string_view url) override;
  void Disconnect(int client) override;

  // A host's robots.txt asks for another delay from now on, or cannot be had the next few times.
  // Returns the change as a text for the trace.
  std::string ChangeRobots(Random& random);

  const synthetic::Web& web() const { return *web_; }
  const synthetic::Ledger& ledger() const { return ledger_; }
  // A spider is no more, or its partitions are another's: what sites asked of it in the last moment
  // may be in no commit.
  void SpiderLost();

  synthetic::Verdict verdict() { return judge_.verdict(); }
  uint64_t visits() const { return visits_; }
  // Of pages, by URL.
  const std::map<std::string, int>& page_visits() const { return page_visits_; }
  std::vector<std::string> Seeds() const { return seeds_; }
  std::string DomainOf(std::string_view url) const;
  // Registered domains, each once.
  std::vector<std::string> Domains() const;

 private:
  struct Open {
    int client;
    synthetic::Judge::VisitId visit;
    std::optional<std::chrono::seconds> retry_after;
  };
  struct Robots {
    int failures_left = 0;
    std::optional<std::chrono::milliseconds> crawl_delay;
  };

  // Ends what has ended by `now`.
  void EndDue(SteadyTime now);
  bool AnswerRobots(uint32_t host, synthetic::Answer* answer);
  std::chrono::milliseconds CrawlDelayOf(uint32_t host) const;
  SimulatedAnswer Translate(const synthetic::Answer& answer, Duration takes) const;

  const Shape& shape_;
  const ManualClock& clock_;
  const std::unique_ptr<const synthetic::Web> web_;
  const std::vector<std::string> seeds_;
  Random random_;
  synthetic::Ledger ledger_;
  synthetic::Judge judge_;
  std::multimap<SteadyTime, Open> open_;  // by when it ends
  std::map<uint32_t, Robots> robots_;     // that are not as in the web
  // The crawl delay that a host's robots.txt has asked this client for.
  std::map<std::pair<int, uint32_t>, std::chrono::milliseconds> told_;
  std::map<std::string, int> page_visits_;
  uint64_t visits_ = 0;
  synthetic::Answer answer_;
};

}  // namespace orbweaver::sim
