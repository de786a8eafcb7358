// When a request may start so that no site has a reason to complain, and which are handed back
// because that would be too late.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "absl/container/flat_hash_map.h"

#include "common/base/clock.h"
#include "common/base/random.h"
#include "common/base/strong_int.h"
#include "spider/politeness/back_off.h"

namespace orbweaver {

struct PolitenessOptions {
  // Least time between the end of one request and the start of the next, of a registered domain
  // and of an IP address. An address without delay may be asked by several domains at once.
  Duration delay = std::chrono::seconds(1);
  Duration address_delay{};
  // Requests of a domain at the same time; the delay is then also kept between two starts.
  uint32_t per_domain = 1;
  // What a robots.txt may ask for.
  Duration max_crawl_delay = std::chrono::seconds(60);
  // A request that would wait longer for its turn is handed back.
  Duration max_wait = std::chrono::seconds(30);
  BackOffOptions back_off;
};

// Who waits; the caller's number, unique among those that wait or run.
using TurnId = StrongInt<struct TurnIdTag, uint64_t>;

// Place: spider core, between the feed and the fetches. Every request passes here, those for
// robots.txt too: Add, then Start gives its turn, then Ended; or Add, then TakeDeferred. Nothing
// here reads a clock: times are arguments, and never go back.
//
// Within a domain requests start in the order they were added, urgent ones first. Memory is a few
// hundred bytes for each domain that waits, runs, or did so in the time that BackOff remembers.
// Not thread-safe.
class Politeness {
 public:
  struct Turn {
    TurnId id;
    std::string_view domain;   // registered
    std::string_view address;  // empty: not known (a proxy asks), and not minded
    // What the feed asks for, and the robots.txt of the host; the larger counts for the whole
    // domain until another request says otherwise.
    Duration delay{};
    std::optional<Duration> crawl_delay;
    // Before the others of its domain: robots.txt, which they wait for.
    bool urgent = false;
  };

  enum class Reason : uint8_t { kDelay, kBackOff };
  struct Deferred {
    TurnId id;
    SteadyTime not_before;
    Reason reason;
  };

  struct Ending {
    int status = 0;  // of HTTP; 0: none came
    std::optional<Duration> retry_after;
  };

  // `seed` draws the jitter of back-offs.
  Politeness(const PolitenessOptions& options, uint64_t seed);
  ~Politeness();

  // The request waits for its turn, or is handed back by TakeDeferred at once when the ones before
  // it would take too long. Its id must not be in use.
  void Add(const Turn& turn, SteadyTime now);

  // The next request whose turn has come; it counts as running from `now` until Ended. nullopt:
  // none at `now`; NextLook says when to ask again.
  std::optional<TurnId> Start(SteadyTime now);

  // When Start or TakeDeferred may have something, if nothing else happens before;
  // SteadyTime::max() when nothing waits but for requests that run.
  SteadyTime NextLook() const;

  // A request that was given its turn is over: its last byte has come, or its connection is gone.
  // False when it was not running. 429 and 503 make the domain rest.
  [[nodiscard]] bool Ended(TurnId id, const Ending& ending, SteadyTime now);

  // What the domain's robots.txt asks for, as soon as it is known; holds for requests that wait
  // already. Bounded by max_crawl_delay; nullopt: nothing.
  void SetCrawlDelay(std::string_view domain, std::optional<Duration> delay, SteadyTime now);

  // A request that is no longer waiting, since it would have to wait too long. Call until nullopt,
  // after each of the above.
  std::optional<Deferred> TakeDeferred();

  // Every request that waits, for a spider that stops; they wait no more.
  std::vector<TurnId> TakeAll();

  size_t waiting() const { return waiting_; }
  size_t running() const { return running_.size(); }
  size_t domains() const { return domains_.size(); }

 private:
  struct Domain;
  struct Address;
  struct Waiting {
    TurnId id;
    Address* address;  // nullptr: not minded
    SteadyTime deadline;
  };
  struct Running {
    Domain* domain;
    Address* address;
  };
  // (when, which came first, whom)
  using Look = std::tuple<SteadyTime, uint64_t, Domain*>;

  Domain& FindDomain(std::string_view name);
  Address* FindAddress(std::string_view name);
  // What stands between two of the domain's requests.
  Duration DelayOf(const Domain& domain) const;
  // When the domain's next request may start, as far as its own past goes.
  SteadyTime ReadyAt(const Domain& domain) const;
  bool MayStart(const Domain& domain, const Waiting& next, SteadyTime now) const;
  // When the domain's request at `position` may start, at best.
  SteadyTime StartOf(const Domain& domain, size_t position, SteadyTime now) const;
  void DeferLate(Domain& domain, SteadyTime now);
  void Defer(const Domain& domain, const Waiting& waiting, SteadyTime not_before, SteadyTime now);
  void WaitFor(Domain& domain, Address* address);
  // Puts the domain where Start finds it when there may be something to do.
  void Reschedule(Domain& domain, SteadyTime now);
  void Forget(SteadyTime now);

  const PolitenessOptions options_;
  Random random_;
  absl::flat_hash_map<std::string, std::unique_ptr<Domain>> domains_;
  absl::flat_hash_map<std::string, std::unique_ptr<Address>> addresses_;
  absl::flat_hash_map<TurnId, Running> running_;
  std::set<Look> looks_;
  uint64_t next_look_ = 0;
  std::deque<Deferred> deferred_;
  size_t waiting_ = 0;
  size_t forget_at_ = 1024;  // entries
};

}  // namespace orbweaver
