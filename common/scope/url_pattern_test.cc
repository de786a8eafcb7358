#include "common/scope/url_pattern.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/random.h"
#include "common/base/status.h"
#include "common/scope/pattern_set.h"
#include "tests/support/expect_ok.h"

namespace orbweaver {
namespace {

using ::testing::HasSubstr;

const PublicSuffixes& Suffixes() {
  static const auto* const suffixes = PublicSuffixes::Load({}).value().release();
  return *suffixes;
}

struct Row {
  const char* pattern;
  const char* meaning;
  std::vector<const char*> matches;
  std::vector<const char*> does_not;
};

// Every form stands here.
const Row kForms[] = {
    // Hosts.
    {"example.com",
     "host example.com and those below it",
     {"https://example.com/", "http://www.example.com/a", "https://a.b.example.com:8443/x?y",
      "https://example.com./"},
     {"https://example.com.evil.net/", "https://notexample.com/", "https://b.net/example.com",
      "https://b.net/?u=https://example.com/", "https://example.co/"}},
    {"Blog.Example.COM",
     "host blog.example.com and those below it",
     {"https://blog.example.com/"},
     {"https://example.com/"}},
    {"*.example.com",
     "hosts below example.com",
     {"https://www.example.com/", "https://a.b.example.com/"},
     {"https://example.com/", "https://notexample.com/", "https://b.net/x.example.com"}},
    {"bücher.de",
     "host xn--bcher-kva.de and those below it",
     {"https://xn--bcher-kva.de/"},
     {"https://b.de/"}},
    {"site.test", "host site.test and those below it", {"http://site.test/"}, {"http://test/"}},
    {"localhost",
     "host localhost and those below it",
     {"http://localhost:8000/a", "http://localhost/"},
     {"http://localhost.com/"}},
    {"127.0.0.1",
     "host 127.0.0.1",
     {"http://127.0.0.1/", "http://127.0.0.1:8000/"},
     {"http://127.0.0.10/", "http://127.0.0.1.net/", "http://127x0.0.1/"}},
    {"[::1]:8000", "host [::1] at port 8000", {"http://[::1]:8000/"}, {"http://[::1]/"}},
    {"//intranet",
     "host intranet and those below it",
     {"http://intranet/", "http://a.intranet:81/"},
     {"http://x/intranet"}},
    {"//*.org",
     "hosts below org",
     {"https://a.org/", "https://a.b.org/x"},
     {"https://a.com/x.org"}},
    // Ports.
    {"example.com:8080",
     "host example.com and those below it at port 8080",
     {"http://example.com:8080/a", "http://www.example.com:8080/"},
     {"http://example.com/", "http://example.com:80801/", "http://example.com:808/"}},
    {"example.com:80",
     "host example.com and those below it at port 80",
     {"http://example.com/", "https://example.com:80/"},
     {"https://example.com/", "http://example.com:8080/"}},
    {"example.com:443",
     "host example.com and those below it at port 443",
     {"https://example.com/", "http://example.com:443/"},
     {"http://example.com/"}},
    {"intranet:8080",
     "host intranet and those below it at port 8080",
     {"http://intranet:8080/"},
     {}},
    {"localhost:8000",
     "host localhost and those below it at port 8000",
     {"http://localhost:8000/"},
     {"http://localhost:8001/"}},
    {":8080",
     "any host at port 8080",
     {"http://a.com:8080/", "http://[::1]:8080/"},
     {"http://a.com/", "http://a.com/:8080/"}},
    // Hosts with a path.
    {"example.com/blog/*",
     "host example.com and those below it, paths /blog/*",
     {"https://example.com/blog/", "http://www.example.com/blog/a?b"},
     {"https://example.com/", "https://example.com/a/blog/", "https://b.net/blog/"}},
    {"*.example.com/a",
     "hosts below example.com, paths /a",
     {"https://x.example.com/a", "https://x.example.com/a?b"},
     {"https://x.example.com/ab"}},
    {"localhost:8000/docs/",
     "host localhost and those below it at port 8000, paths /docs/",
     {"http://localhost:8000/docs/", "http://localhost:8000/docs/a"},
     {"http://localhost:8000/docs"}},
    // Paths.
    {"/blog/*",
     "paths /blog/*",
     {"https://a.com/blog/", "http://b.net:81/blog/x/y?z"},
     {"https://a.com/blog", "https://a.com/x/blog/"}},
    {"/blog/",
     "paths /blog/*",
     {"https://a.com/blog/", "https://a.com/blog/x"},
     {"https://a.com/b"}},
    {"/search",
     "paths /search",
     {"https://a.com/search", "https://a.com/search?q=1"},
     {"https://a.com/search/a", "https://a.com/searching"}},
    {"/list?page=*",
     "paths /list?page=*",
     {"https://a.com/list?page=2"},
     {"https://a.com/list", "https://a.com/listxpage=2"}},
    {"/*.zip", "paths /*.zip", {"https://a.com/x/y.zip"}, {"https://a.zip/", "https://a.com/zip"}},
    {"/größe/*", "paths /größe/*", {"https://a.com/gr%C3%B6%C3%9Fe/x"}, {"https://a.com/gr/x"}},
    {"/a%2fb", "paths /a%2fb", {"https://a.com/a%2Fb"}, {"https://a.com/a/b"}},
    // Whole URLs.
    {"*.png",
     "URLs *.png",
     {"https://a.com/x.png", "https://a.com/x.png?v=3"},
     {"https://a.com/x.png/", "https://a.com/xpng", "https://png/"}},
    {"*.tar.gz", "URLs *.tar.gz", {"https://a.com/x.tar.gz"}, {"https://a.com/xtar.gz"}},
    {"*/blog/*", "URLs */blog/*", {"https://a.com/x/blog/y"}, {"https://a.com/xblog/y"}},
    {"*calendar*",
     "URLs *calendar*",
     {"https://calendar.com/", "https://a.com/?calendar"},
     {"https://a.com/"}},
    {"*?sort=*", "URLs *?sort=*", {"https://a.com/x?sort=1"}, {"https://a.com/xsort=1"}},
    {"*", "all URLs", {"https://a.com/"}, {}},
    {"https://example.com/*",
     "URLs https://example.com/*",
     {"https://example.com/", "https://example.com/a?b"},
     {"http://example.com/", "https://www.example.com/", "https://example.com:8443/"}},
    {"https://example.com",
     "URLs https://example.com",
     {"https://example.com/a"},
     {"https://example.com.evil.net/"}},
    {"HTTPS://Example.com:443/a/*",
     "URLs HTTPS://Example.com:443/a/*",
     {"https://example.com/a/b"},
     {"https://example.com/A/b"}},
    {"*://example.com/a/",
     "URLs *://example.com/a/*",
     {"https://example.com/a/", "http://example.com/a/b"},
     {"https://example.com/b", "https://x.example.com/a/"}},
    {"http*://*.example.com:*/*",
     "URLs http*://*.example.com:*/*",
     {"https://x.example.com:81/"},
     {"https://example.com/"}},
    {"*://*/private/*",
     "URLs *://*/private/*",
     {"https://a.com/private/x", "http://b:81/private/"},
     {"https://a.com/x/private/"}},
    // Expressions.
    {"re:^https?://[^/]+/[0-9]{4}/",
     "URLs in which the expression ^https?://[^/]+/[0-9]{4}/ is found",
     {"https://a.com/2024/x"},
     {"https://a.com/x/2024/"}},
    {"re:(?i)LOGIN|logout",
     "URLs in which the expression (?i)LOGIN|logout is found",
     {"https://a.com/Login", "https://a.com/LOGOUT"},
     {"https://a.com/"}},
};

TEST(UrlPatternTest, EachFormMeansWhatItSaysAndNothingElse) {
  for (const Row& row : kForms) {
    SCOPED_TRACE(row.pattern);
    const auto parsed = ParseUrlPattern(row.pattern, Suffixes());
    ASSERT_OK(parsed);
    EXPECT_EQ(parsed->meaning, row.meaning);
    const auto set = PatternSet::Make({row.pattern}, Suffixes());
    ASSERT_OK(set);
    for (const char* const url : row.matches) EXPECT_TRUE(set->Matches(url)) << url;
    for (const char* const url : row.does_not) EXPECT_FALSE(set->Matches(url)) << url;
  }
}

TEST(UrlPatternTest, WhatIsNoPatternOrCouldBeTwoIsRefusedWithWhatToWrite) {
  const std::pair<std::string, const char*> kRefused[] = {
      {"", "the pattern is empty"},
      {"re:", "the expression is empty"},
      {"re:(", "missing ): ("},
      {"re:a)|(b", "unexpected )"},
      {R"(re:(a)\1)", "invalid escape sequence"},
      {"*.zip", "could be files or hosts. Write /*.zip for files, //*.zip for hosts"},
      {"*.org", "could be files or hosts"},
      {"*.local", "could be files or hosts"},
      {"index.html",
       "neither surely a host nor a path. Write //index.html for a host, "
       "/index.html for a path, *index.html* for URLs in which it stands"},
      {"intranet", "//intranet"},
      {"1.5", "neither surely a host"},
      {"blog/*", "neither surely a host"},
      {"calendar*", "*calendar**"},
      {"?page=", "neither"},
      {"example.com:99999", "neither"},
      {"user@example.com", "neither"},
      {"//a b", "'a b' is no host"},
      {"//", "is no host"},
      {"ftp://example.com/", "only http:// and https:// URLs are crawled"},
      {"https://www.*.com/", "'www.*.com' is no host"},
      {"https:///a", "'' is no host"},
      {"a\nb", "a control character is in it"},
      {std::string("a\0b", 3), "a control character is in it"},
      {"/" + std::string(1024, 'x'), "1025 bytes: expected at most 1024"},
  };
  for (const auto& [pattern, why] : kRefused) {
    const auto parsed = ParseUrlPattern(pattern, Suffixes());
    ASSERT_FALSE(parsed.ok()) << pattern;
    EXPECT_TRUE(IsFatal(parsed.status()));
    EXPECT_THAT(std::string(MessageOf(parsed.status())), HasSubstr(why)) << pattern;
  }
}

TEST(UrlPatternTest, AnyBytesAreAPatternOrRefused) {
  Random random(1);
  constexpr std::string_view kPieces[] = {"*",    ".", "/", "://", "http", "re:", "[",  "]",
                                          ":80",  "(", "|", "\\E", "\\Q",  "com", "?",  "%",
                                          "\xff", "a", "-", "::1", "{2}",  " ",   "//", "@"};
  for (int i = 0; i < 20'000; ++i) {
    std::string text;
    for (uint64_t n = random.Below(8); n > 0; --n) {
      text += kPieces[random.Below(std::size(kPieces))];
    }
    const auto parsed = ParseUrlPattern(text, Suffixes());
    if (!parsed.ok()) continue;
    // Whatever is taken compiles, alone and beside others.
    EXPECT_OK(PatternSet::Make({text, "a.com", text}, Suffixes())) << text;
  }
}

TEST(PatternSetTest, MatchesWhatOneOfItsPatternsMatches) {
  const auto set = PatternSet::Make({"a.com", "*.png", "re:x|y"}, Suffixes());
  ASSERT_OK(set);
  EXPECT_TRUE(set->Matches("https://a.com/"));
  EXPECT_TRUE(set->Matches("https://b.com/a.png"));
  EXPECT_TRUE(set->Matches("https://b.com/y"));
  EXPECT_FALSE(set->Matches("https://b.com/"));
  EXPECT_TRUE(PatternSet::Make({}, Suffixes())->empty());
}

TEST(PatternSetTest, NamesThePatternThatIsNone) {
  const auto bad = PatternSet::Make({"a.com", "re:["}, Suffixes());
  ASSERT_FALSE(bad.ok());
  EXPECT_THAT(std::string(MessageOf(bad.status())), HasSubstr("'re:[': missing ]"));
}

TEST(PatternSetTest, IsBounded) {
  std::vector<std::string> hosts;
  for (size_t i = 0; i < kMaxPatterns; ++i) hosts.push_back("host" + std::to_string(i) + ".com");
  const auto full = PatternSet::Make(hosts, Suffixes());
  ASSERT_OK(full);
  EXPECT_TRUE(full->Matches("https://www.host999.com/"));
  EXPECT_FALSE(full->Matches("https://www.host1000.com/"));
  hosts.emplace_back("one.more.com");
  EXPECT_FALSE(PatternSet::Make(hosts, Suffixes()).ok());
  // A thousand times a thousand states.
  EXPECT_FALSE(PatternSet::Make({"re:((a{100}){100}){100}"}, Suffixes()).ok());
}

}  // namespace
}  // namespace orbweaver
