// URLs that failed, on their way into the spider log to be tried again: `orbweaver requeue`, and
// `orbweaver crawl` for what its new options allow.
#pragma once

#include <cstdint>

#include "absl/status/statusor.h"
#include "cli/frontier/kept_failures.h"

#include "common/base/clock.h"
#include "common/bus/bus.h"
#include "common/store/store.h"

namespace orbweaver {

// Writes them as seeds of which only those that have failed count; all are durable afterwards.
// Returns how many. Given again, before a worker has read them or after, it does no harm. Blocks
// for at most about `timeout` whenever the log takes no more.
absl::StatusOr<uint64_t> RequeueFailures(Store& store, Bus& bus, const Clock& clock,
                                         const WantedFailures& wanted, Duration timeout);

}  // namespace orbweaver
