// Spider and queue model one another: the spider refuses what comes too early, and the queue sends
// nothing that would be refused. Both are told the same history, as the logs between them tell it.
#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "common/base/random.h"
#include "db_worker/queue/pacing.h"
#include "spider/politeness/politeness.h"

namespace orbweaver {
namespace {

using std::chrono::milliseconds;

constexpr WallTime kStart{std::chrono::hours(24 * 365 * 50)};
constexpr std::string_view kDomain = "a.test";

// The same moment on the clock that machines share.
WallTime WallOf(SteadyTime at) {
  return kStart + std::chrono::ceil<milliseconds>(at.time_since_epoch());
}
SteadyTime SteadyOf(WallTime at) { return SteadyTime(at - kStart); }

DbWorkerOptions Draw(Random& random) {
  const auto up_to = [&random](uint64_t ms) { return milliseconds(random.Below(ms)); };
  return {.feed = {.window = up_to(10'000)},
          .politeness = {.delay = up_to(3000),
                         .max_crawl_delay = up_to(60'000),
                         .max_wait = up_to(30'000),
                         .back_off = {.first = milliseconds(1) + up_to(100'000),
                                      .most = milliseconds(1) + up_to(1'000'000),
                                      .jitter = random.Unit(),
                                      .forgiven_after = up_to(3'000'000)}}};
}

class Pair {
 public:
  explicit Pair(Random& random)
      : random_(random), options_(Draw(random)), spider_(options_.politeness) {}

  // The queue sends one request as soon as it may. The spider may start it at once; it is told of
  // what the site answers as the queue is, by the strategy worker.
  void SendOne() {
    now_ = std::max(now_, SteadyOf(ReadyAt(head_)));
    ASSERT_GE(AllowedInBatch(head_, options_, WallOf(now_)), 1u);
    CountSent(1, options_.politeness, WallOf(now_), &head_);
    spider_.Add({.id = TurnId(++id_),
                 .domain = kDomain,
                 .delay = DelayOf(head_, options_.politeness),
                 .crawl_delay = crawl_delay_},
                now_);
    ASSERT_FALSE(spider_.TakeDeferred().has_value()) << "handed back what the queue took for ready";
    ASSERT_EQ(spider_.Start(now_), TurnId(id_)) << "waits though the queue took it for ready";
    Answer();
    const SteadyTime rests_until = spider_.RestsUntil(kDomain);
    ASSERT_EQ(head_.rest.until, rests_until == SteadyTime() ? WallTime() : WallOf(rests_until));
  }

 private:
  void Answer() {
    std::optional<milliseconds> retry_after;
    const bool complains = random_.Chance(0.3);
    if (complains && random_.Chance(0.5)) retry_after = milliseconds(random_.Below(2'000'000));
    ASSERT_TRUE(spider_.Ended(TurnId(id_),
                              {.status = complains ? 503 : 200, .retry_after = retry_after}, now_));
    const WallTime told_at = WallOf(now_);
    DomainUpdate update;
    if (retry_after) {
      const RestOptions& rests = options_.politeness.back_off;
      update.blocked_until =
          WallOf(now_) + std::chrono::ceil<milliseconds>(RestAsAsked(rests, *retry_after));
    } else {
      update.back_off = complains;
    }
    if (random_.Chance(0.1)) {
      crawl_delay_ = std::max(crawl_delay_, milliseconds(random_.Below(100'000)));
      update.crawl_delay = crawl_delay_;
      spider_.SetCrawlDelay(kDomain, crawl_delay_, now_);
      // It paces what the queue sends from now on. The one that may leave before then would wait in
      // the spider.
      now_ += DomainDelay(options_.politeness, crawl_delay_);
    }
    ApplyUpdate(update, options_.politeness, kDomain, told_at, &head_);
    if (random_.Chance(0.3)) now_ += milliseconds(random_.Below(5'000'000));
  }

  Random& random_;
  const DbWorkerOptions options_;
  Politeness spider_;
  Head head_;
  SteadyTime now_{std::chrono::hours(1)};
  milliseconds crawl_delay_{};
  uint64_t id_ = 0;
};

TEST(PolitenessAgreement, WhatTheQueueSendsAloneTheSpiderStartsAtOnceAndRestsEndTogether) {
  for (uint64_t seed = 1; seed <= 1000; ++seed) {
    Random random(seed);
    Pair pair(random);
    for (int i = 0; i < 60; ++i) {
      pair.SendOne();
      ASSERT_FALSE(testing::Test::HasFailure()) << "seed " << seed << ", request " << i;
    }
  }
}

}  // namespace
}  // namespace orbweaver
