#include "strategy_worker/core/own_requests.h"

#include "strategy_worker/core/event_view.h"
#include "strategy_worker/sdk/retry_delay.h"

namespace orbweaver {
namespace {

constexpr std::chrono::milliseconds kMaxDelay = std::chrono::hours(24);

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
  const std::chrono::milliseconds wait(
      sdk::RetryDelayMs(options.own_retry_delay.count(), kMaxDelay.count(), attempt,
                        failed.retry_after.has_value() ? failed.retry_after->count() : -1));
  orbweaver_decision decision{};
  decision.action = ORBWEAVER_SCHEDULE;
  decision.score = failed.request.score;
  decision.not_before_ms = (now + wait).time_since_epoch().count();
  decision.attempt = attempt + 1;
  return decision;
}

}  // namespace orbweaver
