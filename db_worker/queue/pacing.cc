#include "db_worker/queue/pacing.h"

#include <algorithm>

#include "common/model/limits.h"

namespace orbweaver {
namespace {

using std::chrono::milliseconds;

constexpr WallTime kLatest{milliseconds(kMaxTimeMs)};

}  // namespace

milliseconds DelayOf(const Head& head, const PolitenessOptions& options) {
  return std::chrono::ceil<milliseconds>(DomainDelay(options, head.crawl_delay));
}

uint32_t AllowedInBatch(const Head& head, const DbWorkerOptions& options, WallTime now) {
  if (ReadyAt(head) > now) return 0;
  const FeedOptions& feed = options.feed;
  const milliseconds delay = DelayOf(head, options.politeness);
  if (delay == milliseconds::zero()) return feed.max_per_domain;
  const int64_t in_window = 1 + feed.window / delay;
  return static_cast<uint32_t>(std::min<int64_t>(in_window, feed.max_per_domain));
}

WallTime ReadyAt(const Head& head) { return std::max(head.rest.until, head.paced_until); }

void CountSent(uint32_t count, const PolitenessOptions& options, WallTime now, Head* head) {
  head->paced_until =
      std::min(std::max(head->paced_until, now) + count * DelayOf(*head, options), kLatest);
}

void ApplyUpdate(const DomainUpdate& update, const PolitenessOptions& options,
                 std::string_view domain, WallTime now, Head* head) {
  DomainRest<WallTime>& rest = head->rest;
  const RestOptions& rests = options.back_off;
  if (update.crawl_delay.has_value()) head->crawl_delay = *update.crawl_delay;
  if (update.blocked_until == WallTime()) {
    rest.Lift();
  } else if (update.blocked_until.has_value()) {
    rest.RestUntil(rests, *update.blocked_until, now);
  }
  if (update.back_off) rest.BackOff(rests, domain, now);
  // A head can say no later time.
  rest.until = std::min(rest.until, kLatest);
  rest.backed_off_until = std::min(rest.backed_off_until, kLatest);
}

}  // namespace orbweaver
