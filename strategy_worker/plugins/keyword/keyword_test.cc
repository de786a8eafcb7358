#include <orbweaver/test_driver.h>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/builtin_strategy.h"

namespace orbweaver {
namespace {

using sdk::TestDriver;
using sdk::TestLink;

constexpr const char* kHome = "https://a.com/";

float ScoreOf(const TestDriver& crawl, const std::string& url) {
  const sdk::TestRequest* const request = crawl.Waiting(url);
  return request ? request->score : -1;
}

class KeywordTest : public ::testing::Test {
 protected:
  // The home page was fetched with this body.
  void Fetch(const std::string& body, const std::string& title = "") {
    crawl.Seeds({kHome});
    crawl.Next();
    crawl.Page(kHome, {.title = title, .body = body});
  }
  float Relevance() { return crawl.DataOf<float>(kHome); }

  TestDriver crawl{BuiltinStrategy("keyword"), {{"terms", "spider:2, web crawler, casino:-5"}}};
};

TEST_F(KeywordTest, ItAsksForBodies) {
  EXPECT_EQ(uint64_t{ORBWEAVER_NEEDS_BODY}, BuiltinStrategy("keyword")->needs);
}

TEST_F(KeywordTest, WithoutTermsItDoesNotStart) {
  EXPECT_THROW(TestDriver(BuiltinStrategy("keyword")), std::runtime_error);
  for (const char* terms : {"a:b", "a:", ":3", "a:inf", "--"}) {
    EXPECT_THROW(TestDriver(BuiltinStrategy("keyword"), {{"terms", terms}}), std::runtime_error)
        << terms;
  }
}

TEST_F(KeywordTest, APageIsScoredByItsWeightedTerms) {
  Fetch("<p>A Spider!</p>");
  EXPECT_FLOAT_EQ(0.75f, Relevance());
}

TEST_F(KeywordTest, APhraseMustStandTogether) {
  Fetch("<p>a web-crawler, the web, a crawler, web crawlers</p>");
  EXPECT_FLOAT_EQ(0.5f, Relevance());
}

TEST_F(KeywordTest, WordsAreNotFoundInsideOthers) {
  Fetch("<p>spiders respider spiderweb</p>");
  EXPECT_FLOAT_EQ(0, Relevance());
}

TEST_F(KeywordTest, NegativeTermsTakeAwayAndNeverGoBelowZero) {
  Fetch("spider casino spider");
  EXPECT_FLOAT_EQ(0, Relevance());
}

TEST_F(KeywordTest, TheTitleCountsAsATextOfItsOwn) {
  std::string body;
  for (int i = 0; i < 1000; ++i) body += "word ";
  Fetch(body, "Spider");
  EXPECT_FLOAT_EQ(0.75f, Relevance());
}

TEST_F(KeywordTest, ScriptsStylesAndTagsAreNotText) {
  Fetch("<script>spider</SCRIPT><style>spider</style><!-- > spider --><a title=spider>x</a>");
  EXPECT_FLOAT_EQ(0, Relevance());
}

TEST_F(KeywordTest, BrokenHtmlIsRead) {
  for (const char* html : {"<", "<!--", "<script", "<script>", "a <", "spider <b", "<!-- spider"}) {
    TestDriver other(BuiltinStrategy("keyword"), {{"terms", "spider"}});
    other.Seeds({kHome});
    other.Next();
    EXPECT_NO_THROW(other.Page(kHome, {.body = html})) << html;
  }
}

TEST_F(KeywordTest, OfAPageWithoutItsBodyTheTitleIsScored) {
  crawl.Seeds({kHome});
  crawl.Next();
  crawl.Page(kHome, {.title = "Spider", .body_bytes = 5000});
  EXPECT_FLOAT_EQ(0.75f, Relevance());
}

TEST_F(KeywordTest, ALinkIsScoredByItsAnchorItsUrlAndItsSurroundings) {
  Fetch("<p>nothing of the kind</p>");  // 0
  crawl.Links(kHome, {TestLink("https://a.com/1", "the spider"),
                      TestLink("https://a.com/spider/", "2"), TestLink("https://a.com/3", "3")});
  EXPECT_FLOAT_EQ(0.6f * 0.75f, ScoreOf(crawl, "https://a.com/1"));
  EXPECT_FLOAT_EQ(0.6f * 0.75f, ScoreOf(crawl, "https://a.com/spider/"));
  EXPECT_EQ(-1, ScoreOf(crawl, "https://a.com/3")) << "nothing speaks for it";
}

TEST_F(KeywordTest, ALinkFromElsewhereInheritsItsPagesScoreWhichFades) {
  Fetch("<p>spider</p>");
  crawl.Links(kHome, {"https://b.com/"});
  EXPECT_FLOAT_EQ(0.4f, ScoreOf(crawl, "https://b.com/"));
  std::string from = "https://b.com/";
  size_t hops = 0;
  for (; crawl.Waiting(from) && hops < 20; ++hops) {
    ASSERT_EQ(from, crawl.Next()->url);
    const std::string next = "https://x" + std::to_string(hops) + ".com/";
    crawl.Links(from, {TestLink(next)});
    from = next;
  }
  EXPECT_EQ(3u, hops) << "a crawl without any hit ends";
}

TEST_F(KeywordTest, ARelevantDomainIsCrawledOn) {
  Fetch("<p>spider spider</p>");
  crawl.Links(kHome, {"https://a.com/1"});
  EXPECT_FLOAT_EQ(0.4f * Relevance(), ScoreOf(crawl, "https://a.com/1"));
}

}  // namespace
}  // namespace orbweaver
