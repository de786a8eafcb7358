#include "db_worker/queue/pacing.h"

#include <gtest/gtest.h>

#include "common/model/limits.h"

namespace orbweaver {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr WallTime kNow{hours(24 * 365 * 50)};

constexpr std::string_view kDomain = "a.test";

DbWorkerOptions Options() {
  return {.feed = {.max_per_domain = 100, .window = seconds(10)},
          .politeness = {.delay = seconds(2), .max_crawl_delay = minutes(1)}};
}

PolitenessOptions Politeness() { return Options().politeness; }

milliseconds BackOff(WallTime now, Head* head, const PolitenessOptions& options = Politeness()) {
  ApplyUpdate({.back_off = true}, options, kDomain, now, head);
  return head->rest.until - now;
}

TEST(Pacing, ABatchHasWhatFitsIntoItsWindowAndOneMore) {
  Head head;
  EXPECT_EQ(AllowedInBatch(head, Options(), kNow), 6u);
  head.crawl_delay = seconds(30);
  EXPECT_EQ(AllowedInBatch(head, Options(), kNow), 1u);
  DbWorkerOptions options = Options();
  options.politeness.delay = milliseconds(0);
  head.crawl_delay = {};
  EXPECT_EQ(AllowedInBatch(head, options, kNow), 100u);
  options.feed.max_per_domain = 3;
  EXPECT_EQ(AllowedInBatch(head, options, kNow), 3u);
}

TEST(Pacing, ARobotsTxtCannotAskForMoreThanTheLongestDelayNorLessThanTheShortest) {
  Head head;
  head.crawl_delay = hours(5);
  EXPECT_EQ(DelayOf(head, Politeness()), minutes(1));
  head.crawl_delay = milliseconds(1);
  EXPECT_EQ(DelayOf(head, Politeness()), seconds(2));
}

TEST(Pacing, TheNextBatchWaitsForAllRequestsOfTheLast) {
  Head head;
  CountSent(6, Politeness(), kNow, &head);
  EXPECT_EQ(AllowedInBatch(head, Options(), kNow + seconds(12) - milliseconds(1)), 0u);
  EXPECT_EQ(AllowedInBatch(head, Options(), kNow + seconds(12)), 6u);
  // One by one they come to the same.
  Head one_by_one;
  for (int i = 0; i < 6; ++i) CountSent(1, Politeness(), kNow, &one_by_one);
  EXPECT_EQ(one_by_one.paced_until, head.paced_until);
}

TEST(Pacing, ABackOffEndsWhereTheHeadSaysAndStaysWithinWhatItCanSay) {
  Head head;
  const milliseconds wait = BackOff(kNow, &head);
  EXPECT_GE(wait, seconds(60));
  EXPECT_LE(wait, seconds(66));
  EXPECT_EQ(ReadyAt(head), kNow + wait);
  EXPECT_EQ(head.rest.back_offs, 1);
  const WallTime latest{milliseconds(kMaxTimeMs)};
  BackOff(latest, &head);
  EXPECT_EQ(head.rest.until, latest);
  EXPECT_EQ(head.rest.backed_off_until, latest);
}

TEST(Pacing, ABlockIsNotShortenedButLifted) {
  Head head;
  ApplyUpdate({.blocked_until = kNow + hours(1)}, Politeness(), kDomain, kNow, &head);
  ApplyUpdate({.blocked_until = kNow + minutes(1)}, Politeness(), kDomain, kNow, &head);
  EXPECT_EQ(head.rest.until, kNow + hours(1));
  EXPECT_EQ(AllowedInBatch(head, Options(), kNow + minutes(59)), 0u);
  ApplyUpdate({.blocked_until = WallTime()}, Politeness(), kDomain, kNow, &head);
  EXPECT_EQ(AllowedInBatch(head, Options(), kNow), 6u);
  ApplyUpdate({.crawl_delay = seconds(20)}, Politeness(), kDomain, kNow, &head);
  EXPECT_EQ(DelayOf(head, Politeness()), seconds(20));
  ApplyUpdate({.crawl_delay = seconds(0)}, Politeness(), kDomain, kNow, &head);
  EXPECT_EQ(DelayOf(head, Politeness()), seconds(2));
}

}  // namespace
}  // namespace orbweaver
