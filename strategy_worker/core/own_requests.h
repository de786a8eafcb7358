// The rules for requests that the worker makes by itself (common/model/own_request.h).
#pragma once

#include <optional>

#include "common/base/clock.h"
#include "common/model/own_request.h"
#include "common/model/spider_log.h"
#include "strategy_worker/core/options.h"
#include "strategy_worker/sdk/strategy_abi.h"

namespace orbweaver {

// In the first of the queue's bands: a page and its assets are fetched near each other, and a
// crawl that is stopped by --max-pages has those of all pages but the last ones.
inline constexpr float kOwnScore = 1.0f;

// A list of sitemaps can lead to others without end.
inline constexpr uint64_t kMaxSitemapsOfDomain = 10'000;

// Whether the entry is the outcome of such a request, and none of a page: HTML that lies in scope
// is one, also where a page embeds it.
bool IsOwnOutcome(const SpiderLogEntry& entry);

// The next try after a failure at `now`; nothing when there is none. Other strategies than ours
// may try again in other ways, so theirs are not asked for.
std::optional<orbweaver_decision> RetryOwn(const FetchFailed& failed, WallTime now,
                                           const StrategyWorkerOptions& options);

}  // namespace orbweaver
