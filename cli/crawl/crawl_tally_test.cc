#include "cli/crawl/crawl_tally.h"

#include <string>

#include "fmt/format.h"
#include <gtest/gtest.h>

#include "common/model/own_request.h"

namespace orbweaver {
namespace {

SpiderLogEntry Page(std::string_view domain, uint32_t status) {
  return {.domain = domain, .event = PageFetched{.status = status, .received_bytes = 100}};
}
SpiderLogEntry Failed(std::string_view domain, FailureCause cause, uint32_t status,
                      std::string_view url) {
  return {.domain = domain,
          .event = FetchFailed{
              .request = {.url = url}, .cause = cause, .status = status, .message = "why"}};
}

TEST(CrawlTallyTest, CountsAnswersByStatusWhetherTheyArePagesOrErrors) {
  CrawlTally tally;
  tally.Add(Page("a.test", 200));
  tally.Add(Page("a.test", 304));
  tally.Add(Failed("a.test", FailureCause::kHttp4xx, 404, "http://a.test/gone"));
  tally.Add(Failed("b.test", FailureCause::kDns, 0, "http://b.test/"));
  EXPECT_EQ(tally.pages(), 2u);
  EXPECT_EQ(tally.failed(), 2u);
  EXPECT_EQ(tally.received_bytes(), 200u);
  EXPECT_EQ(tally.by_status(), (std::map<uint32_t, uint64_t>{{200, 1}, {304, 1}, {404, 1}}));
  EXPECT_EQ(tally.by_cause().at(FailureCause::kDns).count, 1u);
}

TEST(CrawlTallyTest, WhatPagesEmbedIsNoPageAndADocumentInScopeIs) {
  CrawlTally tally;
  const auto add = [&tally](OwnRequest own, std::string_view type) {
    const Meta meta = MetaOf(own);
    tally.Add({.domain = "a.test",
               .event = PageFetched{
                   .request = {.meta = {&meta, 1}}, .status = 200, .content_type = type}});
  };
  using Kind = OwnRequest::Kind;
  add({.kind = Kind::kAsset, .steps = 1, .is_in_scope = true}, "image/png");
  add({.kind = Kind::kAsset, .steps = 1}, "text/html");
  EXPECT_EQ(tally.assets(), 2u);
  EXPECT_EQ(tally.pages(), 0u);
  EXPECT_EQ(tally.domains(), 0u);
  add({.kind = Kind::kAsset, .steps = 1, .is_in_scope = true}, "text/html");
  add({.kind = Kind::kSitemap, .steps = 1}, "text/xml");
  EXPECT_EQ(tally.assets(), 2u);
  EXPECT_EQ(tally.sitemaps(), 1u);
  EXPECT_EQ(tally.pages(), 1u);
  EXPECT_EQ(tally.fetched(), 4u);
}

TEST(CrawlTallyTest, ARedirectThatWasNotFollowedIsNoPage) {
  CrawlTally tally;
  const Redirect away{.url = "https://b.test/", .status = 301};
  const Redirect deep{.url = "https://c.test/", .status = 302};
  tally.Add({.domain = "a.test",
             .event = PageFetched{.request = {.url = "http://a.test/"},
                                  .redirects = {&away, 1},
                                  .status = 301,
                                  .received_bytes = 10,
                                  .links_outside = 1}});
  tally.Add({.domain = "a.test",
             .event = PageFetched{.request = {.url = "http://a.test/x", .depth = 2},
                                  .redirects = {&deep, 1},
                                  .status = 302}});
  EXPECT_EQ(tally.pages(), 0u);
  EXPECT_EQ(tally.redirects(), 2u);
  EXPECT_EQ(tally.received_bytes(), 10u);
  EXPECT_EQ(tally.by_status(), (std::map<uint32_t, uint64_t>{{301, 1}, {302, 1}}));
  ASSERT_EQ(tally.seed_redirects().size(), 1u);
  EXPECT_EQ(tally.seed_redirects()[0].from, "http://a.test/");
  EXPECT_EQ(tally.seed_redirects()[0].to, "https://b.test/");
}

TEST(CrawlTallyTest, KeepsTheFirstExamplesOfEachCauseOnly) {
  CrawlTally tally;
  for (int i = 0; i < 10; ++i) {
    tally.Add(Failed("a.test", FailureCause::kReset, 0, fmt::format("http://a.test/{}", i)));
  }
  const CrawlTally::Failures& failures = tally.by_cause().at(FailureCause::kReset);
  EXPECT_EQ(failures.count, 10u);
  ASSERT_EQ(failures.examples.size(), CrawlTally::kExamples);
  EXPECT_EQ(failures.examples[0].url, "http://a.test/0");
  EXPECT_EQ(failures.examples[0].message, "why");
}

TEST(CrawlTallyTest, CountsLinksAndWhatWasHandedBackAsNoOutcome) {
  CrawlTally tally;
  tally.Add({.domain = "b.test", .event = PageFetched{.links_inside = 1, .links_outside = 2}});
  tally.Add({.domain = "b.test", .event = Deferred{}});
  tally.Add({.domain = "b.test", .event = HostFacts{}});
  EXPECT_EQ(tally.links(), 3u);
  EXPECT_EQ(tally.deferred(), 1u);
  EXPECT_EQ(tally.pages(), 1u);
  EXPECT_EQ(tally.failed(), 0u);
  EXPECT_EQ(tally.domains(), 1u);
}

TEST(CrawlTallyTest, WhatOurOwnOptionsKeptBackIsNoFailure) {
  CrawlTally tally;
  for (const FailureCause cause :
       {FailureCause::kPort, FailureCause::kPrivateAddress, FailureCause::kProxy}) {
    tally.Add(Failed("a.test", cause, 0, "http://a.test/"));
  }
  EXPECT_EQ(tally.failed(), 0u);
  EXPECT_EQ(tally.put_by(), 3u);
  EXPECT_EQ(tally.by_cause().size(), 3u);
  EXPECT_TRUE(tally.unreachable().empty());
}

TEST(CrawlTallyTest, AHostIsUnreachableUntilAPageOfItComes) {
  CrawlTally tally;
  for (const char* path : {"1", "2"}) {
    tally.Add(Failed("a.test", FailureCause::kRefused, 0, fmt::format("http://a.test/{}", path)));
  }
  tally.Add(Failed("b.test", FailureCause::kHttp5xx, 500, "http://b.test/"));
  ASSERT_EQ(tally.unreachable().size(), 1u);
  EXPECT_EQ(tally.unreachable()[0].origin, "http://a.test");
  tally.Add({.domain = "a.test",
             .event = PageFetched{.request = {.url = "http://a.test/1"}, .status = 200}});
  EXPECT_TRUE(tally.unreachable().empty());
}

TEST(CrawlTallyTest, ADomainsPagesAndFailuresAreCountedApart) {
  CrawlTally tally;
  for (int i = 0; i < 3; ++i) tally.Add(Page("a.test", 200));
  for (int i = 0; i < 2; ++i)
    tally.Add(Failed("a.test", FailureCause::kReset, 0, "http://a.test/"));
  EXPECT_EQ(tally.TopDomains(1)[0].second.pages, 3u);
  EXPECT_EQ(tally.TopDomains(1)[0].second.failed, 2u);
}

TEST(CrawlTallyTest, ACrawlOfTheWholeWebIsCountedInBoundedMemory) {
  CrawlTally tally;
  for (size_t i = 0; i < CrawlTally::kMostDomains + 10; ++i) {
    tally.Add(Page(fmt::format("{}.test", i), 200));
  }
  EXPECT_EQ(tally.domains(), CrawlTally::kMostDomains);
  EXPECT_EQ(tally.pages(), CrawlTally::kMostDomains + 10);
}

TEST(CrawlTallyTest, TopDomainsComeByPagesAndThenByName) {
  CrawlTally tally;
  for (const char* const domain : {"c.test", "b.test", "a.test", "c.test"}) {
    tally.Add(Page(domain, 200));
  }
  const auto top = tally.TopDomains(2);
  ASSERT_EQ(top.size(), 2u);
  EXPECT_EQ(top[0].first, "c.test");
  EXPECT_EQ(top[0].second.pages, 2u);
  EXPECT_EQ(top[1].first, "a.test");
  EXPECT_EQ(tally.TopDomains(9).size(), 3u);
}

}  // namespace
}  // namespace orbweaver
