#include <orbweaver/test_driver.h>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/builtin_strategy.h"

namespace orbweaver {
namespace {

using sdk::TestDriver;

class IndegreeTest : public ::testing::Test {
 protected:
  // `count` pages link to `url`.
  void LinkTo(const std::string& url, int count) {
    for (int i = 0; i < count; ++i) {
      crawl.Links("https://b.com/" + std::to_string(next_++), {url});
    }
  }
  int BandOf(const std::string& url) {
    return static_cast<int>((1 - crawl.Waiting(url)->score) * 8);
  }

  TestDriver crawl{BuiltinStrategy("indegree")};
  int next_ = 0;
};

TEST_F(IndegreeTest, WhatMostPagesLinkToIsFetchedFirst) {
  LinkTo("https://a.com/one", 1);
  LinkTo("https://a.com/five", 5);
  LinkTo("https://c.com/two", 2);
  LinkTo("https://a.com/nine", 9);
  std::vector<std::string> order;
  for (int i = 0; i < 4; ++i) order.push_back(crawl.Next()->url);
  EXPECT_EQ(order, (std::vector<std::string>{"https://a.com/nine", "https://a.com/five",
                                             "https://c.com/two", "https://a.com/one"}));
}

TEST_F(IndegreeTest, ItIsRaisedOnlyWhenItsBandChanges) {
  const std::vector<std::pair<int, int>> bands = {{1, 7},  {2, 6},   {3, 6},   {4, 5},
                                                  {7, 5},  {8, 4},   {16, 3},  {32, 2},
                                                  {64, 1}, {127, 1}, {128, 0}, {500, 0}};
  int links = 0;
  for (const auto& [count, band] : bands) {
    LinkTo("https://a.com/", count - links);
    links = count;
    EXPECT_EQ(BandOf("https://a.com/"), band) << count;
  }
  EXPECT_EQ(crawl.queue().size(), 1u) << "raised, and never scheduled twice";
}

TEST_F(IndegreeTest, ASeedLeavesFirstAndLinksDoNotMoveIt) {
  LinkTo("https://a.com/linked", 200);
  crawl.Seeds({"https://a.com/seed"});
  LinkTo("https://a.com/seed", 3);
  EXPECT_FLOAT_EQ(crawl.Waiting("https://a.com/seed")->score, 1);
}

TEST_F(IndegreeTest, AFetchedPageIsNotAskedForAgainAndASpentBudgetHolds) {
  crawl.Swap(BuiltinStrategy("indegree"), {{"max_pages", "2"}});
  LinkTo("https://a.com/1", 1);
  ASSERT_EQ(crawl.Next()->url, "https://a.com/1");
  crawl.Page("https://a.com/1");
  LinkTo("https://a.com/1", 40);
  LinkTo("https://a.com/2", 1);
  LinkTo("https://a.com/3", 40);
  ASSERT_EQ(crawl.queue().size(), 1u);
  LinkTo("https://a.com/2", 1);
  EXPECT_EQ(BandOf("https://a.com/2"), 6) << "what waits is still raised";
}

TEST_F(IndegreeTest, CountsOutliveARestart) {
  LinkTo("https://a.com/", 3);
  crawl.Swap(BuiltinStrategy("indegree"));
  LinkTo("https://a.com/", 1);
  EXPECT_EQ(BandOf("https://a.com/"), 5);
}

TEST_F(IndegreeTest, AFactorStretchesTheBands) {
  crawl.Swap(BuiltinStrategy("indegree"), {{"factor", "10"}});
  LinkTo("https://a.com/", 99);
  EXPECT_EQ(BandOf("https://a.com/"), 6);
  LinkTo("https://a.com/", 1);
  EXPECT_EQ(BandOf("https://a.com/"), 5);
}

}  // namespace
}  // namespace orbweaver
