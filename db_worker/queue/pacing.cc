#include "db_worker/queue/pacing.h"

#include <algorithm>

#include "common/base/planted_fault.h"
#include "common/model/limits.h"

namespace orbweaver {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kFirstBackOff = std::chrono::minutes(1);
constexpr milliseconds kLongestBackOff = std::chrono::hours(24);
constexpr milliseconds kForgivenAfter = std::chrono::minutes(30);
constexpr double kJitter = 0.1;
// A minute doubled so often is more than a day.
constexpr uint8_t kMostDoublings = 11;
constexpr WallTime kLatest{milliseconds(kMaxTimeMs)};

void BackOff(WallTime now, Random& random, Head* head) {
  if (now < head->backed_off_until) return;
  if (now - head->backed_off_until >= kForgivenAfter) head->back_offs = 0;
  const milliseconds nominal = std::min(kFirstBackOff * (1 << head->back_offs), kLongestBackOff);
  const double share = 1 + kJitter * (2 * random.Unit() - 1);
  head->back_offs = std::min<uint8_t>(head->back_offs + 1, kMostDoublings);
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

void ApplyUpdate(const DomainUpdate& update, WallTime now, Random& random, Head* head) {
  if (update.crawl_delay.has_value()) head->crawl_delay = *update.crawl_delay;
  if (update.blocked_until.has_value()) {
    if (*update.blocked_until == WallTime()) {
      head->blocked_until = head->backed_off_until = WallTime();
      head->back_offs = 0;
    } else {
      head->blocked_until = std::max(head->blocked_until, *update.blocked_until);
    }
  }
  if (update.back_off) BackOff(now, random, head);
}

}  // namespace orbweaver
