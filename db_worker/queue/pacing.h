// When a domain may be asked next: delays, blocks and back-off.
//
// Pure functions on a domain's head, by the rules of common/politeness, which spiders keep too; the
// sources are robots.txt, Retry-After, answers 429 and 503, and the configuration.
#pragma once

#include <chrono>
#include <string_view>

#include "common/base/clock.h"
#include "common/model/scoring_log.h"
#include "common/politeness/politeness_options.h"
#include "db_worker/options.h"
#include "db_worker/queue/head.h"

namespace orbweaver {

// Between two requests; never shorter than the spider's.
std::chrono::milliseconds DelayOf(const Head& head, const PolitenessOptions& options);

// How many requests a batch at `now` may have of this domain; 0 when it has to wait.
uint32_t AllowedInBatch(const Head& head, const DbWorkerOptions& options, WallTime now);

// The first moment at which AllowedInBatch is not 0; in the past when that is now.
WallTime ReadyAt(const Head& head);

// `count` requests left at `now`.
void CountSent(uint32_t count, const PolitenessOptions& options, WallTime now, Head* head);

// All of the update but the purge. A block is never shortened but by lifting it (blocked_until 0),
// which forgives the back-offs too (DomainRest).
void ApplyUpdate(const DomainUpdate& update, const PolitenessOptions& options,
                 std::string_view domain, WallTime now, Head* head);

}  // namespace orbweaver
