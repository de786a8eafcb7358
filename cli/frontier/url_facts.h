// All that the store knows of one URL, or of one registered domain.
//
// Place: `orbweaver inspect` shows it, `orbweaver explain` draws its conclusions from it. Functions
// of a store; each call to it may block for kLookTimeout.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/frontier/robots_files.h"

#include "common/base/clock.h"
#include "common/base/ids.h"
#include "common/model/spider_log.h"
#include "common/store/store.h"
#include "common/url/resolver.h"
#include "db_worker/options.h"
#include "db_worker/report.h"
#include "strategy_worker/states/domain_record.h"
#include "strategy_worker/states/link_state.h"

namespace orbweaver {

// Of a request: what travels with it, as in Request (common/model/spider_feed.h).
using KeptMeta = std::vector<std::pair<std::string, std::string>>;

// Why a URL failed: the last time, of one that waits to be tried again.
struct LastFailure {
  FailureCause cause = FailureCause::kUnspecified;
  std::string message;
  uint32_t status = 0;
  uint32_t attempt = 0;
  WallTime failed_at;
  std::string referrer;  // the page whose link it was scheduled for; empty: not known
  KeptMeta meta;         // of the request
};

// A request in the queue.
struct QueuedRequest {
  std::optional<int> band;  // nothing: it waits for `delayed_until`
  WallTime delayed_until;
  uint64_t chunk = 0;
  uint32_t place = 0;   // in the chunk
  uint64_t before = 0;  // requests of the domain that leave earlier; 0 of one for later
  float score = 0;
  uint32_t depth = 0;
  uint32_t attempt = 0;
  WallTime not_before;
  std::string referrer;
  KeptMeta meta;
};

// A page as the role `pages` keeps it.
struct PageFacts {
  uint32_t status = 0;
  std::string final_url;
  WallTime fetched_at;
  Fingerprint content_hash;
  std::string content_type;
  std::string title;
  uint64_t body_bytes = 0;
  std::string referrer;  // of the request
  KeptMeta meta;         // the same
};

// Of a larger domain about so many of its known URLs are counted, 11 bytes each: some of its
// shards. These are ranges of hashes, and so a fair sample.
inline constexpr uint64_t kMostCountedUrls = 200'000;

struct UrlCounts {
  StatusCounts by_status{};  // of all known URLs: estimated where fewer were counted
  uint64_t counted = 0;
};

struct DomainFacts {
  std::string domain;
  Slot slot;
  PartitionId partition;
  std::optional<DomainRecord> record;  // the strategy worker's
  std::optional<DomainReport> queue;   // the db worker's
  std::optional<UrlCounts> urls;       // the known ones; nothing: they cannot be read just now
  RobotsFiles robots;
};

struct UrlFacts {
  std::string url;
  Fingerprint fingerprint;
  DomainFacts domain;
  std::optional<LinkState> link;
  std::optional<LastFailure> failure;
  std::optional<QueuedRequest> queued;
  std::optional<PageFacts> page;
};

// `partitions` is P. Retry errors are the store's; poison: a row cannot be decoded.
absl::StatusOr<UrlFacts> ReadUrlFacts(Store& store, const ResolvedUrl& url, int partitions,
                                      const PolitenessOptions& politeness);
absl::StatusOr<DomainFacts> ReadDomainFacts(Store& store, std::string_view domain, int partitions,
                                            const PolitenessOptions& politeness);

}  // namespace orbweaver
