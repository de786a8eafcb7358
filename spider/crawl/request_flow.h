// Where each request is, from the feed to its outcome.
//
//   Begin ─► robots.txt? ─► fetch ─► outcome ─► Arrived
//               ▲             │
//               └─ redirect ──┘
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"

#include "common/base/clock.h"
#include "common/scope/crawl_scope.h"
#include "common/url/resolver.h"
#include "spider/crawl/crawl_metrics.h"
#include "spider/crawl/polite_fetches.h"
#include "spider/crawl/robots_fetcher.h"
#include "spider/feed/feed_reader.h"
#include "spider/publish/outcome_encoder.h"

namespace orbweaver {

struct RequestFlowOptions {
  UrlOptions urls;
  CrawlScope scope = {};
  PolitenessOptions politeness;
  RobotsOptions robots;
  PublishOptions publish;
  size_t max_fetches = 1'000;
  uint32_t max_redirects = 5;
  // No fetch takes longer.
  Duration fetch_timeout = std::chrono::seconds(60);
};

// Place: in the spider's core, between FeedReader and LogSender, which it does not know: every
// request that Begin took has exactly one outcome among TakeOutcomes, unless it is forgotten
// before. Lives as long as the process, so it outlives the group's membership. Not thread-safe.
class RequestFlow {
 public:
  // The arguments must outlive this.
  RequestFlow(RequestFlowOptions options, const PublicSuffixes& suffixes, const Clock& clock,
              Lanes& lanes, CrawlMetrics& metrics);

  void Begin(const FeedRequest& delivered);

  // Starts fetches whose turn has come, unless `may_fetch` says that outcomes pile up, and hands
  // back what waits too long.
  void Advance(bool may_fetch);

  void OnResult(LaneResult& result);

  struct Outcome {
    TurnId id;
    LogEntries entries;
  };
  std::vector<Outcome> TakeOutcomes() { return std::exchange(outcomes_, {}); }
  // Facts of hosts, for the spider log.
  std::vector<LogEntries> TakeFacts() { return robots_.TakeFacts(); }
  std::vector<std::string> TakeRests() { return fetches_.TakeRests(); }

  // The outcome is in the log: forgets the request. nullopt when it was forgotten before.
  std::optional<FeedPlace> Arrived(TurnId id);

  // Which partitions' requests a call is about.
  using Which = absl::FunctionRef<bool(PartitionId)>;

  // Gives an outcome, Deferred, to what has none yet and is not being fetched; with `fetching_too`
  // also to that, and its answer will not be used.
  void HandBack(Which which, bool fetching_too);

  // The requests are another spider's. Answers that come are not used.
  void Forget(Which which);
  // Outcomes and facts that were taken may be lost. Requests are asked for again by whoever has
  // them then; facts are told again before the next request of each host.
  void ForgetTold() { robots_.ForgetTold(); }

  // How many have no outcome in the log yet.
  size_t held() const { return jobs_.size(); }
  bool Holds(Which which) const;

  // A robots.txt is being fetched for some of them, perhaps only for those that were handed back
  // since.
  bool AsksRobots(Which which) const { return robots_.IsRunningFor(which); }

  // When Advance may have something to do, if no result comes before.
  SteadyTime NextLook() const { return fetches_.NextLook(); }

  size_t fetching() const { return fetches_.running(); }
  // Files of robots.txt that are waited for.
  size_t robots_fetches() const { return robots_.files(); }
  const std::optional<WayOut::Closed>& no_way_out() const { return fetches_.no_way_out(); }
  const Politeness& politeness() const { return fetches_.politeness(); }
  const RobotsCache& robots() const { return robots_.cache(); }

 private:
  enum class Stage : uint8_t { kRobots, kFetch, kDone };

  // A request of the feed.
  struct Job {
    FeedPlace place;
    std::shared_ptr<Journey> journey;  // until its outcome is encoded
    Stage stage = Stage::kRobots;
    // The redirect that is being followed: what becomes of the request should that end here.
    Answer redirect;
  };

  void AskRobots(TurnId id, Job& job);
  void OnRobots(TurnId fetch, const FetchResult& answer);
  void OnAnswer(TurnId id, Job& job, Answer answer);
  void HandBackLate();

  void Fail(TurnId id, Job& job, FailureCause cause, std::string_view message,
            const FetchResult* result = nullptr);
  void HandBackJob(TurnId id, Job& job, SteadyTime not_before, DeferReason reason);
  // A page without content, and where it leads as a link.
  void NotFollowed(TurnId id, Job& job, const FetchResult& answer);
  void Finish(TurnId id, Job& job, LogEntries entries);
  // Nothing is waited for any more for it.
  void Stop(TurnId id, const Job& job);

  const RequestFlowOptions options_;
  const Clock& clock_;
  CrawlMetrics& metrics_;
  UrlResolver resolver_;
  OutcomeEncoder encoder_;
  PoliteFetches fetches_;
  RobotsFetcher robots_;
  absl::flat_hash_map<TurnId, Job> jobs_;
  std::vector<Outcome> outcomes_;
};

}  // namespace orbweaver
