#include "lab/report/freshness.h"

#include <gtest/gtest.h>

namespace orbweaver::lab {
namespace {

constexpr int64_t kDay = 24LL * 3600 * 1000;

// URL 0 changes on day 2 and is on day 4 as it was at first; URL 1 never changes.
PageTable Pages() {
  PageTable pages;
  const uint32_t domain = pages.Domain("example.org");
  const VisitFacts changing[] = {{.at_ms = 0, .content = 1},
                                 {.at_ms = kDay, .content = 1},
                                 {.at_ms = 2 * kDay, .content = 2},
                                 {.at_ms = 3 * kDay},  // a failure says nothing about the page
                                 {.at_ms = 4 * kDay, .content = 1}};
  const VisitFacts steady[] = {{.at_ms = 0, .content = 3}};
  pages.AddUrl(domain, 0, 1, changing);
  pages.AddUrl(domain, 1, 1, steady);
  pages.Finish(false);
  return pages;
}

TEST(Freshness, FollowsTheRecordedChanges) {
  const PageTable pages = Pages();
  EXPECT_TRUE(pages.HasChanges());
  const PageChanges changes(pages);
  ASSERT_EQ(2u, changes.all().size());
  Freshness freshness(pages, changes);
  EXPECT_EQ(1, freshness.FreshShareAt(0).estimate);
  freshness.AddCopy(0, 1, kDay / 2);
  freshness.AddCopy(1, 3, kDay);
  EXPECT_EQ(1, freshness.FreshShareAt(kDay).estimate);
  EXPECT_EQ(0.5, freshness.FreshShareAt(3 * kDay).estimate);
  EXPECT_EQ(0.5, freshness.AgeInDaysAt(3 * kDay).estimate);  // one of two, for a day
  EXPECT_EQ(1, freshness.FreshShareAt(4 * kDay).estimate);
  EXPECT_EQ(0, freshness.AgeInDaysAt(5 * kDay).estimate);
}

TEST(Freshness, IsRestoredByAFetch) {
  const PageTable pages = Pages();
  const PageChanges changes(pages);
  Freshness freshness(pages, changes);
  freshness.AddCopy(0, 1, 0);
  EXPECT_EQ(0, freshness.FreshShareAt(5 * kDay / 2).estimate);
  freshness.AddCopy(0, 2, 3 * kDay);
  EXPECT_EQ(1, freshness.FreshShareAt(3 * kDay).estimate);
  EXPECT_EQ(0, freshness.FreshShareAt(4 * kDay).estimate);
}

TEST(Freshness, BoundsUnknownCopies) {
  const PageTable pages = Pages();
  const PageChanges changes(pages);
  Freshness freshness(pages, changes);
  freshness.AddCopy(0, 1, 0);
  freshness.AddUnknownCopy(kDay);
  const Bounded share = freshness.FreshShareAt(3 * kDay);
  EXPECT_EQ(0, share.low);
  EXPECT_EQ(0, share.estimate);
  EXPECT_EQ(0.5, share.high);
  const Bounded age = freshness.AgeInDaysAt(3 * kDay);
  EXPECT_EQ(0.5, age.low);
  EXPECT_EQ(1, age.estimate);
  EXPECT_EQ(1.5, age.high);  // the unknown one may have been out of date for two days
}

}  // namespace
}  // namespace orbweaver::lab
