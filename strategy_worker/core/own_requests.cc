#include "strategy_worker/core/own_requests.h"

#include <algorithm>

#include "strategy_worker/core/event_view.h"

namespace orbweaver {
namespace {

constexpr std::chrono::milliseconds kMaxDelay = std::chrono::hours(24);
constexpr uint32_t kMaxDoublings = 20;

}  // namespace

bool IsOwnOutcome(const SpiderLogEntry& entry) {
  if (const auto* const page = std::get_if<PageFetched>(&entry.event)) {
    return !IsPage(OwnRequestOf(page->request.meta), page->content_type);
  }
  const auto* const failed = std::get_if<FetchFailed>(&entry.event);
  return failed != nullptr && OwnRequestOf(failed->request.meta).kind != OwnRequest::Kind::kNone;
}

std::optional<orbweaver_decision> RetryOwn(const FetchFailed& failed, WallTime now,
                                           const StrategyWorkerOptions& options) {
  const uint32_t attempt = failed.request.attempt;
  if (!IsTransient(failed.cause, failed.status) || attempt >= options.own_retries) {
    return std::nullopt;
  }
  const auto doubled = options.own_retry_delay * (int64_t{1} << std::min(attempt, kMaxDoublings));
  const auto wait = std::min<std::chrono::milliseconds>(
      std::max(doubled, failed.retry_after.value_or(doubled)), kMaxDelay);
  orbweaver_decision decision{};
  decision.action = ORBWEAVER_SCHEDULE;
  decision.score = failed.request.score;
  decision.not_before_ms = (now + wait).time_since_epoch().count();
  decision.attempt = attempt + 1;
  return decision;
}

}  // namespace orbweaver
