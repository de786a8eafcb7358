// The domains that a crawl knows, as a page of a table that is sorted and filtered here.
//
// Place: the console's table of domains.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

#include "common/base/clock.h"
#include "common/base/ids.h"
#include "common/store/store.h"
#include "db_worker/options.h"
#include "db_worker/report.h"

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
DomainPhase PhaseOf(const DomainReport& queue, WallTime now);

struct ListedDomain {
  std::string domain;
  PartitionId partition;
  DomainPhase phase = DomainPhase::kIdle;
  uint64_t waiting = 0;  // requests, over all bands
  // Of the strategy worker; zeros while it has not stored any.
  uint64_t known_urls = 0;
  uint64_t fetched = 0;
  uint64_t failed = 0;
  uint32_t robots_status = 0;
  // Of the queue; its name and partition are left out.
  DomainReport queue;
};

enum class DomainColumn : uint8_t {
  kName,
  kWaiting,
  kDelayed,
  kKnown,
  kFetched,
  kFailed,
  kBlockedUntil,
};
inline constexpr DomainColumn kDomainColumns[] = {
    DomainColumn::kName,        DomainColumn::kWaiting, DomainColumn::kDelayed,
    DomainColumn::kKnown,       DomainColumn::kFetched, DomainColumn::kFailed,
    DomainColumn::kBlockedUntil};
// "domain", "waiting", "delayed", "known_urls", "fetched", "failed", "blocked_until".
std::string_view DomainColumnName(DomainColumn column);

inline constexpr size_t kMostListedDomains = 10'000;

struct DomainQuery {
  std::string contains;              // of the name; empty: any
  std::optional<DomainPhase> phase;  // nothing: any
  DomainColumn sort = DomainColumn::kWaiting;
  bool is_ascending = false;  // domains that are equal stand by name, A first
  // Together at most kMostListedDomains: so many are held in memory.
  size_t offset = 0;
  size_t limit = 50;
  uint64_t max_domains = 100'000;  // reads about so many at most; 0: all
};

struct DomainPage {
  std::vector<ListedDomain> domains;
  uint64_t matches = 0;  // of those that were read
  uint64_t domains_read = 0;
  // Of the slots, how many were read. Below 1 the page is of a sample: domains stand in slots by a
  // hash.
  double share = 1;
};

// `partitions` is P. Fatal when a row cannot be decoded, or the query asks for too many. Each call
// to the store may block for `timeout`.
absl::StatusOr<DomainPage> ListDomains(Store& store, int partitions, const DomainQuery& query,
                                       const PolitenessOptions& politeness, WallTime now,
                                       Duration timeout);

}  // namespace orbweaver
