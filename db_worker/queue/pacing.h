// When a domain may be asked next: delays, blocks and back-off.
//
// Pure functions on a domain's head; the sources are robots.txt, Retry-After, answers 429 and 503,
// and the configuration.
#pragma once

#include <chrono>

#include "common/base/clock.h"
#include "common/base/random.h"
#include "common/model/scoring_log.h"
#include "db_worker/options.h"
#include "db_worker/queue/head.h"

namespace orbweaver {

// Between two requests.
std::chrono::milliseconds DelayOf(const Head& head, const FeedOptions& options);

// How many requests a batch at `now` may have of this domain; 0 when it has to wait.
uint32_t AllowedInBatch(const Head& head, const FeedOptions& options, WallTime now);

// The first moment at which AllowedInBatch is not 0; in the past when that is now.
WallTime ReadyAt(const Head& head);

// `count` requests left at `now`.
void CountSent(uint32_t count, const FeedOptions& options, WallTime now, Head* head);

// All of the update but the purge. A block is never shortened but by lifting it (blocked_until 0),
// which forgives the back-off too. A back-off lasts back_off_first, and twice as long each time up
// to back_off_most, up to back_off_jitter more or less; it starts over when the domain was quiet
// for back_off_forgiven_after. Failures while the domain is backing off were under way already:
// they count once.
void ApplyUpdate(const DomainUpdate& update, const FeedOptions& options, WallTime now,
                 Random& random, Head* head);

}  // namespace orbweaver
