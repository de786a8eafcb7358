// Which text of a page people read, and how it looks as Markdown.
#include "spider/parse/readable_text.h"

#include <gtest/gtest.h>

#include "common/base/utf8.h"

namespace orbweaver {
namespace {

constexpr char kLong[] =
    "A paragraph of a page has some words in it, and more of them than any item of a menu, so that "
    "it can be told from what stands around it on every page of a site.";

class ReadableTextTest : public ::testing::Test {
 protected:
  const ReadableText& Read(std::string_view html, size_t max_bytes = 1 << 20) {
    text_.Read(html, {.text = true, .markdown = true, .max_bytes = max_bytes},
               [this](std::string_view href) {
                 url_ = "http://a.test/" + std::string(href);
                 return std::string_view(url_);
               });
    return text_;
  }
  // Within <main>, where everything is the page.
  std::string_view Markdown(std::string_view html) {
    Read("<main><p>" + std::string(kLong) + "</p>" + std::string(html));
    const std::string_view all = text_.markdown();
    return all.substr(std::min(all.size(), sizeof kLong + 1));
  }

  ReadableText text_;
  std::string url_;
};

TEST_F(ReadableTextTest, NavigationAndFootersAreNoPartOfThePage) {
  Read("<title>t</title><nav><a href=/>home</a></nav><h1>Head</h1><div>" + std::string(kLong) +
       "</div><ul><li><a href=x>one</a><li><a href=y>two</a></ul><footer>(c) " +
       std::string(kLong) + "</footer><script>var x = '<p>no</p>';</script>");
  EXPECT_EQ(text_.text(), "Head\n\n" + std::string(kLong));
}

TEST_F(ReadableTextTest, WhatStandsInMainIsThePageHoweverShort) {
  Read("<h1>Head</h1><div>menu</div><main><p>" + std::string(kLong) +
       "<p>yes<aside>no</aside></main><p>" + kLong + kLong);
  EXPECT_EQ(text_.text(), "Head\n\n" + std::string(kLong) + "\n\nyes");
}

TEST_F(ReadableTextTest, APageOfShortBlocksIsKeptWhole) {
  EXPECT_EQ(Read("<p>one<p>two<br>three").text(), "one\n\ntwo\nthree");
  EXPECT_EQ(Read("<nav>only <a href=/>links</a></nav>").text(), "only links");
}

TEST_F(ReadableTextTest, AHeadingIsKeptWithWhatStandsBelowIt) {
  const std::string p = "<p>" + std::string(kLong);
  Read("<h2>menu</h2><a href=x>a link</a><h2>one</h2><h3>two</h3>" + p + "<h2>last</h2>");
  EXPECT_EQ(text_.text(), "one\n\ntwo\n\n" + std::string(kLong));
}

TEST_F(ReadableTextTest, ShortBlocksAmongLongOnesAreThePageAndNotThoseBehindAMenu) {
  const std::string p = "<p>" + std::string(kLong);
  const std::string q = "\n\n" + std::string(kLong);
  Read(p + "<dl><dt>-v<dd>Be loud.<dt>-q<dd>Be quiet.</dl><h2>Exit</h2><p>0 or 1." + p +
       "<p><a href=x>next</a><p>Read on<p>Share<p>" + kLong);
  EXPECT_EQ(text_.text(),
            kLong + std::string("\n\n-v\n\nBe loud.\n\n-q\n\nBe quiet.\n\nExit\n\n0 or 1.") + q +
                "\n\nShare" + q);
}

TEST_F(ReadableTextTest, WhatWasLeftOpenHidesNothingBehindTheNextHeading) {
  for (const char* const open : {"<svg><text>x", "<select><option>x", "<button>x", "<noscript>x"}) {
    EXPECT_EQ(Read(std::string(open) + "<h1>Head</h1><p>text").text(), "Head\n\ntext") << open;
  }
  EXPECT_EQ(Read("<nav>menu<main><p>" + std::string(kLong)).text(), kLong);
}

TEST_F(ReadableTextTest, WordsAreKeptApartAndReferencesDecoded) {
  EXPECT_EQ(Markdown("<p>a<b>b</b> c\n\td&amp;&auml;<span> e</span><p>\xc2\xa0"),
            "ab c d&ä e\n\n\xc2\xa0");
}

TEST_F(ReadableTextTest, MarkdownHasHeadingsListsQuotesAndCode) {
  EXPECT_EQ(Markdown("<h2>Head <code>x</code></h2><ul><li>one<li>two<ol><li>deep<p>more</ol>"
                     "<li><p>three</ul><blockquote><p>said<p>so</blockquote>"
                     "<pre>\n# a\n  b `c`\n</pre>"),
            "## Head `x`\n\n- one\n- two\n    1. deep\n\n        more\n\n- three\n\n"
            "> said\n\n> so\n\n```\n# a\n  b `c`\n```");
}

TEST_F(ReadableTextTest, MarkdownHasLinksWhereTheyLead) {
  EXPECT_EQ(Markdown("<p>see <a href=x>the <b>page</b></a>, <a href='#f'>below</a>, <a>none</a>, "
                     "<a href='a(b)'>odd</a>. <a href=z></a>"),
            "see [the page](http://a.test/x), below, none, [odd](<http://a.test/a(b)>).");
  EXPECT_EQ(Markdown("<p><a href=x><p>one<p>two</a> three"),
            "[one](http://a.test/x)\n\n[two](http://a.test/x) three");
  EXPECT_EQ(Markdown("<p><a href=x><code>f</code></a> <code>a<a href=y>b</code>c</a>"),
            "[`f`](http://a.test/x) `ab`c");
}

TEST_F(ReadableTextTest, MarkdownHasTablesUnlessTheyAreLayout) {
  EXPECT_EQ(Markdown("<table><tr><th>a<th>b|c<tr><td>1<td><p>2<p>3<tr><td><td>4</table>"),
            "| a | b\\|c |\n| --- | --- |\n| 1 | 2 3 |\n|  | 4 |");
  EXPECT_EQ(Markdown("<table><tr><td>menu<td><h2>Head</h2><p>text</table>"),
            "menu\n\n## Head\n\ntext");
}

TEST_F(ReadableTextTest, AHeadingsLinkToItselfIsNoPartOfIt) {
  for (const char* const mark : {"#", "\xc2\xb6", "&sect;"}) {
    EXPECT_EQ(Markdown("<h2>Head <a href='#h'>" + std::string(mark) + "</a></h2><p>a"),
              "## Head\n\na");
  }
}

TEST_F(ReadableTextTest, AnAnchorThatIsLeftOpenMakesNoLinkOfWhatFollows) {
  const std::string p = "<p>" + std::string(kLong) + "</p>";
  EXPECT_EQ(Read(p + "<h2><a id='s4.1'/>One</h2>" + p).text(),
            std::string(kLong) + "\n\nOne\n\n" + kLong);
}

TEST_F(ReadableTextTest, ATableWhoseFirstRowIsLeftOutIsATableStill) {
  const std::string text = std::string(kLong) + " " + kLong;
  Read("<table><tr><th><a href=x>a link</a><th>b<tr><td>" + text + "<td>1</table>");
  EXPECT_EQ(text_.markdown(), "| " + text + " | 1 |\n| --- | --- |");
}

TEST_F(ReadableTextTest, TextThatLooksLikeMarkdownIsEscaped) {
  EXPECT_EQ(Markdown("<p># no heading<p>1. no item<p>a*b _c_ snake_case [x] `y` &lt;b> 1 &lt; 2"),
            "\\# no heading\n\n1\\. no item\n\n"
            "a\\*b \\_c\\_ snake_case \\[x\\] \\`y\\` \\<b> 1 \\< 2");
  EXPECT_EQ(Markdown("<p><code>a`b*</code>"), "`` a`b* ``");
}

TEST_F(ReadableTextTest, BothTextsAreBoundedAndCutAtACharacter) {
  std::string html = "<main><ul><ul><ul>";
  for (int i = 0; i < 2000; ++i) html += "<li>ää<br>ö";
  for (const size_t max : {1000u, 1001u, 1002u}) {
    Read(html, max);
    EXPECT_TRUE(text_.truncated());
    for (const std::string_view text : {text_.text(), text_.markdown()}) {
      EXPECT_LE(text.size(), max);
      EXPECT_GE(text.size(), max - 2);
      EXPECT_TRUE(IsValidUtf8(text));
    }
  }
}

}  // namespace
}  // namespace orbweaver
