// The last outcomes of a crawl on this machine, whose spider log keeps nothing that was dealt with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "cli/frontier/domain_outcomes.h"

#include "common/model/spider_log.h"

namespace orbweaver {

// Place: CrawlWatch adds what the spider writes and keeps it in a file (outcomes_file.h), the
// console looks a domain's up. Thread-safe.
class RecentOutcomes {
 public:
  // Of all domains together: about 5 MB.
  static constexpr size_t kMost = 20'000;
  // Of their encoding.
  static constexpr size_t kMostBytes = size_t{8} << 20;

  // Entries that are no outcomes are passed over.
  void Add(const SpiderLogEntry& entry) ABSL_LOCKS_EXCLUDED(mutex_);

  // The last `most` of a domain.
  DomainOutcomes Of(std::string_view domain, size_t most) const ABSL_LOCKS_EXCLUDED(mutex_);

  // Of each of `domains` the last outcome that was a failure; nothing where none is known.
  std::vector<std::optional<Outcome>> LastFailures(std::span<const std::string> domains) const
      ABSL_LOCKS_EXCLUDED(mutex_);

  // How many were added, those of an encoding not among them.
  uint64_t added() const ABSL_LOCKS_EXCLUDED(mutex_);

  // The newest that fit into kMostBytes, with a checksum.
  std::string Encode() const ABSL_LOCKS_EXCLUDED(mutex_);
  // Those of an encoding instead of all that are here. Poison, and nothing changes: it is damaged.
  absl::Status Decode(std::string_view bytes) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  struct Kept {
    std::string domain;
    Outcome outcome;
  };

  mutable absl::Mutex mutex_;
  std::deque<Kept> kept_ ABSL_GUARDED_BY(mutex_);  // the oldest first
  WallTime dropped_ ABSL_GUARDED_BY(mutex_);       // the time of the last that had to go
  uint64_t added_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace orbweaver
