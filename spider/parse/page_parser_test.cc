#include "spider/parse/page_parser.h"

#include "fmt/format.h"
#include <gtest/gtest.h>

#include "common/base/utf8.h"
#include "common/model/limits.h"
#include "tests/support/synthetic_web/gzip.h"

namespace orbweaver {
namespace {

constexpr std::string_view kUrl = "http://www.example.com/dir/page.html";

// Every test on both engines: what a page means may not depend on who reads it.
class PageParserTest : public testing::TestWithParam<HtmlEngineKind> {
 protected:
  PageParserTest() { options_.engine = GetParam(); }

  const ParsedPage& Parse(std::string_view body, std::string_view type = "text/html") {
    body_ = body;
    parser_ = std::make_unique<PageParser>(options_, &resolver_);
    parser_->Parse({.url = kUrl,
                    .body = body_,
                    .content_type = type,
                    .content_language = content_language_,
                    .x_robots_tags = x_robots_tags_},
                   &page_);
    return page_;
  }
  std::vector<Link> Links() const {
    std::vector<Link> links;
    for (const DomainLinks& domain : page_.domains) {
      links.insert(links.end(), domain.links.begin(), domain.links.end());
    }
    return links;
  }
  std::vector<std::string_view> Urls() const {
    std::vector<std::string_view> urls;
    for (const Link& link : Links()) urls.push_back(link.url);
    return urls;
  }
  Link Only(std::string_view body) {
    Parse(body);
    EXPECT_EQ(1u, Links().size()) << body;
    return Links().empty() ? Link() : Links()[0];
  }

  ParseOptions options_;
  std::string_view content_language_;
  std::vector<std::string_view> x_robots_tags_;
  std::unique_ptr<const PublicSuffixes> suffixes_ = PublicSuffixes::Load({}).value();
  UrlResolver resolver_{UrlOptions(), *suffixes_};
  std::string body_;
  std::unique_ptr<PageParser> parser_;
  ParsedPage page_;
};
using UrlList = std::vector<std::string_view>;

INSTANTIATE_TEST_SUITE_P(Engines, PageParserTest,
                         testing::Values(HtmlEngineKind::kScanner, HtmlEngineKind::kGumbo),
                         [](const auto& info) {
                           return info.param == HtmlEngineKind::kGumbo ? "Gumbo" : "Scanner";
                         });

TEST_P(PageParserTest, LinksComeFromEveryElementThatLeadsSomewhere) {
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

TEST_P(PageParserTest, FramesOfAFramesetAreLinks) {
  Parse("<html><frameset cols='1,2'><frame src=one><frame src=two></frameset></html>");
  EXPECT_EQ((UrlList{"http://www.example.com/dir/one", "http://www.example.com/dir/two"}), Urls());
}

TEST_P(PageParserTest, WhatAPageEmbedsIsALinkWhenConfigured) {
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

TEST_P(PageParserTest, WhatItsStyleElementsNameIsEmbeddedToo) {
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

TEST_P(PageParserTest, WhatStyleAttributesNameIsEmbeddedToo) {
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

TEST_P(PageParserTest, AStyleSheetsUrlsAreThoseThatItNames) {
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

TEST_P(PageParserTest, AUrlThatIsEmbeddedAndLinkedToLeadsToAPageUnlessAssetsAreFetched) {
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

TEST_P(PageParserTest, BaseHoldsForTheWholePageAndOnlyTheFirst) {
  Parse("<a href=x>before</a><base target=t><base href='//other.org/b/'><base href=/no/>");
  EXPECT_EQ((UrlList{"http://other.org/b/x"}), Urls());
  Parse("<base href='data:,x'><a href=x>1</a>");
  EXPECT_EQ((UrlList{"http://www.example.com/dir/x"}), Urls()) << "a base that is no URL to crawl";
}

TEST_P(PageParserTest, AnEmptyLinkLeadsToTheBaseWhereThatIsAnotherPage) {
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

TEST_P(PageParserTest, WhatStandsInATemplateIsNoPartOfThePage) {
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

TEST_P(PageParserTest, AnUnclosedSvgEndsWithTheElementAroundIt) {
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

TEST_P(PageParserTest, NumbersThatAreNoCharactersAreReplaced) {
  for (const char* number : {"&#99999999999;", "&#4294967361;", "&#x100000041;", "&#2147483648;",
                             "&#x80000041;", "&#0;", "&#xD800;", "&#1114112;", "&#x110000;"}) {
    EXPECT_EQ("\xef\xbf\xbdx", Only(std::string("<a href=x>") + number + "x</a>").anchor) << number;
  }
  EXPECT_EQ("Ax", Only("<a href=x>&#x00000000000041;x</a>").anchor);
  EXPECT_EQ("http://www.example.com/dir/%EF%BF%BD", Only("<a href=&#99999999999;></a>").url);
}

TEST_P(PageParserTest, ANulThatANameBeginsWithIsOfTheName) {
  Parse(std::string_view("<a \0href=no>x</a><a class='x'\0href=no></a><a/\0href=no></a>", 58));
  EXPECT_TRUE(Links().empty());
}

TEST_P(PageParserTest, AnchorIsTheTextWithSpacesCollapsed) {
  EXPECT_EQ("one two three", Only("<a href=x>\n one <b>two</b>\t<i> three</i> </a>").anchor);
  EXPECT_EQ("Title Text", Only("<a href=x><div>Title</div><div>Text</div></a>").anchor);
  EXPECT_EQ("a & b", Only("<a href=x>a &amp; b</a>").anchor);
  EXPECT_EQ("Logo", Only("<a href=x><img src=l.png alt=' Logo '></a>").anchor);
  EXPECT_EQ("x y", Only("<a href=x>x<script>no</script> <style>no</style>y</a>").anchor);
  EXPECT_EQ("a < b", Only("<svg><a href=x><![CDATA[a < b]]></a></svg>").anchor);
  EXPECT_EQ("", Only("<a href=x></a>").anchor);
}

TEST_P(PageParserTest, AnchorIsBoundedWithoutCuttingACharacter) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "\xc3\xa4";
  const Link link = Only("<a href=x>a" + text + "</a>");
  EXPECT_EQ(kMaxAnchorBytes - 1, link.anchor.size());
  EXPECT_TRUE(IsValidUtf8(link.anchor));
}

TEST_P(PageParserTest, AnUnclosedAnchorGoesOnAsInBrowsers) {
  EXPECT_EQ("one two", Only("<p><a href=x>one<p>two").anchor);
  Parse("<a href=x>one<a href=y>two</a>");
  EXPECT_EQ("one", Links()[0].anchor);
  EXPECT_EQ("two", Links()[1].anchor);
  EXPECT_EQ("in", Only("<table><tr><td><a href=x>in<td>out</table>after").anchor);
  EXPECT_EQ("in out", Only("<a href=x><table><tr><td>in<td>out</table></a>after").anchor);
}

TEST_P(PageParserTest, RelIsReadAsWords) {
  EXPECT_EQ(kRelNofollow | kRelUgc, Only("<a rel='noopener NOFOLLOW\nugc' href=x></a>").rel);
  EXPECT_EQ(kRelSponsored, Only("<area rel=sponsored href=x>").rel);
  EXPECT_EQ(0u, Only("<a rel=nofollower href=x></a>").rel);
}

TEST_P(PageParserTest, AUrlComesOnceAndTheBestIsKnownOfIt) {
  const Link link = Only(
      "<link rel=canonical href=x><a rel=nofollow href='x#1'></a>"
      "<a rel=nofollow href='./x'>text</a><a rel=nofollow href=x>more</a>");
  EXPECT_EQ("text", link.anchor);
  EXPECT_EQ(LinkKind::kAnchor, link.kind);
  EXPECT_EQ(0u, link.rel) << "one of them is to be followed";
  EXPECT_EQ(kRelNofollow, Only("<a rel=nofollow href=x></a><a rel='ugc nofollow' href=x>").rel);
}

TEST_P(PageParserTest, LinksAreGroupedByDomainInOrder) {
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

TEST_P(PageParserTest, WhatIsNoUrlToCrawlIsCountedAndLeftOut) {
  Parse(
      "<a href='mailto:a@b.c'></a><a href='javascript:x()'></a><a href='http://'></a>"
      "<a href='#top'></a><a href=' '></a><a></a><a href=ok></a>");
  EXPECT_EQ(1u, Links().size());
  EXPECT_EQ(3u, page_.links_rejected) << "fragments and empty links are no links at all";
}

TEST_P(PageParserTest, LinksBeyondTheBoundAreLeftOutAndSaidSo) {
  options_.max_page_links = 3;
  Parse("<a href=1></a><a href=2></a><a href=1></a><a href=3></a>");
  EXPECT_EQ(3u, Links().size());
  EXPECT_FALSE(page_.links_truncated);
  Parse("<a href=1></a><a href=2></a><a href=3></a><a href=4></a>");
  EXPECT_EQ(3u, Links().size());
  EXPECT_TRUE(page_.links_truncated);
}

TEST_P(PageParserTest, AUrlLongerThanMessagesTakeIsRejected) {
  Parse("<a href='" + std::string(kMaxUrlBytes + 1, 'x') + "'></a>");
  EXPECT_EQ(0u, Links().size());
  EXPECT_EQ(1u, page_.links_rejected);
}

TEST_P(PageParserTest, TitleIsTheFirstOfThePageAndNoneOfAPicture) {
  EXPECT_EQ("A <b> & c", Parse("<svg><title>no</title></svg><title>A\n<b> &amp; c</title>"
                               "<title>no</title>")
                             .title);
  EXPECT_LE(Parse("<title>" + std::string(5000, 'x') + "</title>").title.size(), kMaxTitleBytes);
  EXPECT_EQ("", Parse("<p>none").title);
}

TEST_P(PageParserTest, CanonicalIsResolved) {
  EXPECT_EQ("http://www.example.com/c", Parse("<link rel='Canonical' href='/c#x'>").canonical_url);
  EXPECT_EQ("", Parse("<link rel=canonical href='mailto:x'>").canonical_url);
}

TEST_P(PageParserTest, DirectivesAreThoseForAllAndForThisCrawler) {
  options_.robots_name = "orbweaver";
  x_robots_tags_ = {"noarchive, unavailable_after: 1 Jan 2030", "otherbot: noindex, nosnippet",
                    "orbweaver: max-snippet:5"};
  Parse(
      "<meta name=ROBOTS content='NoIndex,noarchive'><meta name=otherbot content=nofollow>"
      "<meta name=Orbweaver content=noimageindex><a href=x></a>");
  EXPECT_EQ("noarchive,unavailable_after: 1 jan 2030,max-snippet:5,noindex,noimageindex",
            page_.robots_directives);
  EXPECT_EQ(0u, Links()[0].rel);
}

TEST_P(PageParserTest, DirectivesAreToldApartWithoutACommaToo) {
  Parse("<meta name=robots content=' NoIndex  nofollow\nMax-Snippet: 5 noarchive'><a href=x>");
  EXPECT_EQ("noindex,nofollow,max-snippet: 5,noarchive", page_.robots_directives);
  EXPECT_EQ(kRelNofollow, Links()[0].rel);
  x_robots_tags_ = {"noindex unavailable_after: 25 Jun 2030 15:00:00 PST, none"};
  Parse("");
  EXPECT_EQ("noindex,unavailable_after: 25 jun 2030 15:00:00 pst,none", page_.robots_directives);
}

TEST_P(PageParserTest, NofollowOfThePageHoldsForEachLink) {
  Parse("<a href=x></a><a href=//b.org></a><meta name=robots content=none>");
  EXPECT_EQ(kRelNofollow, Links()[0].rel);
  EXPECT_EQ(kRelNofollow, Links()[1].rel);
  x_robots_tags_ = {"nofollow"};
  EXPECT_EQ(kRelNofollow, Only("<a href=x></a>").rel);
}

TEST_P(PageParserTest, LanguageIsThePagesOwnBeforeTheHeaders) {
  content_language_ = "fr, en";
  EXPECT_EQ("de-AT", Parse("<html lang='de-AT'>").language);
  EXPECT_EQ("it", Parse("<meta http-equiv=content-language content='it'>").language);
  EXPECT_EQ("fr", Parse("<html lang='<script>'>").language);
  EXPECT_EQ("fr", Parse("", "application/pdf").language);
}

TEST_P(PageParserTest, TextIsWhatIsSeen) {
  EXPECT_EQ(7u, Parse("<title>no</title><body> one <script>no</script><style>no</style>"
                      "<iframe>no</iframe><!-- no -->two")
                    .text_bytes);
  EXPECT_EQ(3u, Parse("<p>a<p>b").text_bytes);
}

TEST_P(PageParserTest, TextOfAnyCharsetIsUtf8) {
  Parse("<title>\xe4</title>", "text/html; charset=latin1");
  EXPECT_EQ("windows-1252", page_.charset);
  EXPECT_EQ("\xc3\xa4", page_.title);
}

// URL standard, 4.4: a page's server reads queries in the page's charset.
TEST_P(PageParserTest, QueriesAreInTheCharsetOfThePageAndPathsAreNot) {
  // "пр" in windows-1251.
  Parse(
      "<meta charset=windows-1251><base href='/b?\xef'><link rel=canonical href='?c=\xef'>"
      "<a href='/\xef\xf0?q=\xef\xf0'></a><a href='?&#1087;&#8801;'></a>");
  EXPECT_EQ("windows-1251", page_.charset);
  EXPECT_EQ(
      (UrlList{"http://www.example.com/b?c=%EF", "http://www.example.com/%D0%BF%D1%80?q=%EF%F0",
               "http://www.example.com/b?%EF%26%238801%3B"}),
      Urls());
  EXPECT_EQ("http://www.example.com/b?c=%EF", page_.canonical_url);
  EXPECT_EQ("http://www.example.com/dir/page.html?%C3%A9",
            Only("<meta charset=utf-8><a href='?\xc3\xa9'>").url);
  EXPECT_EQ("http://www.example.com/dir/page.html?%93%FA",
            (Parse("<a href='?\x93\xfa'>", "text/html;charset=sjis"), Urls().at(0)));
}

// HTML standard, 13.2.3.4: browsers decode again from the start.
TEST_P(PageParserTest, ACharsetThatIsDeclaredLateHoldsForTheWholePage) {
  const std::string late = "<title>\xc1\xb7</title><!--" + std::string(2000, '-') +
                           "--><script>'<meta charset=koi8-r>'</script>";
  const std::string link = "<a href='/\xc1\xb7?\xc1\xb7'>\xc1\xb7</a>";
  for (const char* meta :
       {"<meta charset=euc-kr>", "<meta content='x; charset=euc-kr' http-equiv=Content-Type>"}) {
    Parse(late + meta + "<meta charset=big5>" + link);
    EXPECT_EQ("euc-kr", page_.charset);
    EXPECT_EQ("\xec\xa1\xb1", page_.title);
    ASSERT_EQ(1u, Links().size());
    EXPECT_EQ("http://www.example.com/%EC%A1%B1?%C1%B7", Links()[0].url);
    EXPECT_EQ("\xec\xa1\xb1", Links()[0].anchor);
  }
  Parse(late + "<meta charset=euc-kr>" + link, "text/html; charset=gbk");
  EXPECT_EQ("gbk", page_.charset) << "the header is certain";
  Parse(late + "<meta content='x; charset=euc-kr' http-equiv='Content-Type '>");
  EXPECT_NE("euc-kr", page_.charset);
  Parse(late + "<meta charset=nonsense>\xff");
  EXPECT_EQ("windows-1252", page_.charset);
}

TEST_P(PageParserTest, EmptyElementsOfXhtmlSwallowNothing) {
  constexpr std::string_view kType = "application/xhtml+xml; charset=utf-8";
  for (const char* name : {"script", "style", "title", "textarea", "iframe", "noembed", "noframes",
                           "xmp", "plaintext", "a", "svg", "template"}) {
    Parse(fmt::format("<?xml version='1.0'?><!DOCTYPE html><html><head><{} id='x'/></head><body>"
                      "<a href='1'>one<br/></a> two</body></html>",
                      name),
          kType);
    EXPECT_EQ((UrlList{"http://www.example.com/dir/1"}), Urls()) << name;
    ASSERT_EQ(1u, Links().size());
    EXPECT_EQ("one", Links()[0].anchor) << name;
  }
  Parse(
      "<html><script>if (a &lt; b) x('<a href=\"no\">&amp;</a>')</script><a href='1'/>"
      "<a href='2'><![CDATA[<b>]]></a><svg><title>no</title><a href='3'/></svg>"
      "<title>T&nbsp;x</title></html>",
      kType);
  EXPECT_EQ((UrlList{"http://www.example.com/dir/1", "http://www.example.com/dir/2",
                     "http://www.example.com/dir/3"}),
            Urls());
  EXPECT_EQ("", Links()[0].anchor);
  EXPECT_EQ("<b>", Links()[1].anchor);
  EXPECT_EQ("T\xc2\xa0x", page_.title);
  Parse("<html><body><script src='x'/><a href='1'>cut off", kType);
  EXPECT_EQ("cut off", Links().at(0).anchor);
}

TEST_P(PageParserTest, XhtmlThatIsNotWellFormedIsReadAsHtml) {
  const std::string_view soup =
      "<html><title>t</title><p>a<br><p><a href=1>one</a><script>'<a href=no>'</script></p>"
      "<meta name=robots content=nofollow></html>";
  Parse(soup, "application/xhtml+xml");
  EXPECT_EQ((UrlList{"http://www.example.com/dir/1"}), Urls());
  EXPECT_EQ("t", page_.title);
  EXPECT_EQ("nofollow", page_.robots_directives);
  const uint64_t text_bytes = page_.text_bytes;
  EXPECT_EQ(Parse(soup, "text/html").text_bytes, text_bytes) << "nothing of the attempt is left";
  Parse("<script src='x'/><a href='1'>in the script</a>", "text/html");
  EXPECT_TRUE(Links().empty()) << "by the rules of HTML";
}

TEST_P(PageParserTest, OtherThanTextIsLeftAlone) {
  for (const char* type : {"application/pdf", "image/svg+xml", "video/mp4"}) {
    Parse("<a href=x>", type);
    EXPECT_EQ(DocumentKind::kOther, page_.kind) << type;
    EXPECT_EQ("", page_.charset) << type;
    EXPECT_EQ(0u, Links().size()) << type;
  }
  Parse(std::string_view("<a href=x>\0\1\2", 13), "");
  EXPECT_EQ(DocumentKind::kOther, page_.kind) << "binary, and nobody said what";
  EXPECT_EQ(DocumentKind::kHtml, Parse("\n<!doctype html><a href=x>", "").kind);
  EXPECT_EQ("text/html", Parse("", " Text/HTML ;charset=x").content_type);
}

TEST_P(PageParserTest, ASitemapThatIsAGzipFileIsReadWhateverItsTypeIsCalled) {
  std::string file;
  synthetic::Gzip(
      "<urlset><url><loc>http://www.example.com/a</loc></url><url><loc>/b</loc></url></urlset>",
      &file);
  for (const char* type :
       {"application/gzip", "application/x-gzip", "application/octet-stream", "text/xml", ""}) {
    EXPECT_EQ(DocumentKind::kSitemap, Parse(file, type).kind) << type;
    EXPECT_EQ((UrlList{"http://www.example.com/a", "http://www.example.com/b"}), Urls()) << type;
    EXPECT_FALSE(page_.links_truncated);
  }
  // A server may say so and have undone it by Content-Encoding.
  Parse("<urlset><url><loc>http://www.example.com/a</loc></url></urlset>", "application/x-gzip");
  EXPECT_EQ(DocumentKind::kSitemap, page_.kind);
}

TEST_P(PageParserTest, ACompressedSitemapIsCutAtItsBoundAndABombIsNotRead) {
  std::string lines;
  for (int i = 0; i < 1000; ++i) lines += "http://www.example.com/" + std::to_string(i) + "\n";
  std::string file;
  synthetic::Gzip(lines, &file);
  options_.max_unpacked_bytes = 10'000;
  EXPECT_EQ(DocumentKind::kTextSitemap, Parse(file, "application/gzip").kind);
  EXPECT_TRUE(page_.links_truncated);
  EXPECT_GT(Links().size(), 100u);
  EXPECT_LT(Links().size(), 500u);

  options_.max_unpacked_bytes = size_t{50} << 20;
  options_.max_compression = 50;
  synthetic::Gzip("http://www.example.com/\n" + std::string(size_t{4} << 20, ' '), &file);
  Parse(file, "application/gzip");
  EXPECT_TRUE(Links().empty());
  EXPECT_TRUE(page_.links_truncated);
}

TEST_P(PageParserTest, NothingOfOnePageIsLeftInTheNext) {
  Parse(
      "<html lang=de><title>t</title><base href=/b/><meta name=robots content=none>"
      "<link rel=canonical href=c><a href='http://b.org/'>open");
  parser_->Parse({.url = "http://a.org/x/", .body = "<a href=y>z", .content_type = "text/html"},
                 &page_);
  EXPECT_EQ((UrlList{"http://a.org/x/y"}), Urls());
  EXPECT_EQ(0u, Links()[0].rel);
  EXPECT_EQ("z", Links()[0].anchor);
  for (const auto text :
       {page_.title, page_.language, page_.canonical_url, page_.robots_directives}) {
    EXPECT_EQ("", text);
  }
}

}  // namespace
}  // namespace orbweaver
