// The URLs that failed for good, as strategy workers keep them (common/protocol/failed_url_rows.h).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "common/model/spider_log.h"
#include "common/store/store.h"
#include "strategy_worker/states/link_state.h"

namespace orbweaver {

// Which of them; what is not set wants all.
struct WantedFailures {
  std::optional<std::string> domain;  // registered
  std::vector<FailureCause> causes;
  std::optional<LinkStatus> status;  // kError or kGone

  bool Wants(const FetchFailed& failed) const;
};

// Visits them domain by domain. Views live for the call; false ends it. Retry errors are the
// store's; fatal: a row cannot be decoded.
absl::Status VisitFailures(
    Store& store, const WantedFailures& wanted,
    absl::FunctionRef<bool(const SpiderLogEntry& entry, const FetchFailed& failed)> visit);

// The failure of one URL that stands in `column` of its row, as the bytes of its entry of the
// spider log; empty: none is kept.
absl::StatusOr<std::string> FindFailure(Store& store, std::string_view domain,
                                        const Fingerprint& url, std::string_view column);

// Erases those of a domain. Returns how many there were.
absl::StatusOr<uint64_t> EraseFailures(Store& store, std::string_view domain);

struct FailureCounts {
  uint64_t urls = 0;
  uint64_t domains = 0;
  std::map<FailureCause, uint64_t> by_cause;
  std::set<uint16_t> refused_ports;  // some of them
  bool is_exact = true;              // false: there are more
};
// Counts at most `most`.
absl::StatusOr<FailureCounts> CountFailures(Store& store, const WantedFailures& wanted,
                                            uint64_t most);

}  // namespace orbweaver
