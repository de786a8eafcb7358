#include "common/scope/crawl_scope.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/status.h"
#include "tests/support/expect_ok.h"

namespace orbweaver {
namespace {

using ::testing::HasSubstr;

class CrawlScopeTest : public testing::Test {
 protected:
  CrawlScope Scope(const ScopeOptions& options) {
    auto scope = CrawlScope::Make(options, *suffixes_);
    EXPECT_OK(scope);
    return *std::move(scope);
  }
  OutOfScope Check(const CrawlScope& scope, std::string_view url, std::string_view places) {
    finder_.Begin("a.com", places);
    return scope.Check(url, !places.empty(), finder_);
  }
  OutOfScope CheckSitemap(const CrawlScope& scope, std::string_view url, std::string_view places) {
    finder_.Begin("a.com", places);
    return scope.CheckSitemap(url, !places.empty(), finder_);
  }

  const std::unique_ptr<const PublicSuffixes> suffixes_ = PublicSuffixes::Load({}).value();
  SeedPlaceFinder finder_;
};

TEST_F(CrawlScopeTest, ReachesAsFarFromTheSeedsAsItsKindSays) {
  const CrawlScope everything = Scope({});
  const CrawlScope domain = Scope({.kind = ScopeKind::kDomain});
  const CrawlScope host = Scope({.kind = ScopeKind::kHost});
  const CrawlScope path = Scope({.kind = ScopeKind::kPath});
  EXPECT_TRUE(everything.IsEverything());
  EXPECT_FALSE(domain.IsEverything());
  struct {
    const char* url;
    const char* places;
    bool domain, host, path;
  } const kCases[] = {
      {"https://a.com/x/y", "/x/", true, true, true},
      {"https://a.com/", "/x/", true, true, false},
      {"https://b.a.com/x/y", "/x/", true, false, false},
      {"https://a.com:81/x/y", "/x/", true, false, false},
      {"https://a.com/", "", false, false, false},
  };
  for (const auto& test : kCases) {
    SCOPED_TRACE(test.url);
    EXPECT_EQ(Check(everything, test.url, test.places), OutOfScope::kNot);
    EXPECT_EQ(Check(domain, test.url, test.places) == OutOfScope::kNot, test.domain);
    EXPECT_EQ(Check(host, test.url, test.places) == OutOfScope::kNot, test.host);
    EXPECT_EQ(Check(path, test.url, test.places) == OutOfScope::kNot, test.path);
  }
}

TEST_F(CrawlScopeTest, PatternsOnlyTakeAway) {
  const CrawlScope scope = Scope({.kind = ScopeKind::kDomain,
                                  .include = {"/blog/*", "b.com"},
                                  .exclude = {"*.png", "/blog/x"}});
  EXPECT_EQ(Check(scope, "https://a.com/blog/y", "/"), OutOfScope::kNot);
  EXPECT_EQ(Check(scope, "https://a.com/blog/x", "/"), OutOfScope::kExclude);
  EXPECT_EQ(Check(scope, "https://a.com/z", "/"), OutOfScope::kInclude);
  EXPECT_EQ(Check(scope, "https://a.com/blog/y", ""), OutOfScope::kSeeds);
  EXPECT_EQ(scope.CheckSeed("https://b.com/"), OutOfScope::kNot);
  EXPECT_EQ(scope.CheckSeed("https://b.com/a.png"), OutOfScope::kExclude);
  EXPECT_EQ(scope.CheckSeed("https://c.com/"), OutOfScope::kInclude);
  EXPECT_FALSE(Scope({.exclude = {"*.png"}}).IsEverything());
}

TEST_F(CrawlScopeTest, ASitemapMayLieAboveThePathsThatItLeadsTo) {
  const CrawlScope path =
      Scope({.kind = ScopeKind::kPath, .include = {"/x/*"}, .exclude = {"/no.xml"}});
  EXPECT_EQ(CheckSitemap(path, "https://a.com/sitemap.xml", "/x/"), OutOfScope::kNot);
  EXPECT_EQ(CheckSitemap(path, "https://a.com/no.xml", "/x/"), OutOfScope::kExclude);
  EXPECT_EQ(CheckSitemap(path, "https://b.a.com/sitemap.xml", "/x/"), OutOfScope::kSeeds);
  EXPECT_EQ(CheckSitemap(path, "https://a.com/sitemap.xml", ""), OutOfScope::kSeeds);
  const CrawlScope domain = Scope({.kind = ScopeKind::kDomain});
  EXPECT_EQ(CheckSitemap(domain, "https://b.a.com/sitemap.xml", "/x/"), OutOfScope::kNot);
}

TEST_F(CrawlScopeTest, FollowsARedirectOnlyWhereItSurelyStaysInScope) {
  const auto keeps = [](const CrawlScope& scope, std::string_view from, std::string_view to) {
    return scope.Keeps(from, to, "a.com");
  };
  const CrawlScope domain = Scope({.kind = ScopeKind::kDomain, .exclude = {"/no/*"}});
  EXPECT_TRUE(keeps(domain, "https://a.com/", "https://b.a.com/x"));
  EXPECT_FALSE(keeps(domain, "https://a.com/", "https://b.a.com/no/x"));
  const CrawlScope host = Scope({.kind = ScopeKind::kHost});
  EXPECT_TRUE(keeps(host, "http://a.com/", "https://www.a.com/x"));
  EXPECT_FALSE(keeps(host, "http://a.com/", "https://b.a.com/x"));
  EXPECT_FALSE(keeps(host, "http://a.com/", "http://a.com:81/x"));
  const CrawlScope path = Scope({.kind = ScopeKind::kPath});
  EXPECT_TRUE(keeps(path, "http://a.com/x", "https://a.com/x/"));
  EXPECT_TRUE(keeps(path, "http://a.com/x/", "https://a.com/x/y?z"));
  EXPECT_TRUE(keeps(path, "http://a.com/x/?q=/", "https://a.com/x"));
  EXPECT_FALSE(keeps(path, "http://a.com/x", "https://a.com/xy"));
  EXPECT_FALSE(keeps(path, "http://a.com/x", "https://a.com/y"));
  EXPECT_FALSE(keeps(path, "http://a.com/x", "https://b.a.com/x/"));
  EXPECT_TRUE(keeps(CrawlScope(), "http://a.com/x", "https://b.a.com/y"));
}

TEST_F(CrawlScopeTest, NamesOptionAndPatternOfAMistake) {
  const auto bad = CrawlScope::Make({.exclude = {"a.com", "re:("}}, *suffixes_);
  ASSERT_FALSE(bad.ok());
  EXPECT_THAT(std::string(MessageOf(bad.status())), HasSubstr("scope.exclude 're:(': missing )"));
}

}  // namespace
}  // namespace orbweaver
