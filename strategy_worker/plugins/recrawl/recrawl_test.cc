#include <orbweaver/test_driver.h>
#include <string>

#include <gtest/gtest.h>

#include "tests/support/builtin_strategy.h"

namespace orbweaver {
namespace {

using sdk::TestDriver;
using sdk::TestPage;

constexpr const char* kUrl = "https://a.com/";

class RecrawlTest : public ::testing::Test {
 protected:
  RecrawlTest() { crawl.Seeds({kUrl}); }

  // Fetches the page as soon as it may be, and returns the seconds until it is due again.
  int64_t Fetch(const TestPage& page) {
    if (const sdk::TestRequest* const request = crawl.Waiting(kUrl)) {
      crawl.SetTime(std::max(crawl.now_ms(), request->not_before_ms));
    }
    EXPECT_TRUE(crawl.Next());
    crawl.Page(kUrl, page);
    return DueIn();
  }
  int64_t DueIn() const {
    const sdk::TestRequest* const request = crawl.Waiting(kUrl);
    return request ? (request->not_before_ms - crawl.now_ms()) / 1000 : -1;
  }

  TestDriver crawl{BuiltinStrategy("recrawl"),
                   {{"first_interval_s", "1000"},
                    {"min_interval_s", "300"},
                    {"max_interval_s", "2000"},
                    {"retry_delay_s", "10"}}};
};

TEST_F(RecrawlTest, APageIsScheduledAgainAfterItsFirstInterval) {
  EXPECT_EQ(1000, Fetch({.content_hash = 1}));
  EXPECT_EQ(crawl.now_ms() + 1'000'000, crawl.State(kUrl)->due_at_ms);
  EXPECT_EQ(ORBWEAVER_QUEUED, crawl.State(kUrl)->status);
}

TEST_F(RecrawlTest, APageThatChangesIsFetchedMoreOftenDownToTheBound) {
  Fetch({.content_hash = 1});
  EXPECT_EQ(500, Fetch({.content_hash = 2}));
  EXPECT_EQ(300, Fetch({.content_hash = 3}));
  EXPECT_EQ(300, Fetch({.content_hash = 4}));
}

TEST_F(RecrawlTest, APageThatDoesNotChangeIsFetchedLessOftenUpToTheBound) {
  Fetch({.content_hash = 1});
  EXPECT_EQ(1500, Fetch({.content_hash = 1}));
  EXPECT_EQ(2000, Fetch({.content_hash = 1}));
  EXPECT_EQ(2000, Fetch({.content_hash = 1}));
}

TEST_F(RecrawlTest, NotModifiedCountsAsUnchanged) {
  Fetch({.content_hash = 1});
  EXPECT_EQ(1500, Fetch({.not_modified = true}));
}

TEST_F(RecrawlTest, TheIntervalSurvivesARestart) {
  Fetch({.content_hash = 1});
  Fetch({.content_hash = 2});
  crawl.Swap(BuiltinStrategy("recrawl"), {{"min_interval_s", "1"}});
  EXPECT_EQ(250, Fetch({.content_hash = 3}));
}

TEST_F(RecrawlTest, NewPagesGoBeforeOldOnes) {
  Fetch({.content_hash = 1});
  crawl.Links(kUrl, {"https://a.com/new"});
  EXPECT_GT(crawl.Waiting("https://a.com/new")->score, crawl.Waiting(kUrl)->score);
}

TEST_F(RecrawlTest, ALinkToAPageThatWaitsDoesNotScheduleItAgain) {
  Fetch({.content_hash = 1});
  crawl.Links(kUrl, {kUrl});
  EXPECT_EQ(1u, crawl.queue().size());
}

TEST_F(RecrawlTest, AFailureIsTriedSoonAndThenComesBackAsAnUnchangedPage) {
  Fetch({.content_hash = 1});
  crawl.SetTime(crawl.queue().at(0).not_before_ms);
  for (const int64_t delay_s : {10, 20, 40}) {
    ASSERT_TRUE(crawl.Next());
    crawl.Fail(kUrl);
    ASSERT_EQ(delay_s, DueIn());
    crawl.SetTime(crawl.queue().at(0).not_before_ms);
  }
  ASSERT_TRUE(crawl.Next());
  crawl.Fail(kUrl);
  EXPECT_EQ(1500, DueIn());
  EXPECT_EQ(0u, crawl.queue().at(0).attempt) << "the next round has all its tries";
}

TEST_F(RecrawlTest, AGonePageIsNotFetchedAgain) {
  Fetch({.content_hash = 1});
  crawl.SetTime(crawl.queue().at(0).not_before_ms);
  ASSERT_TRUE(crawl.Next());
  crawl.Fail(kUrl, {sdk::Cause::kHttp4xx, false, 410, -1});
  EXPECT_EQ(-1, DueIn());
}

TEST_F(RecrawlTest, TheCapCountsUrlsAndNotFetches) {
  crawl.Swap(BuiltinStrategy("recrawl"), {{"max_pages", "2"}});
  for (int i = 0; i < 5; ++i) Fetch({.content_hash = 1});
  crawl.Links(kUrl, {"https://a.com/1", "https://a.com/2"});
  EXPECT_EQ(2u, crawl.queue().size());
}

}  // namespace
}  // namespace orbweaver
