// When a request of a check may start, so that no host, registered domain or address has more of
// them than its share.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <queue>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"

#include "common/base/clock.h"
#include "common/base/strong_int.h"
#include "common/politeness/rest.h"
#include "spider/fetch/ip_address.h"

namespace orbweaver {

// A URL that waits; the caller's number, unique among those that wait or run.
using VisitorId = StrongInt<struct VisitorIdTag, uint64_t>;

// The share of one host, domain or address.
struct PressureLimit {
  uint32_t at_once = 1;   // requests; 0: any number
  double per_second = 1;  // begun; 0: any number
};

struct PressureLimits {
  PressureLimit host{.at_once = 1, .per_second = 1};
  PressureLimit domain{.at_once = 2, .per_second = 2};
  PressureLimit address{.at_once = 8, .per_second = 8};
  uint32_t at_once = 1000;  // of all
  // Those that would wait longer for their turn are not taken.
  Duration max_wait = std::chrono::seconds(30);
  // A host that took long to answer is left alone for as long again, but not for longer than this.
  Duration max_rest = std::chrono::seconds(10);
  Duration max_crawl_delay = std::chrono::seconds(60);
  RestOptions back_off;
};

// Place: in CheckEngine, between the names' addresses and the fetches; every request passes it.
// Add, then Start gives its turn, then Ended. Nothing here reads a clock: times are arguments, and
// never go back. Memory is a few hundred bytes for each host, domain and address that waits, runs,
// or rests. Requests of one host start in the order in which they were added. Not thread-safe.
class PressureGate {
 public:
  struct Visitor {
    VisitorId id;
    std::string_view host;    // and port
    std::string_view domain;  // registered
    IpAddress address;        // empty: not known (a proxy asks), and not limited
    // Its host's robots.txt asks for it: between two starts, from now on.
    std::optional<Duration> crawl_delay;
  };

  explicit PressureGate(const PressureLimits& limits);
  ~PressureGate();

  // nullopt: it waits for its turn. A time: it was not taken, since it would wait for longer than
  // max_wait; adding it then has a chance. Each that is refused is told another time.
  std::optional<SteadyTime> Add(const Visitor& visitor, SteadyTime now);

  // The next whose turn has come; it runs from `now` until Ended.
  std::optional<VisitorId> Start(SteadyTime now);

  // When Start may have something if nothing ends before; SteadyTime::max(): never.
  SteadyTime NextWakeup() const;

  // One that was started is over; CHECKed.
  void Ended(VisitorId id, SteadyTime now);

  // The domain has answered 429 or 503: nothing of it starts before the time that is returned.
  SteadyTime Complain(std::string_view domain, std::optional<Duration> retry_after, SteadyTime now);

  size_t waiting() const { return waiting_; }
  size_t running() const { return running_.size(); }
  size_t lanes() const { return lanes_.size(); }  // hosts, domains and addresses it remembers

 private:
  struct Lane;
  struct Host;
  struct Running {
    Host* host;
    Lane* address;
    SteadyTime since;
  };
  // (when, which came first, the lane's key)
  using Wakeup = std::tuple<SteadyTime, uint64_t, Lane*>;

  Lane& FindLane(std::string key, const PressureLimit& limit);
  std::optional<SteadyTime> RefuseUntil(Lane& lane, SteadyTime now) const;
  // Whether the host's first visitor was started; otherwise the host waits at the lane in its way.
  bool TryStart(Host& host, SteadyTime now);
  void WaitAt(Lane& lane, Host& host);
  // Lets the first that waits at the lane try, when the lane is free; else looks again when it is.
  void Nudge(Lane& lane, SteadyTime now);
  void Forget(SteadyTime now);

  const PressureLimits limits_;
  absl::flat_hash_map<std::string, std::unique_ptr<Lane>> lanes_;
  absl::flat_hash_map<std::string, std::unique_ptr<Host>> hosts_;
  absl::flat_hash_map<VisitorId, Running> running_;
  std::deque<Host*> ready_;  // may start, or must be told where to wait
  std::priority_queue<Wakeup, std::vector<Wakeup>, std::greater<>> wakeups_;
  std::optional<VisitorId> started_;
  uint64_t next_wakeup_ = 0;
  size_t waiting_ = 0;
  size_t forget_at_ = 4096;  // lanes
};

}  // namespace orbweaver
