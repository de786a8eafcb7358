#include "spider/mirror/mirror_layout.h"

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "gtest/gtest.h"

#include "common/base/utf8.h"
#include "common/url/canonical.h"
#include "spider/publish/mirror_path.h"

namespace orbweaver {
namespace {

constexpr std::string_view kHtml = "text/html";

std::map<std::string, std::string> Arranged(std::vector<MirrorPage> pages,
                                            bool all_are_one = false) {
  ArrangeMirror(&pages, [&](const MirrorPage& owner, const MirrorPage& other) {
    EXPECT_NE(owner.url, other.url);
    return all_are_one;
  });
  std::map<std::string, std::string> paths;
  for (const MirrorPage& page : pages) paths[page.url] = page.path;
  return paths;
}

MirrorPage Html(std::string url) { return {.url = std::move(url), .content_type = "text/html"}; }
MirrorPage Plain(std::string url) { return {.url = std::move(url), .content_type = "text/plain"}; }

std::string Hashed(std::string_view stem, std::string_view url, std::string_view extension) {
  return std::string(stem) + "~" + MirrorHash(url) + std::string(extension);
}

TEST(MirrorLayoutTest, WhoSpellsAPathGetsIt) {
  auto paths = Arranged({Html("http://h/"), Html("http://h/index.html"), Html("http://h/a"),
                         Html("http://h/a.html")});
  EXPECT_EQ(paths["http://h/index.html"], "h/index.html");
  EXPECT_EQ(paths["http://h/"], Hashed("h/index", "http://h/", ".html"));
  EXPECT_EQ(paths["http://h/a.html"], "h/a.html");
  EXPECT_EQ(paths["http://h/a"], Hashed("h/a", "http://h/a", ".html"));
}

TEST(MirrorLayoutTest, PagesOfOneContentThatWantOnePathShareIt) {
  auto paths = Arranged({Html("http://h/"), Html("http://h/index.html"), Html("http://h/other")},
                        /*all_are_one=*/true);
  EXPECT_EQ(paths["http://h/index.html"], "h/index.html");
  EXPECT_EQ(paths["http://h/"], "h/index.html");
  EXPECT_EQ(paths["http://h/other"], "h/other.html");
  // Nobody shares the path of a folder.
  paths = Arranged({Plain("http://h/a"), Plain("https://h/a"), Html("http://h/a/b")}, true);
  EXPECT_EQ(paths["http://h/a"], Hashed("h/a", "http://h/a", ""));
  EXPECT_EQ(paths["https://h/a"], Hashed("h/a", "https://h/a", ""));
}

TEST(MirrorLayoutTest, AFolderGoesBeforeAFile) {
  auto paths = Arranged(
      {Plain("http://h/a"), Html("http://h/a/b"), Html("http://h/c"), Html("http://h/c/d")});
  EXPECT_EQ(paths["http://h/a"], Hashed("h/a", "http://h/a", ""));
  EXPECT_EQ(paths["http://h/a/b"], "h/a/b.html");
  // As HTML it is no folder's name.
  EXPECT_EQ(paths["http://h/c"], "h/c.html");
}

TEST(MirrorLayoutTest, HttpsGoesBeforeHttp) {
  auto paths = Arranged({Html("http://h/"), Html("https://h/")});
  EXPECT_EQ(paths["https://h/"], "h/index.html");
  EXPECT_EQ(paths["http://h/"], Hashed("h/index", "http://h/", ".html"));
}

// URLs of few pieces, so that many mean the same path, and some what another one needs as a folder.
std::string RandomUrl(std::mt19937& random) {
  static const std::string kPieces[] = {"a",
                                        "A",
                                        "b",
                                        ".",
                                        "..",
                                        "/",
                                        "/",
                                        "/",
                                        "?",
                                        "%2F",
                                        "%3F",
                                        "?x=1",
                                        "index.html",
                                        ".html",
                                        ".css",
                                        "%C3%A9",
                                        "%E9",
                                        "%00",
                                        "~",
                                        "%25",
                                        "%2541",
                                        "+",
                                        "%2B",
                                        " ",
                                        "%20",
                                        "&",
                                        "=",
                                        ":",
                                        "index~0123456789abcdef0123456789abcdef.html",
                                        std::string(120, 'y'),
                                        "%0A",
                                        "\\",
                                        "*"};
  static const std::string kOrigins[] = {"http://h", "https://h", "http://h:81", "http://[::1]:81"};
  std::string url = kOrigins[random() % 4] + "/";
  for (size_t i = random() % 6; i > 0; --i) url += kPieces[random() % std::size(kPieces)];
  return url;
}

TEST(MirrorLayoutTest, NoTwoUrlsShareAFileAndNoFileIsAFolderWhateverTheyAre) {
  std::mt19937 random(17);
  UrlCanonicalizer canonical{UrlOptions{}};
  const std::string_view types[] = {kHtml, "text/css", "text/plain", ""};
  for (int round = 0; round < 60; ++round) {
    std::map<std::string, std::string_view> urls;
    for (int i = 0; i < 400; ++i) {
      if (canonical.Canonicalize(RandomUrl(random)) != UrlError::kNone) continue;
      urls.emplace(canonical.url(), types[random() % std::size(types)]);
    }
    std::vector<MirrorPage> pages;
    for (const auto& [url, type] : urls) pages.push_back({url, std::string(type), ""});
    const auto paths = Arranged(pages);
    std::set<std::string> files;
    std::set<std::string> folders;
    for (const auto& [url, path] : paths) {
      EXPECT_TRUE(files.insert(path).second) << url << " shares " << path;
      EXPECT_TRUE(IsValidUtf8(path)) << path;
      for (size_t begin = 0; begin <= path.size();) {
        const size_t end = std::min(path.find('/', begin), path.size());
        const std::string name = path.substr(begin, end - begin);
        EXPECT_TRUE(!name.empty() && name.size() <= 255 && name != "." && name != "..") << path;
        EXPECT_TRUE(std::ranges::none_of(name, [](char c) { return c >= 0 && c < ' '; })) << path;
        if (end < path.size()) folders.insert(path.substr(0, end));
        begin = end + 1;
      }
    }
    for (const std::string& file : files) EXPECT_FALSE(folders.contains(file)) << file;
    // In whatever order they came.
    std::ranges::shuffle(pages, random);
    EXPECT_EQ(Arranged(pages), paths);
  }
}

TEST(RelativeLinkTest, LeadsFromFileToFile) {
  EXPECT_EQ(RelativeLink("h/a.html", "h/b.html"), "b.html");
  EXPECT_EQ(RelativeLink("h/a/b.html", "h/b.html"), "../b.html");
  EXPECT_EQ(RelativeLink("h/ab/c", "h/ac/d"), "../ac/d");
  EXPECT_EQ(RelativeLink("h/a", "i+81/b/c"), "../i%2B81/b/c");
  EXPECT_EQ(RelativeLink("h/a", "h/a"), "a");
  EXPECT_EQ(RelativeLink("h/a", "h/x:y?z=#%'\u00e9 &.html"),
            "x%3Ay%3Fz%3D%23%25%27%C3%A9%20%26.html");
}

}  // namespace
}  // namespace orbweaver
