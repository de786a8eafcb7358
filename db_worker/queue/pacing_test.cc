#include "db_worker/queue/pacing.h"

#include <gtest/gtest.h>

namespace orbweaver {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr WallTime kNow{hours(24 * 365 * 50)};

FeedOptions Options() {
  return {.max_per_domain = 100,
          .window = seconds(10),
          .min_delay = seconds(2),
          .max_delay = minutes(1)};
}

milliseconds BackOff(WallTime now, Head* head, const FeedOptions& options = Options()) {
  Random random(1);
  ApplyUpdate({.back_off = true}, options, now, random, head);
  return head->blocked_until - now;
}

TEST(Pacing, ABatchHasWhatFitsIntoItsWindowAndOneMore) {
  Head head;
  EXPECT_EQ(AllowedInBatch(head, Options(), kNow), 6u);
  head.crawl_delay = seconds(30);
  EXPECT_EQ(AllowedInBatch(head, Options(), kNow), 1u);
  FeedOptions options = Options();
  options.min_delay = milliseconds(0);
  head.crawl_delay = {};
  EXPECT_EQ(AllowedInBatch(head, options, kNow), 100u);
  options.max_per_domain = 3;
  EXPECT_EQ(AllowedInBatch(head, options, kNow), 3u);
}

TEST(Pacing, ARobotsTxtCannotAskForMoreThanTheLongestDelayNorLessThanTheShortest) {
  Head head;
  head.crawl_delay = hours(5);
  EXPECT_EQ(DelayOf(head, Options()), minutes(1));
  head.crawl_delay = milliseconds(1);
  EXPECT_EQ(DelayOf(head, Options()), seconds(2));
}

TEST(Pacing, TheNextBatchWaitsForAllRequestsOfTheLast) {
  Head head;
  CountSent(6, Options(), kNow, &head);
  EXPECT_EQ(AllowedInBatch(head, Options(), kNow + seconds(12) - milliseconds(1)), 0u);
  EXPECT_EQ(AllowedInBatch(head, Options(), kNow + seconds(12)), 6u);
  // One by one they come to the same.
  Head one_by_one;
  for (int i = 0; i < 6; ++i) CountSent(1, Options(), kNow, &one_by_one);
  EXPECT_EQ(one_by_one.paced_until, head.paced_until);
}

TEST(Pacing, ABackOffDoublesUpToADay) {
  Head head;
  WallTime now = kNow;
  milliseconds nominal = minutes(1);
  for (int i = 0; i < 20; ++i) {
    const milliseconds wait = BackOff(now, &head);
    EXPECT_GE(wait, nominal * 9 / 10);
    EXPECT_LE(wait, nominal * 11 / 10);
    nominal = std::min<milliseconds>(nominal * 2, hours(24));
    now += wait + seconds(1);
  }
}

TEST(Pacing, ABackOffBeginsEndsAndIsForgivenAsConfigured) {
  FeedOptions options = Options();
  options.back_off_first = milliseconds(100);
  options.back_off_most = milliseconds(300);
  options.back_off_jitter = 0;
  options.back_off_forgiven_after = seconds(1);
  Head head;
  WallTime now = kNow;
  for (const int expected_ms : {100, 200, 300, 300}) {
    EXPECT_EQ(BackOff(now, &head, options), milliseconds(expected_ms));
    now = head.backed_off_until;
  }
  EXPECT_EQ(BackOff(now + milliseconds(999), &head, options), milliseconds(300));
  EXPECT_EQ(BackOff(head.backed_off_until + seconds(1), &head, options), milliseconds(100));
}

TEST(Pacing, ADomainThatAlwaysFailsRestsTheLongestTimeHoweverShortTheFirstWas) {
  FeedOptions options = Options();
  options.back_off_first = milliseconds(1);
  options.back_off_jitter = 0;
  Head head;
  // As a head of another configuration, or a damaged one, may say.
  head.back_offs = 255;
  head.backed_off_until = kNow;
  EXPECT_EQ(BackOff(kNow, &head, options), options.back_off_most);
  options.back_off_first = hours(24 * 7);
  EXPECT_EQ(BackOff(head.backed_off_until, &head, options), options.back_off_most);
}

TEST(Pacing, FailuresDuringABackOffCountOnce) {
  Head head;
  const milliseconds wait = BackOff(kNow, &head);
  BackOff(kNow + seconds(1), &head);
  EXPECT_EQ(head.blocked_until, kNow + wait);
  EXPECT_EQ(head.back_offs, 1);
}

TEST(Pacing, HalfAnHourWithoutFailureForgives) {
  Head head;
  BackOff(kNow, &head);
  BackOff(head.backed_off_until, &head);
  EXPECT_EQ(head.back_offs, 2);
  const WallTime later = head.backed_off_until + minutes(30);
  EXPECT_LE(BackOff(later, &head), seconds(66));
  EXPECT_EQ(head.back_offs, 1);
}

TEST(Pacing, ABlockIsNotShortenedButLifted) {
  Random random(1);
  Head head;
  ApplyUpdate({.blocked_until = kNow + hours(1)}, Options(), kNow, random, &head);
  ApplyUpdate({.blocked_until = kNow + minutes(1)}, Options(), kNow, random, &head);
  EXPECT_EQ(head.blocked_until, kNow + hours(1));
  EXPECT_EQ(AllowedInBatch(head, Options(), kNow + minutes(59)), 0u);
  ApplyUpdate({.blocked_until = WallTime()}, Options(), kNow, random, &head);
  EXPECT_EQ(AllowedInBatch(head, Options(), kNow), 6u);
  ApplyUpdate({.crawl_delay = seconds(20)}, Options(), kNow, random, &head);
  EXPECT_EQ(DelayOf(head, Options()), seconds(20));
  ApplyUpdate({.crawl_delay = seconds(0)}, Options(), kNow, random, &head);
  EXPECT_EQ(DelayOf(head, Options()), seconds(2));
}

}  // namespace
}  // namespace orbweaver
