#include "common/url/simple_url.h"

#include <string>

#include <gtest/gtest.h>

#include "common/url/whatwg_parser.h"
#include "tests/support/random_links.h"

namespace orbweaver {
namespace {

// All parts in one text, the path in one piece.
std::string Text(const UrlParts& parts) {
  std::string text;
  for (const std::string_view part : {parts.scheme, parts.host, parts.port}) {
    text.append(part).push_back(' ');
  }
  return text.append(parts.directory).append(parts.path).append(" ").append(parts.query);
}

// Whether `link` was simple; it then has to be what the parser makes of it.
bool CheckAgainstParser(std::string_view link, WhatwgParser& parser) {
  UrlParts simple;
  if (!SplitSimpleUrl(link, parser.base(), &simple)) return false;
  UrlParts parsed;
  EXPECT_EQ(parser.Parse(link, &parsed), UrlError::kNone) << link;
  EXPECT_EQ(Text(simple), Text(parsed)) << link;
  return true;
}

TEST(SimpleUrlTest, TakesTheLinksOfRealPages) {
  WhatwgParser parser;
  ASSERT_EQ(parser.SetBase("https://me@www.example.com:8080/news/2024/index.html?x=1"),
            UrlError::kNone);
  for (const std::string_view link :
       {"https://www.example.com", "http://example.com/a/B.html?q=1&r=%C3%BC#frag", "/",
        "/a/b.html", "/a?b=/c/./d", "story-12.html", "2024/01/", "a/b:c", "/x?y", "https://a.com?q",
        "https://a.com#f", "/caf%C3%A9", "/a.b/c..d"}) {
    EXPECT_TRUE(CheckAgainstParser(link, parser)) << link;
  }
}

TEST(SimpleUrlTest, LeavesToTheParserWhatTheStandardChanges) {
  WhatwgParser parser;
  ASSERT_EQ(parser.SetBase("https://example.com/dir/"), UrlError::kNone);
  UrlParts parts;
  for (const std::string_view link : {"",
                                      "?q",
                                      "#f",
                                      "//other.com/",
                                      "/\\other.com",
                                      "/\t/other.com/",
                                      "/a/../b",
                                      "/a/%2e%2E/b",
                                      "/a/./b",
                                      "../x",
                                      "mailto:me",
                                      "http:x",
                                      "HTTP://a.com/",
                                      "http://A.com/",
                                      "http://a.com:80/",
                                      "http://u@a.com/",
                                      "http://1.2.3/",
                                      "http://a.0x1/",
                                      "http://xn--a.com/",
                                      "http://a.xn--b/",
                                      "http://a.com./",
                                      "http://a.com/ b",
                                      "http://a.com/?'",
                                      "http://a.com/\"",
                                      "http:///a.com",
                                      "http://a.com/\xC3\xBC",
                                      "a\nb"}) {
    EXPECT_FALSE(SplitSimpleUrl(link, parser.base(), &parts)) << link;
  }
  EXPECT_FALSE(SplitSimpleUrl("/a", nullptr, &parts));
  EXPECT_FALSE(SplitSimpleUrl("a", nullptr, &parts));
}

TEST(SimpleUrlTest, IsNeverAnotherUrlThanTheParsers) {
  Random random(2);
  WhatwgParser parser;
  int simple = 0;
  for (int i = 0; i < 200'000; ++i) {
    if (i % 10 == 0 && parser.SetBase(RandomLink(random)) != UrlError::kNone) parser.ClearBase();
    simple += CheckAgainstParser(RandomLink(random), parser) ? 1 : 0;
    if (HasFailure()) return;
  }
  EXPECT_GT(simple, 30'000);
}

}  // namespace
}  // namespace orbweaver
