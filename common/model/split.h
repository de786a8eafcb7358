// The writer of a list splits it: a page with thousands of links, a seed file, an event that
// schedules much. The parts are spans of the one list, so nothing is copied:
//
//   for (size_t n; !links.empty(); links = links.subspan(n)) {
//     n = FittingPrefix(links, max_message_bytes);
//     event.links = links.first(n);  // encode, send
//   }
#pragma once

#include <cstddef>
#include <span>

#include "common/model/scoring_log.h"
#include "common/model/spider_log.h"

namespace orbweaver {

// The bytes reserved for the rest of an entry: domain, source page with its meta, domain update.
// Holds for entries that were not decoded from a newer schema's.
inline constexpr size_t kMaxFrameBytes = 16 << 10;

// How many elements, from the first on, an entry of at most `max_message_bytes` takes (by an upper
// estimate that is off by some bytes an element), and at most as many as a message may list
// (limits.h). At least 1 of a list that is not empty: no element by itself exceeds a message of 32
// KB.
size_t FittingPrefix(std::span<const Link> links, size_t max_message_bytes);
size_t FittingPrefix(std::span<const Seed> seeds, size_t max_message_bytes);
size_t FittingPrefix(std::span<const ScheduledRequest> requests, size_t max_message_bytes);

}  // namespace orbweaver
