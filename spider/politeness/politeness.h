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
#include "common/base/strong_int.h"
#include "common/model/spider_log.h"
#include "common/politeness/politeness_options.h"

namespace orbweaver {

// A request that waits or runs: the caller's number, unique among them.
using TurnId = StrongInt<struct TurnIdTag, uint64_t>;

// Place: spider core, between the feed and the fetches. Every request passes here, those for
// robots.txt too: Add, then Start gives its turn, then Ended; or Add, then TakeDeferred. Nothing
// here reads a clock: times are arguments, and never go back.
//
// Within a domain requests start in the order they were added, urgent ones first. Memory is a few
// hundred bytes for each domain that waits, runs, or did so in the time that DomainRest remembers.
// Not thread-safe.
class Politeness {
 public:
  struct Turn {
    TurnId id;
    std::string_view domain;   // registered
    std::string_view address;  // empty: not known (a proxy asks), and its delay does not count
    // The feed's delay, which counts for the whole domain until another request says otherwise; and
    // the delay of the host's robots.txt: a domain has many hosts, and the longest delay counts as
    // long as the domain is remembered.
    Duration delay{};
    std::optional<Duration> crawl_delay;
    // Before the others of its domain, and it waits for one delay longer than they: robots.txt,
    // which they wait for; and where a redirect leads, which ends what has begun.
    bool urgent = false;
  };

  struct Deferred {
    TurnId id;
    SteadyTime not_before;
    DeferReason reason;  // kPoliteness or kBackOff
  };

  struct Ending {
    int status = 0;  // of HTTP; 0: none came
    std::optional<Duration> retry_after;
    // We gave it up in the middle: the site works on it until it notices. Counts as having lasted
    // one delay longer.
    bool broken_off = false;
  };

  explicit Politeness(const PolitenessOptions& options);
  ~Politeness();

  // The request waits for its turn, or is handed back by TakeDeferred at once when the ones before
  // it would take too long. Its id must not be in use.
  void Add(const Turn& turn, SteadyTime now);

  // Until then another spider may have asked the domain, whose partition it had. Counts as a
  // request, for those that wait already too.
  void OthersAsked(std::string_view domain, SteadyTime until, SteadyTime now);

  // The domain has asked to be left alone until then, perhaps another spider.
  void Rest(std::string_view domain, SteadyTime until, SteadyTime now);

  // Until when the domain has asked to be left alone; in the past when it has not.
  SteadyTime RestsUntil(std::string_view domain) const;

  // A robots.txt of the domain asks for it, whoever waits: as Turn::crawl_delay.
  void SetCrawlDelay(std::string_view domain, Duration crawl_delay, SteadyTime now);

  // The next request whose turn has come; it counts as running from `now` until Ended. nullopt:
  // none at `now`; NextLook says when to ask again.
  std::optional<TurnId> Start(SteadyTime now);

  // When Start or TakeDeferred may have something, if nothing else happens before;
  // SteadyTime::max() when nothing waits but for requests that run.
  SteadyTime NextLook() const;

  // A request that was given its turn is over: its last byte has come, or its connection is gone.
  // False when it was not running. 429 and 503 make the domain rest.
  [[nodiscard]] bool Ended(TurnId id, const Ending& ending, SteadyTime now);

  // A request that is no longer waiting, since it would have to wait too long. Call until nullopt,
  // after each of the above.
  std::optional<Deferred> TakeDeferred();

  // For people: the domains that took longest to answer their last request, or those that are
  // backed off the longest; at most `most`. Looks at every domain that is remembered.
  struct DomainReport {
    std::string domain;
    size_t waiting = 0;
    uint32_t running = 0;
    Duration delay{};
    Duration took{};         // the last request
    Duration blocked_for{};  // from now on; zero when it is not backed off
  };
  enum class Worst : uint8_t { kSlowest, kBackedOff };
  std::vector<DomainReport> Report(Worst worst, size_t most, SteadyTime now) const;

  size_t waiting() const { return waiting_; }
  size_t running() const { return running_.size(); }
  size_t domains() const { return domains_.size(); }

 private:
  struct Domain;
  struct Address;
  struct Waiting {
    TurnId id;
    Address* address;  // nullptr: its delay does not count
    SteadyTime deadline;
  };
  struct Running {
    Domain* domain;
    Address* address;
    SteadyTime started;
  };
  // (when, which came first, whom)
  using Check = std::tuple<SteadyTime, uint64_t, Domain*>;

  Domain& FindDomain(std::string_view name);
  Address* FindAddress(std::string_view name);
  static void LearnCrawlDelay(Domain& domain, Duration crawl_delay);
  // The delay between two of the domain's requests.
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
  absl::flat_hash_map<std::string_view, std::unique_ptr<Domain>> domains_;  // by their own names
  absl::flat_hash_map<std::string, std::unique_ptr<Address>> addresses_;
  absl::flat_hash_map<TurnId, Running> running_;
  std::set<Check> checks_;
  uint64_t next_check_ = 0;
  std::deque<Deferred> deferred_;
  size_t waiting_ = 0;
  size_t forget_at_ = 1024;  // entries
};

}  // namespace orbweaver
