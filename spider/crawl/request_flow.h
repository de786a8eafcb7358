// Where each request is, from the feed to its outcome.
//
//   Begin ─► robots.txt? ─► address? ─► its turn ─► lane ─► outcome ─► Arrived
//               ▲                                    │
//               └────────────── redirect ────────────┘
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"

#include "common/base/clock.h"
#include "common/scope/crawl_scope.h"
#include "common/url/resolver.h"
#include "spider/crawl/crawl_metrics.h"
#include "spider/crawl/lanes.h"
#include "spider/crawl/way_out.h"
#include "spider/feed/feed_reader.h"
#include "spider/politeness/politeness.h"
#include "spider/publish/outcome_encoder.h"
#include "spider/robots/robots_cache.h"

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

// Which requests a call is about.
struct WhichRequests {
  // nullptr: of all partitions.
  const std::vector<PartitionId>* partitions = nullptr;
};

// Place: in the spider's core, between FeedReader and LogSender, which it does not know: every
// request that Begin took has exactly one outcome among TakeOutcomes, unless it is forgotten
// before. Knows whom it has just asked for as long as the process lives, so it outlives the group's
// membership. Not thread-safe.
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
    TurnId id;  // TurnId(): facts of a host, of no request
    LogEntries entries;
  };
  std::vector<Outcome> TakeOutcomes() { return std::exchange(outcomes_, {}); }

  // A domain that has just asked to be left alone.
  struct Rest {
    std::string domain;
    Slot slot;
    SteadyTime until;
  };
  std::vector<Rest> TakeRests() { return std::exchange(rests_, {}); }

  // The outcome is in the log: forgets the request. nullopt when it was forgotten before.
  std::optional<FeedPlace> Arrived(TurnId id);

  // Gives an outcome, Deferred, to what has none yet and is not being fetched; with `fetching_too`
  // also to that, and its answer will not be used.
  void HandBack(WhichRequests which, bool fetching_too);

  // The requests are another spider's. Answers that come are not used.
  void Forget(WhichRequests which);
  // Outcomes that were taken may be lost. Requests are asked for again by whoever has them then;
  // facts of hosts are told again before the next request of each.
  void ForgetTold() { robots_.ForgetTold(); }

  // How many have no outcome in the log yet.
  size_t held() const { return jobs_.size(); }
  bool Holds(WhichRequests which) const;

  // A robots.txt is being fetched for some of them, perhaps only for those that were handed back
  // since.
  bool AsksRobots(WhichRequests which) const;

  // When Advance may have something to do, if no result comes before.
  SteadyTime NextLook() const;

  size_t fetching() const { return fetching_; }
  // Files of robots.txt that are waited for.
  size_t robots_fetches() const { return robots_fetches_.size(); }
  // Why nothing is started now, other than that there is nothing; nullopt while the way to the web
  // is open.
  const std::optional<WayOut::Closed>& no_way_out() const { return way_.closed(); }
  const Politeness& politeness() const { return politeness_; }
  const RobotsCache& robots() const { return robots_; }

 private:
  enum class Stage : uint8_t { kRobots, kAddress, kTurn, kFetching, kDone };

  // A request of the feed.
  struct Job {
    const FeedPlace place;
    const std::shared_ptr<Journey> journey;
    const Slot slot;
    Stage stage = Stage::kRobots;
    IpAddress address;
    std::optional<Duration> crawl_delay;
    bool again = false;  // as in LaneTask
    int hold_ups = 0;    // failures that were taken for our own side's
    // The redirect that is being followed: what becomes of the request should that end here.
    std::unique_ptr<FetchResult> redirect;
  };

  // A robots.txt on its way, for the requests that wait for it.
  struct RobotsFetch {
    PartitionId partition;  // of those that wait for it
    std::string origin;
    std::string url;     // where redirects have led it
    std::string domain;  // of that
    Slot slot;
    Duration delay;
    IpAddress address;
    bool again = false;  // as in LaneTask
    int hold_ups = 0;    // as in Job
    bool fetching = false;
    std::vector<TurnId> waiters;
  };

  void AskRobots(TurnId id, Job& job);
  void FetchRobots(const Job& job, std::string_view origin, TurnId waiter);
  // Looks the address up where one is wanted, then AddTurn.
  void WaitForTurn(TurnId id, std::string_view url, Slot slot);
  void AddTurn(TurnId id);
  void StartFetch(TurnId id);
  // A fetch begins now: when the next one may, by politeness.rate.
  void Pace(SteadyTime now);
  void HandBackLate();

  void OnAddress(LaneResult& result);
  // Learns from `result` whether our way to the web works.
  void Judge(const LaneResult& result);
  // Whether its failure is our own side's: it is then to be tried again.
  bool IsHeldUp(const LaneResult& result, int* hold_ups);
  void TellWayOut();
  // Looks those addresses up again that no name server was there for.
  void AskNamesAgain();
  void NoteRest(std::string_view domain, Slot slot);
  void OnPage(TurnId id, Job& job, LaneResult& result);
  void OnRobots(TurnId id, RobotsFetch& robots, LaneResult& result);
  // Forgets the fetch; returns those that still wait for it.
  std::vector<TurnId> EndRobotsFetch(TurnId id);
  // nullptr when there is none of that id that anybody waits for; it is then forgotten.
  RobotsFetch* WantedRobots(TurnId id);

  void Fail(TurnId id, Job& job, FailureCause cause, std::string_view message,
            const FetchResult* result = nullptr);
  void HandBackJob(TurnId id, Job& job, WallTime not_before, DeferReason reason);
  // A page without content, and where it leads as a link.
  void NotFollowed(TurnId id, Job& job, const FetchResult& answer);
  void Finish(TurnId id, Job& job, LogEntries entries);
  void TellFacts(std::string_view origin, std::optional<Duration> retry_after);

  static bool Concerns(WhichRequests which, PartitionId partition);
  Job* Find(TurnId id);
  WallTime WallAt(SteadyTime when) const;

  const RequestFlowOptions options_;
  const Clock& clock_;
  Lanes& lanes_;
  CrawlMetrics& metrics_;
  UrlResolver resolver_;
  Politeness politeness_;
  RobotsCache robots_;
  OutcomeEncoder encoder_;

  absl::flat_hash_map<TurnId, std::unique_ptr<Job>> jobs_;
  absl::flat_hash_map<TurnId, std::unique_ptr<RobotsFetch>> robots_fetches_;
  absl::flat_hash_map<std::string, TurnId> robots_by_origin_;
  WayOut way_;
  bool told_closed_ = false;
  SteadyTime next_told_{};
  std::vector<TurnId> without_address_;  // that wait for a name server
  std::vector<Outcome> outcomes_;
  std::vector<Rest> rests_;
  uint64_t next_id_ = 1;
  size_t fetching_ = 0;
  SteadyTime next_start_{};
};

}  // namespace orbweaver
