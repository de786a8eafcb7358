#include "db_worker/queue/pacing.h"

#include <algorithm>

#include "common/base/planted_fault.h"
#include "common/model/limits.h"

namespace orbweaver {
namespace {

using std::chrono::milliseconds;

// A millisecond doubled so often is more than a week, the bound of the options.
constexpr uint8_t kMostDoublings = 30;
constexpr WallTime kLatest{milliseconds(kMaxTimeMs)};

void BackOff(const FeedOptions& options, WallTime now, Random& random, Head* head) {
  if (now < head->backed_off_until) return;
  if (now - head->backed_off_until >= options.back_off_forgiven_after) head->back_offs = 0;
  const uint8_t doublings = std::min(head->back_offs, kMostDoublings);
  const milliseconds nominal =
      std::min(options.back_off_first * (int64_t{1} << doublings), options.back_off_most);
  const double share = 1 + options.back_off_jitter * (2 * random.Unit() - 1);
  head->back_offs = std::min<uint8_t>(doublings + 1, kMostDoublings);
  head->backed_off_until =
      std::min(now + std::chrono::duration_cast<milliseconds>(nominal * share), kLatest);
  head->blocked_until = std::max(head->blocked_until, head->backed_off_until);
}

}  // namespace

milliseconds DelayOf(const Head& head, const FeedOptions& options) {
  return std::max(options.min_delay, std::min(head.crawl_delay, options.max_delay));
}

uint32_t AllowedInBatch(const Head& head, const FeedOptions& options, WallTime now) {
  if (ReadyAt(head) > now) return 0;
  const milliseconds delay = DelayOf(head, options);
  if (delay == milliseconds::zero()) return options.max_per_domain;
  const int64_t in_window = 1 + options.window / delay;
  const auto allowed = static_cast<uint32_t>(std::min<int64_t>(in_window, options.max_per_domain));
  return IsPlanted(PlantedFault::kCapOffByOne) ? allowed + 1 : allowed;
}

WallTime ReadyAt(const Head& head) { return std::max(head.blocked_until, head.paced_until); }

void CountSent(uint32_t count, const FeedOptions& options, WallTime now, Head* head) {
  head->paced_until =
      std::min(std::max(head->paced_until, now) + count * DelayOf(*head, options), kLatest);
}

void ApplyUpdate(const DomainUpdate& update, const FeedOptions& options, WallTime now,
                 Random& random, Head* head) {
  if (update.crawl_delay.has_value()) head->crawl_delay = *update.crawl_delay;
  if (update.blocked_until.has_value()) {
    if (*update.blocked_until == WallTime()) {
      head->blocked_until = head->backed_off_until = WallTime();
      head->back_offs = 0;
    } else {
      head->blocked_until = std::max(head->blocked_until, *update.blocked_until);
    }
  }
  if (update.back_off) BackOff(options, now, random, head);
}

}  // namespace orbweaver
