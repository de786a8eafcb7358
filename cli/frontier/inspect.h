// All that is known of one URL, or of one registered domain.
//
// Place: `orbweaver inspect`. Functions of a store; each call to it may block for kLookTimeout.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"

#include "common/store/store.h"
#include "common/url/resolver.h"
#include "db_worker/options.h"

namespace orbweaver {

// A JSON object: canonical form, slot, partition, fingerprint; `link`, `queued` and `page`, null
// where nothing is known. `partitions` is P.
absl::StatusOr<std::string> InspectUrl(Store& store, const ResolvedUrl& url, int partitions);

// A JSON object: slot and partition; `record` (the strategy worker's) and `queue` (the db
// worker's), null where the domain is not known.
absl::StatusOr<std::string> InspectDomain(Store& store, std::string_view domain, int partitions,
                                          const FeedOptions& feed);

}  // namespace orbweaver
