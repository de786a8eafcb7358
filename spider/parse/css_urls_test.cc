#include "spider/parse/css_urls.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace orbweaver {
namespace {

using Urls = std::vector<std::string>;

// Imports have a "+" before them.
Urls UrlsOf(std::string_view css) {
  Urls urls;
  CssUrlReader reader(css);
  for (CssUrl url; reader.Next(&url);) {
    urls.push_back((url.kind == CssUrl::Kind::kImport ? "+" : "") + std::string(url.url));
    EXPECT_LE(url.begin, url.end);
    EXPECT_LE(url.end, css.size());
  }
  return urls;
}

TEST(CssUrlsTest, UrlsStandInQuotesOrWithout) {
  EXPECT_EQ(UrlsOf("a { background: url(a.png) } b { src: URL( \"b c.woff\" ) , url('d')}"),
            (Urls{"a.png", "b c.woff", "d"}));
}

TEST(CssUrlsTest, AnImportIsAStringOrAUrl) {
  EXPECT_EQ(UrlsOf("@import \"a.css\";@IMPORT url(b.css) screen;@import url('c.css');"
                   "p { content: \"no.css\" }"),
            (Urls{"+a.css", "+b.css", "+c.css"}));
  // Behind an import's URL stands a condition.
  EXPECT_EQ(UrlsOf("@import url(a.css) layer(x) supports(content: \"b\") screen;"),
            (Urls{"+a.css"}));
}

TEST(CssUrlsTest, CommentsStringsAndNamespacesHoldNone) {
  EXPECT_EQ(UrlsOf("/* url(a) */ p::before { content: \"url(b)\" } @namespace url(c); "
                   "@namespace svg \"d\"; xurl(e) x { y: url(f) } /* url(g)"),
            (Urls{"f"}));
}

TEST(CssUrlsTest, ImagesOfASetAreStringsOrUrls) {
  EXPECT_EQ(UrlsOf("a{b:image-set(\"1.png\" 1x,url(2.png) 2x,'3.avif' type(\"image/avif\")),\"no\"}"
                   "c{d:-WEBKIT-image-set(url('4.png' ) 1x,\"4\",((\"no\"))),url(5)}e{f:\"no\"}"
                   "g{h:image-set(;'no'}i{j:'no'}"),
            (Urls{"1.png", "2.png", "3.avif", "4.png", "4", "5"}));
}

TEST(CssUrlsTest, ADocumentRuleHasNamesOnly) {
  EXPECT_EQ(UrlsOf("@document url(no),url-prefix('no'){a{b:url(1)}}@-moz-document url('no'){}"),
            (Urls{"1"}));
}

TEST(CssUrlsTest, FilesAreToldFromPartsAndFromWhatIsItsOwnContent) {
  for (const char* const url : {"", " ", "#x", " #x", "data:,x", "DATA:image/png;base64,AA=="}) {
    EXPECT_FALSE(NamesFile(url)) << url;
  }
  for (const char* const url : {"x", "x#y", "?", "//a", "database"}) EXPECT_TRUE(NamesFile(url));
}

TEST(CssUrlsTest, EscapesAreUndone) {
  EXPECT_EQ(UrlsOf("a { b: url(a\\)b.png); c: url('\\64 \\00e9t\\'e'); d: url(\\110000 x) }"),
            (Urls{"a)b.png", "d\u00e9t'e", "\uFFFDx"}));
  EXPECT_EQ(UrlsOf("a { b: url(\"a\\\nb\") }"), (Urls{"ab"}));
}

TEST(CssUrlsTest, ABadUrlIsNoneAndHidesNothingBehindIt) {
  EXPECT_EQ(UrlsOf("a { b: url(a b) ; c: url(d\"e) ; f: url('x\ny; g: url(h) }"), (Urls{"h"}));
}

TEST(CssUrlsTest, TheEndOfTheTextEndsAUrl) {
  for (const std::string_view css : {"a{b:url(c", "a{b:url('c", "a{b:url( c ", "@import 'c"}) {
    EXPECT_EQ(UrlsOf(css).size(), 1U) << css;
  }
  for (const std::string_view css : {"\\", "url(\\", "url('\\", "'\\", "@", "/", "/*", "url("}) {
    UrlsOf(css);
  }
}

TEST(CssUrlsTest, AUrlCanBeReplacedInItsPlace) {
  const std::string_view css = "@import 'a';b{c:url( d )}";
  std::string replaced;
  size_t at = 0;
  CssUrlReader reader(css);
  for (CssUrl url; reader.Next(&url); at = url.end) {
    replaced += std::string(css.substr(at, url.begin - at)) + EscapeCssUrl("x(')");
  }
  replaced += css.substr(at);
  EXPECT_EQ(replaced, "@import 'x\\(\\'\\)';b{c:url( x\\(\\'\\) )}");
  EXPECT_EQ(UrlsOf(replaced), (Urls{"+x(')", "x(')"}));
}

TEST(CssUrlsTest, TimeIsInProportionToTheText) {
  std::string css;
  for (int i = 0; i < 200'000; ++i) css += "url('a\n/*";
  EXPECT_TRUE(UrlsOf(css).empty());
  EXPECT_EQ(UrlsOf(std::string(1'000'000, '(') + "url(a)"), (Urls{"a"}));
}

}  // namespace
}  // namespace orbweaver
