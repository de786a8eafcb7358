#include <cmath>
#include <orbweaver/test_driver.h>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/builtin_strategy.h"

namespace orbweaver {
namespace {

using sdk::TestDriver;
using sdk::TestLink;

struct Cash {
  float cash;
  float told;
};

// As in opic.cc.
float ScoreOfCash(float cash) { return std::max(0.0f, 1 + std::log2(cash) / 24); }

class OpicTest : public ::testing::Test {
 protected:
  float CashOf(const std::string& url) { return crawl.DataOf<Cash>(url).cash; }
  void Fetch(const std::string& url, const std::vector<TestLink>& links) {
    ASSERT_EQ(url, crawl.Next()->url);
    crawl.Page(url);
    crawl.Links(url, links);
  }

  TestDriver crawl{BuiltinStrategy("opic")};
};

TEST_F(OpicTest, APagesCashGoesToItsLinksInEqualParts) {
  crawl.Seeds({"https://a.com/"});
  Fetch("https://a.com/",
        {"https://a.com/1", "https://a.com/2", "https://b.com/", "https://b.com/x"});
  for (const char* url :
       {"https://a.com/1", "https://a.com/2", "https://b.com/", "https://b.com/x"}) {
    EXPECT_NEAR(0.25f, CashOf(url), 1e-4) << url;
    EXPECT_NEAR(ScoreOfCash(0.25f), crawl.Waiting(url)->score, 1e-5) << url;
  }
  EXPECT_NEAR(0, CashOf("https://a.com/"), 1e-4) << "it has given all away";
}

TEST_F(OpicTest, WhatManyPagesLinkToIsFetchedFirst) {
  crawl.Seeds({"https://a.com/1"});
  crawl.Seeds({"https://a.com/2"});
  crawl.Seeds({"https://a.com/3"});
  Fetch("https://a.com/1", {"https://a.com/poor", "https://a.com/rich"});
  Fetch("https://a.com/2", {"https://a.com/rich", "https://a.com/other"});
  Fetch("https://a.com/3", {"https://a.com/another", "https://a.com/rich"});
  EXPECT_EQ("https://a.com/rich", crawl.Next()->url);
}

TEST_F(OpicTest, MoreCashRaisesTheRequestThatWaitsInsteadOfAddingOne) {
  crawl.Seeds({"https://a.com/1"});
  crawl.Seeds({"https://a.com/2"});
  Fetch("https://a.com/1", {"https://a.com/x", "https://a.com/y"});
  const float before = crawl.Waiting("https://a.com/x")->score;
  Fetch("https://a.com/2", {"https://a.com/x"});
  EXPECT_GT(crawl.Waiting("https://a.com/x")->score, before);
  EXPECT_EQ(2u, crawl.queue().size());
  EXPECT_EQ(4u, crawl.Domain("a.com").scheduled);
}

TEST_F(OpicTest, SmallChangesAreKeptButNotTold) {
  crawl.Seeds({"https://a.com/1"});
  crawl.Seeds({"https://a.com/2"});
  Fetch("https://a.com/1", {"https://a.com/x"});
  const float told = crawl.Waiting("https://a.com/x")->score;
  std::vector<TestLink> many = {"https://a.com/x"};
  for (int i = 0; i < 99; ++i) many.emplace_back("https://b.com/" + std::to_string(i));
  Fetch("https://a.com/2", many);
  EXPECT_EQ(told, crawl.Waiting("https://a.com/x")->score);
  EXPECT_NEAR(1.01f, CashOf("https://a.com/x"), 1e-3);
}

TEST_F(OpicTest, CashThatCameAfterTheRequestStaysWithThePage) {
  crawl.Seeds({"https://a.com/1"});
  crawl.Seeds({"https://a.com/2"});
  Fetch("https://a.com/1", {"https://a.com/x", "https://a.com/y"});
  ASSERT_EQ("https://a.com/2", crawl.Next()->url);
  const sdk::TestRequest x = *crawl.Next();  // in flight, with half of the first seed's cash
  crawl.Page("https://a.com/2");
  crawl.Links("https://a.com/2", {TestLink(x.url)});
  crawl.Page(x.url);
  EXPECT_NEAR(1.0f, CashOf(x.url), 1e-3);
}

TEST_F(OpicTest, ASpentBudgetStillRaisesWhatWaits) {
  crawl.Swap(BuiltinStrategy("opic"), {{"max_pages", "3"}});
  crawl.Seeds({"https://a.com/1"});
  crawl.Seeds({"https://a.com/2"});
  Fetch("https://a.com/1", {"https://a.com/x", "https://a.com/y"});
  ASSERT_EQ(3u, crawl.Domain("a.com").scheduled);
  const float before = crawl.Waiting("https://a.com/x")->score;
  Fetch("https://a.com/2", {"https://a.com/x", "https://a.com/z"});
  EXPECT_GT(crawl.Waiting("https://a.com/x")->score, before);
  EXPECT_EQ(3u, crawl.Domain("a.com").scheduled);
  EXPECT_EQ(nullptr, crawl.State("https://a.com/z")) << "nothing is kept of what is left alone";
}

TEST_F(OpicTest, FetchedPagesAreNotTouchedByFurtherLinks) {
  crawl.Seeds({"https://a.com/"});
  Fetch("https://a.com/", {"https://a.com/", "https://a.com/1"});
  EXPECT_EQ(1u, crawl.queue().size());
}

TEST_F(OpicTest, AScoreOutsideItsRangeDoesNoHarm) {
  TestLink seed("https://a.com/");
  for (const float score : {-5.0f, 0.0f, 7.0f}) {
    seed.score = score;
    seed.url += "x";
    crawl.Seeds({seed});
    const float queued = crawl.Waiting(seed.url)->score;
    EXPECT_GE(queued, 0.0f);
    EXPECT_LE(queued, 1.0f);
  }
}

}  // namespace
}  // namespace orbweaver
