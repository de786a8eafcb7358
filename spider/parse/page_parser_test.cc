#include "spider/parse/page_parser.h"

#include "fmt/format.h"
#include <gtest/gtest.h>

#include "common/model/limits.h"
#include "tests/support/page_parser_fixture.h"
#include "tests/support/synthetic_web/gzip.h"

namespace orbweaver {
namespace {

INSTANTIATE_TEST_SUITE_P(Engines, PageParserTest,
                         testing::Values(HtmlEngineKind::kScanner, HtmlEngineKind::kGumbo),
                         [](const auto& info) {
                           return info.param == HtmlEngineKind::kGumbo ? "Gumbo" : "Scanner";
                         });

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
