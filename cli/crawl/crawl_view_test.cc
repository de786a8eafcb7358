#include "cli/crawl/crawl_view.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace orbweaver {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

CrawlSnapshot Snapshot() {
  return {.state = "crawling",
          .elapsed = std::chrono::seconds(100),
          .pages = 12'345,
          .failed = 67,
          .bytes = 1'400'000,
          .pages_per_s = 123.4,
          .bytes_per_s = 20'000,
          .queued = 1'000'000,
          .errors = {{"dns", 40}, {"http_5xx", 27}},
          .slowest = {{"slow.test", std::chrono::milliseconds(9500)}},
          .done = 0.25};
}

TEST(CrawlViewTest, SaysAllThatThereIsToSee) {
  std::string view;
  for (const std::string& line : DrawView(Snapshot(), 100, 50)) view += line + "\n";
  for (const char* const part :
       {"crawling for 1 min 40 s", "12,345", "123.4/s", "1.4 MB", "1,000,000", "http_5xx",
        "slow.test", "9.50 s", "25 %", "about 5 min 0 s left"}) {
    EXPECT_THAT(view, HasSubstr(part));
  }
}

TEST(CrawlViewTest, DeadLettersAreShownWhenThereAreSome) {
  CrawlSnapshot crawl = Snapshot();
  const auto view = [&crawl] {
    std::string text;
    for (const std::string& line : DrawView(crawl, 100, 50)) text += line + "\n";
    return text;
  };
  EXPECT_THAT(view() + DrawLine(crawl), Not(HasSubstr("dead letters")));
  crawl.dead_letters = 1234;
  EXPECT_THAT(view(), HasSubstr("dead letters: 1,234, see `orbweaver log dead-letter`"));
  EXPECT_THAT(DrawLine(crawl), HasSubstr("; dead letters 1,234"));
}

TEST(CrawlViewTest, FitsIntoTheTerminal) {
  for (const size_t width : {0u, 1u, 20u, 79u}) {
    for (const size_t height : {0u, 1u, 5u}) {
      const auto lines = DrawView(Snapshot(), width, height);
      EXPECT_LE(lines.size(), height);
      EXPECT_TRUE(std::all_of(lines.begin(), lines.end(),
                              [width](const std::string& line) { return line.size() <= width; }));
    }
  }
}

TEST(CrawlViewTest, WithoutALimitThereIsNoTimeLeft) {
  CrawlSnapshot crawl = Snapshot();
  crawl.done.reset();
  EXPECT_EQ(DrawLine(crawl).find("left"), std::string::npos);
  crawl.done = 0;
  EXPECT_EQ(DrawLine(crawl).find("left"), std::string::npos);
}

TEST(CrawlViewTest, WhatItWaitsForIsSaidOnlyWhileNothingGoesOn) {
  CrawlSnapshot crawl = Snapshot();
  const auto text = [&crawl] {
    std::string view = DrawLine(crawl);
    for (const std::string& line : DrawView(crawl, 100, 50)) view += line + "\n";
    return view;
  };
  EXPECT_THAT(text(), Not(HasSubstr("is due")));
  crawl.at = WallTime(std::chrono::hours(1));
  crawl.next_due = crawl.at + std::chrono::seconds(42);
  crawl.fetching = 0;
  EXPECT_THAT(text(), Not(HasSubstr("is due"))) << "between two requests of a site";
  crawl.is_idle = true;
  EXPECT_THAT(DrawLine(crawl), HasSubstr("the next request is due in 42 s"));
  EXPECT_THAT(text(), HasSubstr("waiting: the next request is due in 42 s"));
  crawl.next_due = crawl.at;
  EXPECT_THAT(text(), Not(HasSubstr("is due")));
}

TEST(CrawlViewTest, WhatCannotBeReachedAndWhatIsPutByAreShown) {
  CrawlSnapshot crawl = Snapshot();
  crawl.no_way_out = "connect to the proxy: refused";
  crawl.unreachable = {{"http://a.test", "connection refused"}};
  crawl.put_by = 12;
  std::string view;
  for (const std::string& line : DrawView(crawl, 100, 50)) view += line + "\n";
  EXPECT_THAT(view, HasSubstr("no way out: connect to the proxy: refused"));
  EXPECT_THAT(view, HasSubstr("http://a.test  connection refused"));
  EXPECT_THAT(view, HasSubstr("put by 12"));
  EXPECT_THAT(DrawLine(crawl), HasSubstr("no way out: connect to the proxy: refused"));
}

TEST(CrawlViewTest, APausedQueueAndWhereTheCrawlIsAskedAreShown) {
  CrawlSnapshot crawl = Snapshot();
  EXPECT_THAT(DrawLine(crawl), Not(HasSubstr("paused")));
  EXPECT_THAT(DrawView(crawl, 100, 50)[0], Not(HasSubstr("http")));
  crawl.paused_partitions = 3;
  crawl.console = "http://127.0.0.1:9600";
  EXPECT_THAT(DrawLine(crawl), HasSubstr("paused: 3 partitions"));
  const std::vector<std::string> lines = DrawView(crawl, 100, 50);
  EXPECT_THAT(lines[0], HasSubstr("http://127.0.0.1:9600"));
  EXPECT_THAT(lines, ::testing::Contains(HasSubstr("`orbweaver resume all`")));
}

}  // namespace
}  // namespace orbweaver
