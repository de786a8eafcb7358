#include <orbweaver/test_driver.h>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/builtin_strategy.h"

namespace orbweaver {
namespace {

using sdk::TestDriver;
using sdk::TestLink;

class LargerSitesFirstTest : public ::testing::Test {
 protected:
  // So many new pages of the domain.
  void Find(const std::string& domain, int count) {
    std::vector<TestLink> links;
    for (int i = 0; i < count; ++i) {
      links.emplace_back("https://" + domain + "/" + std::to_string(next_++));
    }
    crawl.Links("https://source.com/", links);
  }
  std::string Fetch() {
    const std::string url = crawl.Next()->url;
    crawl.Page(url);
    return url.substr(8, url.find('/', 8) - 8);
  }
  int BestBand(const std::string& domain) {
    float best = 0;
    for (const auto& request : crawl.queue()) {
      if (request.url.find("//" + domain + "/") != std::string::npos) {
        best = std::max(best, request.score);
      }
    }
    return static_cast<int>((1 - best) * 8);
  }

  TestDriver crawl{BuiltinStrategy("larger_sites_first")};
  int next_ = 0;
};

TEST_F(LargerSitesFirstTest, TheDomainWithMostWaitingIsNext) {
  Find("small.com", 2);
  Find("large.com", 100);
  Find("middle.com", 10);
  EXPECT_EQ(Fetch(), "large.com");
  Find("middle.com", 300);
  EXPECT_EQ(Fetch(), "middle.com");
}

TEST_F(LargerSitesFirstTest, ADomainIsInTheBandOfWhatWaits) {
  const std::vector<std::pair<int, int>> bands = {{1, 7},    {3, 7},    {4, 6},   {15, 6},
                                                  {16, 5},   {64, 4},   {256, 3}, {1024, 2},
                                                  {4096, 1}, {16384, 0}};
  int found = 0;
  for (const auto& [count, band] : bands) {
    Find("a.com", count - found);
    found = count;
    EXPECT_EQ(BestBand("a.com"), band) << count;
  }
}

TEST_F(LargerSitesFirstTest, WhatIsLeftOfALargeDomainIsInTheBandOfASmallOne) {
  Find("a.com", 100);
  for (int left = 99; left > 0; --left) {
    ASSERT_EQ(Fetch(), "a.com");
    const int band = left >= 64 ? 4 : left >= 16 ? 5 : left >= 4 ? 6 : 7;
    // A page of its band may still wait while one less than that do.
    ASSERT_NEAR(BestBand("a.com"), band, 1) << left;
  }
}

TEST_F(LargerSitesFirstTest, DomainsOfEqualSizeStayEqual) {
  Find("a.com", 60);
  Find("b.com", 60);
  int of_a = 0;
  for (int i = 0; i < 90; ++i) of_a += Fetch() == "a.com";
  EXPECT_NEAR(of_a, 45, 15);
}

TEST_F(LargerSitesFirstTest, FailuresWaitNoMoreAndCapsHold) {
  crawl.Swap(BuiltinStrategy("larger_sites_first"), {{"max_pages", "20"}});
  Find("a.com", 40);
  EXPECT_EQ(crawl.queue().size(), 20u);
  for (int i = 0; i < 20; ++i) {
    sdk::TestFailure gone;
    gone.transient = false;
    crawl.Fail(crawl.Next()->url, gone);
  }
  EXPECT_TRUE(crawl.queue().empty());
}

TEST_F(LargerSitesFirstTest, ASeedLeavesFirst) {
  Find("a.com", 100);
  crawl.Seeds({"https://b.com/"});
  EXPECT_EQ(Fetch(), "b.com");
}

}  // namespace
}  // namespace orbweaver
