#include "spider/mirror/link_converter.h"

#include <map>
#include <random>
#include <string>

#include "gtest/gtest.h"

namespace orbweaver {
namespace {

constexpr int kRounds = 3'000;

class LinkConverterTest : public ::testing::Test {
 protected:
  std::optional<std::string> Convert(std::string_view body, std::string type = "text/html") {
    const MirrorPage page{
        .url = "http://h/d/p", .content_type = std::move(type), .path = "h/d/p.html"};
    return converter_.Convert(page, body, [this](std::string_view url) -> std::string_view {
      const auto file = files_.find(url);
      return file == files_.end() ? std::string_view() : std::string_view(file->second);
    });
  }

  std::map<std::string, std::string, std::less<>> files_ = {
      {"http://h/", "h/index.html"},
      {"http://h/d/p", "h/d/p.html"},
      {"http://h/d/q?x=1&y=2", "h/d/q?x=1&y=2.html"},
      {"http://h/i.png", "h/i.png"},
      {"http://h/s.css", "h/s.css"},
      {"http://h/%C3%A9?%E9", "h/\u00e9?%E9.html"},
      {"http://other:81/", "other+81/index.html"}};
  LinkConverter converter_{UrlOptions{}};
};

TEST_F(LinkConverterTest, LinksIntoTheMirrorBecomeRelativeAndOthersAbsolute) {
  EXPECT_EQ(Convert("<a href=\"/\">x</a> <A HREF = '../i.png' >y</A>"),
            "<a href=\"../index.html\">x</a> <A HREF = '../i.png' >y</A>");
  EXPECT_EQ(Convert("<a href='q?x=1&amp;y=2#part'><a href=q?x=1&y=2>"),
            "<a href='q%3Fx%3D1%26y%3D2.html#part'><a href=q%3Fx%3D1%26y%3D2.html>");
  EXPECT_EQ(Convert("<a href='//other:81/'><a href='/gone?a&amp;b#c d'><a href=HTTP://x/?a&b>"),
            "<a href='../../other%2B81/index.html'><a href='http://h/gone?a&amp;b#c%20d'>"
            "<a href=HTTP://x/?a&b>");
}

TEST_F(LinkConverterTest, WhatIsNoLinkElsewhereStays) {
  const std::string_view body =
      "<a href='#here'><a href=''><a href='mailto:a@b'><a href='javascript:f(\"/\")'>"
      "<img src='data:image/png;base64,AA=='><a href='http://[bad'><!-- <a href='/'> -->"
      "<script>var a = \"<a href='/'>\";</script><p title='/'>\xff\r\n\t</p";
  EXPECT_EQ(Convert(body), body);
}

TEST_F(LinkConverterTest, AllKindsOfLinksAreConverted) {
  EXPECT_EQ(Convert("<img srcset='/i.png 1x,/i.png 2x, /j.png,'>"),
            "<img srcset='../i.png 1x,../i.png 2x, http://h/j.png,'>");
  EXPECT_EQ(Convert("<meta http-equiv=refresh content='3; url=/'><meta content='0;URL=\"/x\"' "
                    "http-equiv=REFRESH>"),
            "<meta http-equiv=refresh content='3; url=../index.html'><meta "
            "content='0;URL=\"http://h/x\"' http-equiv=REFRESH>");
  EXPECT_EQ(Convert("<p style=\"a:url(&quot;/i.png&quot;);b:url( /x&amp;\\28 )\">"),
            "<p style=\"a:url(&quot;../i.png&quot;);b:url( http://h/x&amp;\\()\">");
  EXPECT_EQ(Convert("<style>@import '/s.css'; a{b:url(/i.png)}</style>"),
            "<style>@import '../s.css'; a{b:url(../i.png)}</style>");
  EXPECT_EQ(Convert("<video poster=/i.png><object data=/i.png><form action=/x>"),
            "<video poster=../i.png><object data=../i.png><form action=http://h/x>");
}

TEST_F(LinkConverterTest, AStyleSheetIsConverted) {
  EXPECT_EQ(Convert("@import \"/s.css\"; /* url(/) */ a { b: url(/i.png), url(x.png?a&b#c) }",
                    "text/css"),
            "@import \"../s.css\"; /* url(/) */ a { b: url(../i.png), "
            "url(http://h/d/x.png?a&b#c) }");
}

TEST_F(LinkConverterTest, ABaseCountsAndIsTakenAway) {
  EXPECT_EQ(Convert("<base href=\"http://h/\" target=_top><a href=i.png><a href='#x'><a href=''>"),
            "<base href=\"\" target=_top><a href=../i.png><a href='../index.html#x'>"
            "<a href='../index.html'>");
  EXPECT_EQ(Convert("<a href=i.png><base href=/ target=x><base href=/z/>"),
            "<a href=../i.png><base href=\"\" target=x><base href=\"\">");
  EXPECT_EQ(Convert("<base href='mailto:x'><a href=/>"),
            "<base href='mailto:x'><a href=../index.html>");
}

TEST_F(LinkConverterTest, AHashOfAConvertedFileIsTakenAway) {
  EXPECT_EQ(Convert("<link integrity=sha256-a href=/s.css><script src=/x.js integrity='b'></script>"
                    "<script src=/i.png integrity='c'>"),
            "<link integrity=\"\" href=../s.css><script src=http://h/x.js integrity='b'></script>"
            "<script src=../i.png integrity=''>");
}

TEST_F(LinkConverterTest, LinksAreReadInTheCharsetOfTheDocument) {
  EXPECT_EQ(Convert("<a href='/\xe9?\xe9'>\xe9</a>", "text/html; charset=windows-1252"),
            "<a href='../%C3%A9%3F%25E9.html'>\xe9</a>");
  EXPECT_EQ(Convert("<a href='/&eacute;?&#233;'>\xe9</a>", "text/html; charset=windows-1252"),
            "<a href='../%C3%A9%3F%25E9.html'>\xe9</a>");
  EXPECT_EQ(Convert("<p title='\x83\x5c'><a href='/'>", "text/html; charset=shift_jis"),
            "<p title='\x83\x5c'><a href='../index.html'>");
}

TEST_F(LinkConverterTest, CharsetsWhoseMarkupIsNotAsciiAreLeftAlone) {
  EXPECT_EQ(Convert("<a href='/'>", "text/html; charset=utf-16"), std::nullopt);
  EXPECT_EQ(Convert("<a href='/'>", "text/html; charset=iso-2022-jp"), std::nullopt);
  EXPECT_EQ(Convert(std::string_view("\xff\xfe<\0a\0", 6)), std::nullopt);
}

TEST_F(LinkConverterTest, LinksThatNoCrawlFollowsBecomeAbsoluteToo) {
  const std::string repeated = "/a/a/a/a/a";
  EXPECT_EQ(Convert("<a href='" + repeated + "'>"), "<a href='http://h" + repeated + "'>");
  const std::string longer = "/" + std::string(5000, 'x');
  EXPECT_EQ(Convert("<a href='" + longer + "'>"), "<a href='http://h" + longer + "'>");
}

TEST_F(LinkConverterTest, ADocumentMayEndAnywhere) {
  const std::string whole =
      "<base href='/'><link integrity=a href=/s.css><p style=\"a:url(/i.png\"><style>@import "
      "'/s.css"
      "</style><meta http-equiv=refresh content='0;url=/'><img srcset='/i.png 1x'><a href=&amp;'>";
  for (size_t size = 0; size <= whole.size(); ++size) {
    EXPECT_TRUE(Convert(std::string_view(whole).substr(0, size)));
    EXPECT_TRUE(Convert(std::string_view(whole).substr(0, size), "text/css"));
  }
}

// With nothing in the mirror all links become absolute, and those stay: so whatever the bytes are,
// a document that was converted has no link any more that the converter finds elsewhere.
TEST_F(LinkConverterTest, ADocumentOfAnyPiecesIsConvertedOnce) {
  const std::string_view pieces[] = {
      "<",        ">",          "\"",          "'",         "=",
      "/",        "a",          " ",           "\n",        "&amp;",
      "&",        "#x",         "<a ",         "href=",     "src=",
      "url(",     ")",          "\\",          "<style>",   "</style>",
      "style=",   "<svg>",      "</svg>",      "<base ",    "<!--",
      "-->",      "@import ",   ",",           "srcset=",   "<meta http-equiv=refresh content=",
      "0;url=",   "<script>",   "</script>",   "\xff",      "\xc3\xa9",
      "&eacute;", "?b&c",       "<![CDATA[",   "]]>",       "{",
      "}",        ";",          "//h/",        "http://i/", "image-set(",
      "1x",       "<textarea>", "</textarea>", "(",         "/*",
      "*/",       "\\28 "};
  files_.clear();
  std::mt19937 random(5);
  for (int round = 0; round < kRounds; ++round) {
    std::string document;
    for (size_t i = random() % 40; i > 0; --i) document += pieces[random() % std::size(pieces)];
    for (const std::string type :
         {"text/html; charset=utf-8", "text/html; charset=windows-1252",
          "application/xhtml+xml; charset=utf-8", "text/css; charset=utf-8"}) {
      const auto once = Convert(document, type);
      ASSERT_TRUE(once);
      ASSERT_EQ(Convert(*once, type), once) << document;
    }
  }
}

}  // namespace
}  // namespace orbweaver
