#include "spider/publish/mirror_path.h"

#include <string>

#include "gtest/gtest.h"

#include "common/base/utf8.h"

namespace orbweaver {
namespace {

constexpr std::string_view kHtml = "text/html; charset=utf-8";

std::string PathOf(std::string_view url, std::string_view type = kHtml) {
  return MirrorPathOf(url, type).path;
}

TEST(MirrorPathTest, PlainUrlsStandWhereWgetPutsThem) {
  const struct {
    std::string_view url;
    std::string_view type;
    std::string_view path;
  } kCases[] = {
      {"https://example.org/", kHtml, "example.org/index.html"},
      {"https://example.org/a/", kHtml, "example.org/a/index.html"},
      {"https://example.org/a/b.html", kHtml, "example.org/a/b.html"},
      {"https://example.org/a/b.HTM", kHtml, "example.org/a/b.HTM"},
      {"https://example.org/a", kHtml, "example.org/a.html"},
      {"https://example.org/a.php", "", "example.org/a.php.html"},
      {"https://example.org/page?x=1", kHtml, "example.org/page?x=1.html"},
      {"https://example.org/page.html?x=1", kHtml, "example.org/page.html?x=1.html"},
      {"https://example.org/?x=1", kHtml, "example.org/index.html?x=1.html"},
      {"https://example.org/a.css?v=2", "text/css", "example.org/a.css?v=2.css"},
      {"https://example.org/a.xhtml", "application/xhtml+xml", "example.org/a.xhtml"},
      {"https://example.org/logo.png", "image/png", "example.org/logo.png"},
      {"https://example.org/LICENSE", "text/plain", "example.org/LICENSE"},
      {"https://example.org/3.11/", kHtml, "example.org/3.11/index.html"},
      {"http://example.org:8080/a", "x/y", "example.org+8080/a"},
      {"http://[::1]:8080/a", "x/y", "[::1]+8080/a"},
      {"http://[::1]/a", "x/y", "[::1]/a"},
      {"https://example.org/~joe/a%20b.css", "text/css", "example.org/~joe/a b.css"},
      {"https://example.org/caf%C3%A9", kHtml, "example.org/caf\u00e9.html"},
      {"https://example.org/a?b=c/d", "x/y", "example.org/a?b=c%2Fd"},
      {"https://example.org//a//b", "x/y", "example.org/a/b"},
  };
  for (const auto& [url, type, path] : kCases) EXPECT_EQ(PathOf(url, type), path) << url;
}

TEST(MirrorPathTest, NoNameLeadsOutOfTheFolderOrHasControlCharacters) {
  EXPECT_EQ(PathOf("http://a/x%2F..%2Fy", "x/y"), "a/x%2F..%2Fy");
  EXPECT_EQ(PathOf("http://a/%00%0A%1B%7F%C2%85", "x/y"), "a/%00%0A%1B%7F%C2%85");
  EXPECT_EQ(PathOf("http://a/%FF%E9t%C3", "x/y"), "a/%FF%E9t%C3");
  // No canonical URL has these.
  EXPECT_EQ(PathOf("http://a/../b/./..", "x/y"), "a/%2E%2E/b/%2E/%2E%2E");
}

TEST(MirrorPathTest, LongNamesAreCutAndHaveAHash) {
  const std::string url = "http://a/" + std::string(400, 'x');
  const std::string path = PathOf(url + "/b.png", "image/png");
  EXPECT_EQ(path.find("/b.png"), 2U + 255);
  EXPECT_EQ(path.size(), 2U + 255 + 6);
  // The same folder for all that is below it, and another one than of a longer name.
  EXPECT_EQ(PathOf(url + "/c", "x/y").substr(0, 257), path.substr(0, 257));
  EXPECT_NE(PathOf(url + "x/b.png", "x/y").substr(0, 257), path.substr(0, 257));
  const std::string file = PathOf(
      "http://a/" + std::string(100, 'x') + "%C3%A9" + std::string(300, 'x') + ".png", "image/png");
  EXPECT_EQ(file.size(), 2U + 255);
  EXPECT_TRUE(file.ends_with(".png"));
  // A character is not cut in two.
  std::string accents;
  for (int i = 0; i < 200; ++i) accents += "%C3%A9";
  EXPECT_TRUE(IsValidUtf8(PathOf("http://a/x" + accents, "x/y")));
}

TEST(MirrorPathTest, ANameThatLooksHashedIsHashed) {
  const std::string unique = UniqueMirrorPath("a/b.html", "http://a/b");
  EXPECT_EQ(unique, "a/b~" + MirrorHash("http://a/b") + ".html");
  // Somebody's page of that name stands elsewhere.
  EXPECT_NE(PathOf("http://" + unique), unique);
  EXPECT_NE(PathOf("http://" + unique + "/x"), unique + "/x.html");
  EXPECT_NE(PathOf("http://" + unique + "/x").substr(0, unique.size() + 1), unique + "/");
}

TEST(MirrorPathTest, WhatIsSpelledIsToldFromWhatIsAdded) {
  EXPECT_TRUE(MirrorPathOf("http://a/index.html", kHtml).spelled);
  EXPECT_FALSE(MirrorPathOf("http://a/", kHtml).spelled);
  EXPECT_FALSE(MirrorPathOf("http://a/b", kHtml).spelled);
  EXPECT_TRUE(MirrorPathOf("http://a/b", "text/plain").spelled);
}

}  // namespace
}  // namespace orbweaver
