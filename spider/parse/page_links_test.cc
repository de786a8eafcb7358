// The links of a page, and those of the files that it embeds.
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "common/base/utf8.h"
#include "common/model/limits.h"
#include "tests/support/page_parser_fixture.h"

namespace orbweaver {
namespace {

class PageLinksTest : public PageParserTest {};

INSTANTIATE_TEST_SUITE_P(Engines, PageLinksTest,
                         testing::Values(HtmlEngineKind::kScanner, HtmlEngineKind::kGumbo),
                         [](const auto& info) {
                           return info.param == HtmlEngineKind::kGumbo ? "Gumbo" : "Scanner";
                         });

TEST_P(PageLinksTest, LinksComeFromEveryElementThatLeadsSomewhere) {
  Parse(
      "<link rel=canonical href=c><link rel=next href=n><link rel=stylesheet href=no.css>"
      "<link rel=alternate type=application/rss+xml href=feed>"
      "<link rel=alternate hreflang=de href=de>"
      "<link rel=alternate type=application/json href=no>"
      "<meta http-equiv=Refresh content='3;url=r'><a href=a>x</a>"
      "<map><area href=area alt=Area></map><iframe src=i></iframe><img src=no.png>");
  EXPECT_EQ((UrlList{"http://www.example.com/dir/c", "http://www.example.com/dir/n",
                     "http://www.example.com/dir/feed", "http://www.example.com/dir/de",
                     "http://www.example.com/dir/r", "http://www.example.com/dir/a",
                     "http://www.example.com/dir/area", "http://www.example.com/dir/i"}),
            Urls());
  const std::vector<Link> links = Links();
  EXPECT_EQ(LinkKind::kCanonical, links[0].kind);
  EXPECT_EQ(LinkKind::kAnchor, links[1].kind);
  EXPECT_EQ(LinkKind::kFeed, links[2].kind);
  EXPECT_EQ(LinkKind::kRefresh, links[4].kind);
  EXPECT_EQ("Area", links[6].anchor);
  EXPECT_EQ(LinkKind::kFrame, links[7].kind);
}

TEST_P(PageLinksTest, FramesOfAFramesetAreLinks) {
  Parse("<html><frameset cols='1,2'><frame src=one><frame src=two></frameset></html>");
  EXPECT_EQ((UrlList{"http://www.example.com/dir/one", "http://www.example.com/dir/two"}), Urls());
}

TEST_P(PageLinksTest, WhatAPageEmbedsIsALinkWhenConfigured) {
  options_.embedded = true;
  Parse(
      "<link rel=stylesheet href=c.css><img src=a.png srcset='b.png 1x, c.png 2x'>"
      "<script src=s.js>'<a href=no>'</script><video src=v poster=p><source src=v2></video>"
      "<object data=o></object><audio src=au></audio><embed src=e>");
  EXPECT_EQ((UrlList{"http://www.example.com/dir/c.css", "http://www.example.com/dir/a.png",
                     "http://www.example.com/dir/b.png", "http://www.example.com/dir/c.png",
                     "http://www.example.com/dir/s.js", "http://www.example.com/dir/v",
                     "http://www.example.com/dir/p", "http://www.example.com/dir/v2",
                     "http://www.example.com/dir/o", "http://www.example.com/dir/au",
                     "http://www.example.com/dir/e"}),
            Urls());
  EXPECT_EQ(LinkKind::kEmbed, Links()[0].kind);
}

TEST_P(PageLinksTest, WhatItsStyleElementsNameIsEmbeddedToo) {
  options_.embedded = true;
  Parse(
      "<base href=/b/><style>a{b:url(1.png)}/*<b>url(no)*/@import '2.css';c{d:url('3<i>.png')}"
      "</style><template><style>a{b:url(no)}</style></template><style>e{f:url(4.png)}</style>"
      "<script>'url(no)'</script>url(no)<textarea><style>url(no)</style></textarea>");
  EXPECT_EQ((UrlList{"http://www.example.com/b/1.png", "http://www.example.com/b/2.css",
                     "http://www.example.com/b/3%3Ci%3E.png", "http://www.example.com/b/4.png"}),
            Urls());
  options_.embedded = false;
  Parse("<style>a{b:url(1.png)}</style>");
  EXPECT_TRUE(Links().empty());
}

TEST_P(PageLinksTest, WhatStyleAttributesNameIsEmbeddedToo) {
  options_.embedded = true;
  const UrlList want = {"http://www.example.com/dir/1.png", "http://www.example.com/dir/2.png",
                        "http://www.example.com/dir/3.png", "http://www.example.com/dir/4.png",
                        "http://www.example.com/dir/5.png"};
  const std::string page =
      "<html><body style='background:url(1.png)'><div style=\"a:url(&quot;2.png&quot;)\">"
      "<custom-element STYLE='a:url(3.png);b:url(#no);c:url(data:,no)'></custom-element></div>"
      "<template><p style='a:url(no)'></p></template><svg style='a:url(4.png)'></svg>"
      "<!-- <p style='a:url(no)'> --><a style='a:url(5.png)' style='a:url(no)'>x</a></body></html>";
  Parse(page);
  EXPECT_EQ(want, Urls());
  Parse("<html><body style='background:url(1.png)'><p style='a:url(2.png)'/></body></html>",
        "application/xhtml+xml");
  EXPECT_EQ((UrlList{want[0], want[1]}), Urls());
  options_.embedded = false;
  Parse(page);
  EXPECT_TRUE(Links().empty());
}

TEST_P(PageLinksTest, AStyleSheetsUrlsAreThoseThatItNames) {
  options_.embedded = true;
  Parse("@import 'a.css';b{c:url(../d.png);e:url(//f.org/g)}/* http://no/ */", "text/css");
  EXPECT_EQ(DocumentKind::kStyleSheet, page_.kind);
  EXPECT_EQ((UrlList{"http://www.example.com/dir/a.css", "http://www.example.com/d.png",
                     "http://f.org/g"}),
            Urls());
  for (const Link& link : Links()) EXPECT_EQ(LinkKind::kEmbed, link.kind);
  options_.embedded = false;
  Parse("a{b:url(c)}", "text/css");
  EXPECT_EQ(DocumentKind::kOther, page_.kind);
}

TEST_P(PageLinksTest, AUrlThatIsEmbeddedAndLinkedToLeadsToAPageUnlessAssetsAreFetched) {
  options_.embedded = true;
  const char kPage[] =
      "<a href=1.png><img src=1.png></a><img src=2.png><iframe src=2.png></iframe>";
  Parse(kPage);
  EXPECT_EQ(LinkKind::kAnchor, Links()[0].kind);
  EXPECT_EQ(LinkKind::kFrame, Links()[1].kind);
  options_.prefer_embedded = true;
  Parse(kPage);
  EXPECT_EQ(LinkKind::kEmbed, Links()[0].kind);
  EXPECT_EQ(LinkKind::kEmbed, Links()[1].kind);
}

TEST_P(PageLinksTest, BaseHoldsForTheWholePageAndOnlyTheFirst) {
  Parse("<a href=x>before</a><base target=t><base href='//other.org/b/'><base href=/no/>");
  EXPECT_EQ((UrlList{"http://other.org/b/x"}), Urls());
  Parse("<base href='data:,x'><a href=x>1</a>");
  EXPECT_EQ((UrlList{"http://www.example.com/dir/x"}), Urls()) << "a base that is no URL to crawl";
}

TEST_P(PageLinksTest, AnEmptyLinkLeadsToTheBaseWhereThatIsAnotherPage) {
  const Link link = Only(
      "<a href='#top'></a><a href=' '>text</a><a name=x>no</a><link rel=next href=''>"
      "<area href><iframe src></iframe><base href='/other?q#f'><a href='#x'>more</a>");
  EXPECT_EQ("http://www.example.com/other?q", link.url);
  EXPECT_EQ("text", link.anchor);
  EXPECT_EQ(kRelUgc, Only("<base href=b><a rel=ugc href=''></a><a rel='ugc nofollow' href=#>").rel);
  for (const char* base : {"", "<base href='page.html#x'>", "<base href=mailto:x>", "<base>"}) {
    Parse(std::string(base) + "<a href='#top'></a><a href=''></a><area href='#x'>");
    EXPECT_TRUE(Links().empty()) << base;
    EXPECT_EQ(0u, page_.links_rejected) << base;
  }
}

TEST_P(PageLinksTest, WhatStandsInATemplateIsNoPartOfThePage) {
  Parse(
      "<a href=1>one<template><base href=/no/><a href=no><b>no</b><template><a href=no></template>"
      "<script>'</template>'</script><title>no</title><table><tr><td><a href=no></template> two</a>"
      "three<template><meta name=robots content=noindex><svg><a href=no></template><a href=2></a>");
  EXPECT_EQ((UrlList{"http://www.example.com/dir/1", "http://www.example.com/dir/2"}), Urls());
  EXPECT_EQ("one two", Links()[0].anchor);
  EXPECT_EQ("", page_.title);
  EXPECT_EQ("", page_.robots_directives);
  EXPECT_EQ(12u, page_.text_bytes) << "one twothree";
  // But a tree that is shown is.
  EXPECT_EQ("http://www.example.com/dir/1",
            Only("<x-y><template ShadowRootMode=Open><template><a href=no></template><a href=1>"
                 "</template></x-y><template shadowrootmode=x><a href=no>")
                .url);
}

TEST_P(PageLinksTest, AnUnclosedSvgEndsWithTheElementAroundIt) {
  for (const char* html :
       {"<div><svg><g></div>", "<p><svg></p>", "<a href=1><svg><use></a>", "<li><svg><rect></li>",
        "<table><tr><td><math><mrow></td></tr></table>", "<div><svg><a href=1><g></div>",
        "<b><svg><title>no</title></b>", "<button><math><svg><g></button>"}) {
    Parse(std::string(html) + "<script>'<a href=no>'</script><title>yes</title>");
    EXPECT_EQ("yes", page_.title) << html;
    EXPECT_LE(Links().size(), 1u) << html;
  }
  // Not with what ends in it, or is not open around it.
  for (const char* html :
       {"<svg><a href=1></a>", "<svg></div>", "<div><svg></form></b>", "<div></div><svg></div>",
        "<div><svg><foreignObject><svg></div>", "<img><svg></img>", "<svg><a href=1><g></a>"}) {
    Parse(std::string(html) + "<title>no</title>");
    EXPECT_EQ("", page_.title) << html;
  }
}

TEST_P(PageLinksTest, NumbersThatAreNoCharactersAreReplaced) {
  for (const char* number : {"&#99999999999;", "&#4294967361;", "&#x100000041;", "&#2147483648;",
                             "&#x80000041;", "&#0;", "&#xD800;", "&#1114112;", "&#x110000;"}) {
    EXPECT_EQ("\xef\xbf\xbdx", Only(std::string("<a href=x>") + number + "x</a>").anchor) << number;
  }
  EXPECT_EQ("Ax", Only("<a href=x>&#x00000000000041;x</a>").anchor);
  EXPECT_EQ("http://www.example.com/dir/%EF%BF%BD", Only("<a href=&#99999999999;></a>").url);
}

TEST_P(PageLinksTest, ANulThatANameBeginsWithIsOfTheName) {
  Parse(std::string_view("<a \0href=no>x</a><a class='x'\0href=no></a><a/\0href=no></a>", 58));
  EXPECT_TRUE(Links().empty());
}

TEST_P(PageLinksTest, AnchorIsTheTextWithSpacesCollapsed) {
  EXPECT_EQ("one two three", Only("<a href=x>\n one <b>two</b>\t<i> three</i> </a>").anchor);
  EXPECT_EQ("Title Text", Only("<a href=x><div>Title</div><div>Text</div></a>").anchor);
  EXPECT_EQ("a & b", Only("<a href=x>a &amp; b</a>").anchor);
  EXPECT_EQ("Logo", Only("<a href=x><img src=l.png alt=' Logo '></a>").anchor);
  EXPECT_EQ("x y", Only("<a href=x>x<script>no</script> <style>no</style>y</a>").anchor);
  EXPECT_EQ("a < b", Only("<svg><a href=x><![CDATA[a < b]]></a></svg>").anchor);
  EXPECT_EQ("", Only("<a href=x></a>").anchor);
}

TEST_P(PageLinksTest, AnchorIsBoundedWithoutCuttingACharacter) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "\xc3\xa4";
  const Link link = Only("<a href=x>a" + text + "</a>");
  EXPECT_EQ(kMaxAnchorBytes - 1, link.anchor.size());
  EXPECT_TRUE(IsValidUtf8(link.anchor));
}

TEST_P(PageLinksTest, AnUnclosedAnchorGoesOnAsInBrowsers) {
  EXPECT_EQ("one two", Only("<p><a href=x>one<p>two").anchor);
  Parse("<a href=x>one<a href=y>two</a>");
  EXPECT_EQ("one", Links()[0].anchor);
  EXPECT_EQ("two", Links()[1].anchor);
  EXPECT_EQ("in", Only("<table><tr><td><a href=x>in<td>out</table>after").anchor);
  EXPECT_EQ("in out", Only("<a href=x><table><tr><td>in<td>out</table></a>after").anchor);
}

TEST_P(PageLinksTest, RelIsReadAsWords) {
  EXPECT_EQ(kRelNofollow | kRelUgc, Only("<a rel='noopener NOFOLLOW\nugc' href=x></a>").rel);
  EXPECT_EQ(kRelSponsored, Only("<area rel=sponsored href=x>").rel);
  EXPECT_EQ(0u, Only("<a rel=nofollower href=x></a>").rel);
}

TEST_P(PageLinksTest, AUrlComesOnceAndTheBestIsKnownOfIt) {
  const Link link = Only(
      "<link rel=canonical href=x><a rel=nofollow href='x#1'></a>"
      "<a rel=nofollow href='./x'>text</a><a rel=nofollow href=x>more</a>");
  EXPECT_EQ("text", link.anchor);
  EXPECT_EQ(LinkKind::kAnchor, link.kind);
  EXPECT_EQ(0u, link.rel) << "one of them is to be followed";
  EXPECT_EQ(kRelNofollow, Only("<a rel=nofollow href=x></a><a rel='ugc nofollow' href=x>").rel);
}

TEST_P(PageLinksTest, LinksAreGroupedByDomainInOrder) {
  Parse(
      "<a href='http://b.org/1'></a><a href=1></a><a href='http://x.b.org/2'></a>"
      "<a href='//example.com/2'></a><a href='http://foo.github.io/'></a>");
  ASSERT_EQ(3u, page_.domains.size());
  EXPECT_EQ("b.org", page_.domains[0].domain);
  EXPECT_EQ(2u, page_.domains[0].links.size());
  EXPECT_EQ("http://x.b.org/2", page_.domains[0].links[1].url);
  EXPECT_EQ("example.com", page_.domains[1].domain);
  EXPECT_EQ("foo.github.io", page_.domains[2].domain);
  EXPECT_EQ(2u, page_.links_inside);
  EXPECT_EQ(3u, page_.links_outside);
}

TEST_P(PageLinksTest, WhatIsNoUrlToCrawlIsCountedAndLeftOut) {
  Parse(
      "<a href='mailto:a@b.c'></a><a href='javascript:x()'></a><a href='http://'></a>"
      "<a href='#top'></a><a href=' '></a><a></a><a href=ok></a>");
  EXPECT_EQ(1u, Links().size());
  EXPECT_EQ(3u, page_.links_rejected) << "fragments and empty links are no links at all";
}

TEST_P(PageLinksTest, LinksBeyondTheBoundAreLeftOutAndSaidSo) {
  options_.max_page_links = 3;
  Parse("<a href=1></a><a href=2></a><a href=1></a><a href=3></a>");
  EXPECT_EQ(3u, Links().size());
  EXPECT_FALSE(page_.links_truncated);
  Parse("<a href=1></a><a href=2></a><a href=3></a><a href=4></a>");
  EXPECT_EQ(3u, Links().size());
  EXPECT_TRUE(page_.links_truncated);
}

TEST_P(PageLinksTest, AUrlLongerThanMessagesTakeIsRejected) {
  Parse("<a href='" + std::string(kMaxUrlBytes + 1, 'x') + "'></a>");
  EXPECT_EQ(0u, Links().size());
  EXPECT_EQ(1u, page_.links_rejected);
}

}  // namespace
}  // namespace orbweaver
