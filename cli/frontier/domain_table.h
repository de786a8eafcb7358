// The domains that a crawl knows, as a table that is sorted, filtered and paged here.
//
// Place: the console's table of domains.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "cli/frontier/domain_outcomes.h"

#include "common/base/clock.h"
#include "common/base/ids.h"
#include "common/model/score_band.h"
#include "common/store/store.h"
#include "db_worker/options.h"

namespace orbweaver {

enum class DomainPhase : uint8_t {
  kIdle,     // nothing waits
  kReady,    // its next request may leave now
  kPaced,    // it waits for its delay
  kLater,    // all its requests are for later
  kBlocked,  // by an operator, Retry-After, or answers 429 and 503
};
inline constexpr DomainPhase kDomainPhases[] = {DomainPhase::kIdle, DomainPhase::kReady,
                                                DomainPhase::kPaced, DomainPhase::kLater,
                                                DomainPhase::kBlocked};
// "idle", "ready", …
std::string_view DomainPhaseName(DomainPhase phase);
struct ListedDomain {
  std::string domain;
  PartitionId partition;
  DomainPhase phase = DomainPhase::kIdle;
  uint64_t waiting = 0;  // requests, over all bands
  std::array<uint64_t, kBands> waiting_by_band{};
  // Of the strategy worker; zeros while it has not stored any.
  uint64_t known_urls = 0;
  uint64_t fetched = 0;
  uint64_t failed = 0;
  uint32_t robots_status = 0;
  std::optional<double> pages_per_s;  // where SetRates knows it
  // Of the queue.
  uint64_t delayed = 0;
  std::chrono::milliseconds delay{};
  WallTime blocked_until;
  WallTime paced_until;
  WallTime waiting_since;
};

enum class DomainColumn : uint8_t {
  kName,
  kWaiting,
  kDelayed,
  kKnown,
  kFetched,
  kRate,
  kFailed,
  kBlockedUntil,
};
inline constexpr DomainColumn kDomainColumns[] = {
    DomainColumn::kName,   DomainColumn::kWaiting,     DomainColumn::kDelayed,
    DomainColumn::kKnown,  DomainColumn::kFetched,     DomainColumn::kRate,
    DomainColumn::kFailed, DomainColumn::kBlockedUntil};
// "domain", "waiting", "delayed", "known_urls", "fetched", "pages_per_second", "failed",
// "blocked_until".
std::string_view DomainColumnName(DomainColumn column);

DomainPhase PhaseOf(const ListedDomain& listed, WallTime now);

inline constexpr size_t kMostListedDomains = 10'000;

struct DomainQuery {
  std::string contains;              // of the name; empty: any
  std::optional<DomainPhase> phase;  // nothing: any
  DomainColumn sort = DomainColumn::kWaiting;
  bool is_ascending = false;  // domains that are equal stand by name, A first
  size_t offset = 0;          // together with `limit` at most kMostListedDomains
  size_t limit = 50;
};

struct DomainPage {
  std::vector<ListedDomain> domains;
  uint64_t matches = 0;  // of those that were read
  uint64_t domains_read = 0;
  // Of the slots, how many were read. Below 1 the page is of a sample: domains stand in slots by a
  // hash.
  double share = 1;
  // Of `domains`, each one's last failure among the last outcomes that are known; empty: of none.
  // The table knows no outcomes: those who ask it may.
  std::vector<std::optional<Outcome>> last_failures;
};

// The pages of each domain as a table knew them: what the next one takes its rates from. Some 20
// bytes a domain.
struct FetchedThen {
  SteadyTime at;
  absl::flat_hash_map<uint64_t, uint64_t> by_domain;  // by the hash of its name
};

// Place: read once, and asked for several pages, orders and filters while it is not old. Some 250
// bytes a domain. Thread-safe once its rates are set.
class DomainTable {
 public:
  // `partitions` is P. Reads about `max_domains` at most; 0: all. Fatal when a row cannot be
  // decoded. Each call to the store may block for `timeout`.
  static absl::StatusOr<DomainTable> Read(Store& store, int partitions,
                                          const PolitenessOptions& politeness, uint64_t max_domains,
                                          Duration timeout);

  // As read at the time `at`.
  FetchedThen Fetched(SteadyTime at) const;
  // Rates are those from `then` to `now`, when this table was read. A domain that was not there, or
  // was forgotten in between, has none.
  void SetRates(const FetchedThen& then, SteadyTime now);

  // With phases as of `now`. Fatal when the query asks for too many.
  absl::StatusOr<DomainPage> Page(const DomainQuery& query, WallTime now) const;

 private:
  DomainTable() = default;

  std::vector<ListedDomain> domains_;  // their phases are not set
  double share_ = 1;
};

}  // namespace orbweaver
