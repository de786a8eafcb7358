// The strategies that fetch everything and differ in the order: breadth_first, depth_first, random.
#include <algorithm>
#include <orbweaver/test_driver.h>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/builtin_strategy.h"

namespace orbweaver {
namespace {

using sdk::TestDriver;
using sdk::TestWeb;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::UnorderedElementsAreArray;

// A tree: / has /0 to /2, each of which has three children, and so on to the fourth level.
const TestWeb& Tree() {
  static const TestWeb web = [] {
    TestWeb made;
    std::vector<std::string> level = {"https://a.com/"};
    for (int depth = 0; depth <= 4; ++depth) {
      std::vector<std::string> next;
      for (const std::string& url : level) {
        std::vector<std::string>& links = made[url];
        for (int i = 0; i < 3 && depth < 4; ++i) links.push_back(url + std::to_string(i));
        next.insert(next.end(), links.begin(), links.end());
      }
      level = next;
    }
    return made;
  }();
  return web;
}

std::vector<std::string> AllPages() {
  std::vector<std::string> urls;
  for (const auto& [url, links] : Tree()) urls.push_back(url);
  return urls;
}

size_t DepthOf(const std::string& url) { return url.size() - std::string("https://a.com/").size(); }

std::vector<std::string> Order(const std::string& strategy, uint64_t seed = 1) {
  TestDriver crawl(BuiltinStrategy(strategy), {}, seed);
  crawl.Seeds({"https://a.com/"});
  return crawl.Run(Tree());
}

TEST(BreadthFirstTest, EveryPageIsFetchedOnceAndLevelByLevel) {
  const std::vector<std::string> order = Order("breadth_first");
  EXPECT_THAT(order, UnorderedElementsAreArray(AllPages()));
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end(),
                             [](const auto& a, const auto& b) { return DepthOf(a) < DepthOf(b); }));
}

TEST(BreadthFirstTest, LevelsStayApartWhenASeedComesLate) {
  TestDriver crawl(BuiltinStrategy("breadth_first"));
  crawl.Seeds({"https://a.com/"});
  crawl.Run(Tree(), 10);
  crawl.Seeds({"https://a.com/late"});
  EXPECT_EQ("https://a.com/late", crawl.Next()->url);
}

TEST(BreadthFirstTest, ALoopOfLinksEnds) {
  TestDriver crawl(BuiltinStrategy("breadth_first"));
  crawl.Seeds({"https://a.com/"});
  EXPECT_THAT(crawl.Run({{"https://a.com/", {"https://a.com/", "https://a.com/b"}},
                         {"https://a.com/b", {"https://a.com/"}}}),
              ElementsAre("https://a.com/", "https://a.com/b"));
}

TEST(BreadthFirstTest, APageThatIsGoneIsNotAskedForAgain) {
  TestDriver crawl(BuiltinStrategy("breadth_first"));
  crawl.Seeds({"https://a.com/"});
  const TestWeb web = {{"https://a.com/", {"https://a.com/gone", "https://a.com/b"}},
                       {"https://a.com/b", {"https://a.com/gone"}}};
  EXPECT_THAT(crawl.Run(web),
              ElementsAre("https://a.com/", "https://a.com/gone", "https://a.com/b"));
}

TEST(DepthFirstTest, EveryPageIsFetchedOnceAndABranchIsFinishedBeforeTheNext) {
  const std::vector<std::string> order = Order("depth_first");
  EXPECT_THAT(order, UnorderedElementsAreArray(AllPages()));
  // The deepest level is reached at once, and what is scheduled deepest always goes first.
  EXPECT_EQ(4u, DepthOf(order[4]));
  const std::vector<std::string> start = {
      "https://a.com/",     "https://a.com/0",    "https://a.com/00",   "https://a.com/000",
      "https://a.com/0000", "https://a.com/0001", "https://a.com/0002", "https://a.com/001"};
  EXPECT_THAT(std::vector<std::string>(order.begin(), order.begin() + 8), ElementsAreArray(start));
}

TEST(DepthFirstTest, DepthsBeyondTheBandsStillHaveAScore) {
  TestDriver crawl(BuiltinStrategy("depth_first"));
  crawl.Seeds({"https://a.com/"});
  TestWeb chain;
  std::string url = "https://a.com/";
  for (int i = 0; i < 50; ++i) {
    chain[url] = {url + "x"};
    url += "x";
  }
  chain[url] = {};
  EXPECT_EQ(51u, crawl.Run(chain).size());
}

TEST(RandomTest, EveryPageIsFetchedOnceInTheOrderOfItsSeed) {
  const std::vector<std::string> order = Order("random", 1);
  EXPECT_THAT(order, UnorderedElementsAreArray(AllPages()));
  EXPECT_EQ(order, Order("random", 1));
  EXPECT_NE(order, Order("random", 2));
}

TEST(RandomTest, ScoresSpreadOverAllBands) {
  TestDriver crawl(BuiltinStrategy("random"));
  for (int i = 0; i < 800; ++i) crawl.Seeds({"https://a.com/" + std::to_string(i)});
  std::vector<int> bands(8);
  for (const sdk::TestRequest& request : crawl.queue()) {
    ASSERT_GE(request.score, 0.0f);
    ASSERT_LT(request.score, 1.0f);
    ++bands[static_cast<size_t>(request.score * 8)];
  }
  for (const int count : bands) {
    EXPECT_GT(count, 60);
    EXPECT_LT(count, 140);
  }
}

TEST(RandomTest, AReplayedEventDecidesTheSame) {
  TestDriver once(BuiltinStrategy("random"), {}, 9);
  once.Seeds({"https://a.com/x", "https://a.com/y"});
  TestDriver replayed(BuiltinStrategy("random"), {}, 9);
  replayed.Seeds({"https://a.com/x"});
  replayed.Swap(BuiltinStrategy("random"), {}, 9);
  replayed.Seeds({"https://a.com/y"});
  EXPECT_EQ(once.Waiting("https://a.com/y")->score, replayed.Waiting("https://a.com/y")->score);
}

}  // namespace
}  // namespace orbweaver
