// Fetches from the wish to ask for a URL to what comes of it.
//
//   Begin ─► address? ─► its turn ─► lane ─► OnResult
//               ▲            ▲         │
//               └────────────┴─────────┘ our own side failed, or the connection had ended
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"

#include "common/base/clock.h"
#include "spider/crawl/crawl_metrics.h"
#include "spider/crawl/lanes.h"
#include "spider/crawl/way_out.h"
#include "spider/politeness/politeness.h"

namespace orbweaver {

// Place: in the spider's core, between RequestFlow and RobotsFetcher, whose fetches they are, and
// the lanes. Knows which domains have just been asked for as long as the process lives. Not
// thread-safe.
class PoliteFetches {
 public:
  // The arguments must outlive this.
  PoliteFetches(const PolitenessOptions& options, size_t max_fetches, const Clock& clock,
                Lanes& lanes, CrawlMetrics& metrics);

  // Of all fetches; never used twice but for where a redirect leads.
  TurnId NewId() { return TurnId(next_id_++); }

  // The fetch of the journey's url() waits for its turn from now on. `crawl_delay` and `urgent` are
  // Politeness::Turn's.
  void Begin(TurnId id, std::shared_ptr<const Journey> journey, bool is_robots,
             std::optional<Duration> crawl_delay, bool urgent);
  // The owner has no use for it any more, if it was begun: nothing is told of it. A fetch under way
  // comes to its end.
  void Drop(TurnId id);
  // It is being asked right now.
  bool IsRunning(TurnId id) const;

  // Starts fetches whose turn has come and that are wanted still, unless `may_fetch` is false. One
  // that is not wanted is dropped.
  void Advance(bool may_fetch, absl::FunctionRef<bool(TurnId)> is_wanted);

  // Returns what the fetch's owner gets, and the fetch is over; monostate: nothing, since it is
  // tried again or was dropped. A host without an address is an answer that failed.
  FetchEnd OnResult(LaneResult& result);

  // A fetch that would have to wait for too long: it is over. Call until nullopt.
  std::optional<Politeness::Deferred> TakeLate();

  // Domains that have just asked to be left alone.
  std::vector<std::string> TakeRests() { return std::exchange(rests_, {}); }

  // When Advance or TakeLate may have something to do, if no result comes before.
  SteadyTime NextLook() const;

  size_t running() const { return running_; }
  Politeness& politeness() { return politeness_; }
  const Politeness& politeness() const { return politeness_; }
  // Why nothing is started now, other than that there is nothing; nullopt while the way to the web
  // is open.
  const std::optional<WayOut::Closed>& no_way_out() const { return way_.closed(); }

 private:
  enum class Stage : uint8_t { kLooksUp, kHasNoAddress, kWaits, kRuns };

  struct Fetch {
    std::shared_ptr<const Journey> journey;
    FetchTask task;  // as it will be or is
    std::optional<Duration> crawl_delay;
    bool urgent = false;
    Stage stage = Stage::kWaits;
    bool dropped = false;
    int hold_ups = 0;    // failures that were taken for our own side's
    SteadyTime began{};  // in its lane
  };

  void LookUp(TurnId id, Fetch& fetch);
  void AddTurn(TurnId id, Fetch& fetch);
  void Start(TurnId id, Fetch& fetch);
  // A fetch begins now: when the next one may, by politeness.rate.
  void Pace(SteadyTime now);
  // Looks those addresses up again that no name server was there for.
  void AskNamesAgain();

  // Learns from `result` whether our way to the web works.
  void Judge(const LaneResult& result, SteadyTime began);
  // Whether its failure is our own side's: it is then to be tried again.
  bool IsHeldUp(const LaneResult& result, Fetch& fetch);
  void TellWayOut();

  const PolitenessOptions options_;
  const size_t max_fetches_;
  const Clock& clock_;
  Lanes& lanes_;
  CrawlMetrics& metrics_;
  Politeness politeness_;
  WayOut way_;
  bool told_closed_ = false;
  SteadyTime next_told_{};

  absl::flat_hash_map<TurnId, Fetch> fetches_;
  std::vector<TurnId> without_address_;  // that wait for a name server
  std::vector<std::string> rests_;
  uint64_t next_id_ = 1;
  size_t running_ = 0;
  SteadyTime next_start_{};
};

}  // namespace orbweaver
