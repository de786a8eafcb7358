// Which URLs robots.txt allows: fetches the file of an origin, once for all who wait for it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"

#include "common/base/clock.h"
#include "common/url/resolver.h"
#include "spider/crawl/polite_fetches.h"
#include "spider/publish/outcome_encoder.h"
#include "spider/robots/robots_cache.h"

namespace orbweaver {

// Place: beside RequestFlow, in the spider's core: begins fetches, and is told of their ends by
// RequestFlow. A fetch outlives those that wait for it once it runs. Not thread-safe.
class RobotsFetcher {
 public:
  // The arguments must outlive this.
  RobotsFetcher(const RobotsOptions& options, const Clock& clock, UrlResolver& resolver,
                OutcomeEncoder& encoder, PoliteFetches& fetches);

  // As RobotsCache::Ask of the journey's URL, but never kFetch: the file is then being fetched, and
  // `waiter`, of this partition of the feed, waits for it until OnAnswer or GiveUp returns it.
  RobotsAsked Ask(TurnId waiter, PartitionId partition, const Journey& journey);

  // `waiter` waits no more for the robots.txt of `url`, if it did.
  void Leave(TurnId waiter, std::string_view url);

  // `fetch` is one of a robots.txt.
  bool Has(TurnId fetch) const { return files_.contains(fetch); }
  // False: it is one of a robots.txt for which nobody waits any more. It is then forgotten.
  bool IsWanted(TurnId fetch);

  // `fetch` has ended. Returns those that may ask now, or fail by the answer (FailsPages); none
  // when a redirect is followed.
  std::vector<TurnId> OnAnswer(TurnId fetch, const FetchResult& answer);
  // `fetch` is over without an answer. Returns those that waited for it.
  std::vector<TurnId> GiveUp(TurnId fetch);

  // Asking for the file at once again would say nothing else: pages fail as it did, and nothing is
  // learnt of robots.txt.
  static bool FailsPages(const FetchResult& answer);

  // A file is being fetched for such partitions, perhaps only for requests that were handed back
  // since.
  bool IsRunningFor(absl::FunctionRef<bool(PartitionId)> which) const;

  // Facts of hosts, for the spider log.
  std::vector<LogEntries> TakeFacts() { return std::exchange(facts_, {}); }
  // Facts that were told may be lost: they are told again before the next request of each host.
  void ForgetTold() {
    cache_.ForgetTold();
    facts_.clear();
  }

  size_t files() const { return files_.size(); }
  const RobotsCache& cache() const { return cache_; }

 private:
  struct RobotsFetch {
    PartitionId partition;  // of the first that waited
    std::string origin;
    std::shared_ptr<Journey> journey;  // of the file
    std::vector<TurnId> waiters;
  };

  // `file`: its robots.txt, where it has just come.
  void ReportFacts(std::string_view origin, std::optional<Duration> retry_after,
                   std::optional<std::string_view> file);

  UrlResolver& resolver_;
  const Clock& clock_;
  OutcomeEncoder& encoder_;
  PoliteFetches& fetches_;
  RobotsCache cache_;
  absl::flat_hash_map<TurnId, RobotsFetch> files_;
  absl::flat_hash_map<std::string, TurnId> by_origin_;
  std::vector<LogEntries> facts_;
};

}  // namespace orbweaver
