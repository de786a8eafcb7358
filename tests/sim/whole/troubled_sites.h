// A web in virtual time on which everything goes wrong that can go wrong, and which judges how it
// is asked by one spider.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "common/base/clock.h"
#include "common/base/random.h"
#include "common/politeness/politeness_options.h"
#include "spider/robots/robots_options.h"
#include "tests/sim/whole/sim_web.h"

namespace orbweaver::sim {

// Sites are numbered, and each is a registered domain of two hosts. A site's faults and its
// robots.txt follow from its number: the first few dozen have every combination.
//
// The judge works as the sites would: it knows when each request came and when the site was done
// with it, not what the spider thinks. Memory is a constant for each site that may exist. Not
// thread-safe.
class TroubledSites : public SimWeb {
 public:
  // `politeness` and `robots` are the spider's options; `clock` must outlive this.
  TroubledSites(ManualClock& clock, const PolitenessOptions& politeness,
                const RobotsOptions& robots, size_t sites, uint64_t seed);

  // A page of the site, never named before when `number` was not. A fifth of them are forbidden
  // where there are rules.
  std::string UrlOf(size_t site, uint64_t number);

  SimulatedAnswer Begin(int client, FetchId id, std::string_view url) override;
  void End(FetchId id) override;
  // The spider is dead: what the next one cannot know is not held against it.
  void Disconnect(int client) override;

  // The sites' complaints, the first few in words.
  const std::vector<std::string>& complaints() const { return complaints_; }
  size_t complained() const { return complained_; }

  size_t pages_served() const { return pages_served_; }
  size_t requests() const { return requests_; }

 private:
  struct Site {
    SteadyTime ready_at = SteadyTime::min();       // its delay has passed
    SteadyTime blocked_until = SteadyTime::min();  // it has asked for rest
    bool crawl_delay_known = false;
    int running = 0;
    SteadyTime allowed_at[2] = {SteadyTime::min(), SteadyTime::min()};  // by each host's robots.txt
    uint32_t robots_asked = 0;
  };
  struct Target {
    size_t site = 0;
    int host = 0;
    std::string_view path;
  };
  struct Running {
    size_t site = 0;
    int host = 0;
    // Whether a spider may go by this answer: rules, or that there are none.
    bool allows = false;
    bool broken_off = false;
    bool asks_for_rest = false;
    std::optional<Duration> retry_after;
  };

  Target TargetOf(std::string_view url) const;
  void Judge(std::string_view url, const Target& target);
  SimulatedAnswer RobotsOf(const Target& target);
  SimulatedAnswer PageOf(const Target& target);
  Duration DelayOf(const Target& target, const Site& site) const;
  void Complain(std::string_view url, std::string_view about);

  ManualClock& clock_;
  const PolitenessOptions politeness_;
  const RobotsOptions robots_;
  Random random_;
  std::vector<Site> sites_;
  std::unordered_map<uint64_t, Running> running_;
  std::string filler_;  // of a huge robots.txt
  std::vector<std::string> complaints_;
  size_t complained_ = 0;
  size_t pages_served_ = 0;
  size_t requests_ = 0;
};

}  // namespace orbweaver::sim
