#include "spider/parse/html_url_places.h"

#include <string>

#include "gtest/gtest.h"

namespace orbweaver {
namespace {

// "kind:value", with "=" behind the kind of an attribute without quotes.
std::string PlacesOf(std::string_view html, bool is_xml = false) {
  constexpr std::string_view kNames[] = {"url",   "srcset", "refresh",  "style",
                                         "sheet", "base",   "integrity"};
  std::string all;
  for (const HtmlUrlPlace& place : FindHtmlUrls(html, is_xml)) {
    EXPECT_LE(place.begin, place.end);
    EXPECT_LE(place.end, html.size());
    all += (all.empty() ? "" : " ") + std::string(kNames[static_cast<size_t>(place.kind)]) +
           (place.quoted ? ":" : "=") +
           std::string(html.substr(place.begin, place.end - place.begin));
  }
  return all;
}

TEST(HtmlUrlPlacesTest, FindsAttributesInAnyQuotes) {
  EXPECT_EQ(PlacesOf("<a HREF='a' x href=b>\n<IMG/src=c/d srcset = \"e 2x\"><a href><a href=>"
                     "<a href=\"\">"),
            "url:a url=b url=c/d srcset:e 2x url:");
}

TEST(HtmlUrlPlacesTest, ValuesStandThereAsTheyAre) {
  EXPECT_EQ(PlacesOf("<a href='a?b&amp;c=\xe9'>"), "url:a?b&amp;c=\xe9");
}

TEST(HtmlUrlPlacesTest, KnowsWhichAttributesHaveUrls) {
  EXPECT_EQ(PlacesOf("<object data=a><p data=b><video poster=c><form action=d><button formaction=e>"
                     "<body background=f><q cite=g><link href=h integrity=i imagesrcset=j>"
                     "<base href=k target=l><p style='m' title=n>"),
            "url=a url=c url=d url=e url=f url=g url=h integrity=i srcset=j base=k style:m");
}

TEST(HtmlUrlPlacesTest, OnlyARefreshHasAUrlInItsContent) {
  EXPECT_EQ(PlacesOf("<meta content='0;url=a' http-equiv=Refresh><meta name=x content='0;url=b'>"),
            "refresh:0;url=a");
}

TEST(HtmlUrlPlacesTest, CommentsScriptsAndTextHoldNone) {
  EXPECT_EQ(PlacesOf("<!-- <a href=a> --><script>'<a href=b>'</script><title><a href=c></title>"
                     "<textarea><a href=d></textarea><a href=e>"),
            "url=e");
  EXPECT_EQ(PlacesOf("<script/><a href=a>", /*is_xml=*/true), "url=a");
}

TEST(HtmlUrlPlacesTest, AStyleIsItsText) {
  EXPECT_EQ(PlacesOf("<style media=x>a{b:url(c)}</style><style>d<p>\xff</STYLE ><style>e"),
            "sheet:a{b:url(c)} sheet:d<p>\xff sheet:e");
  EXPECT_EQ(PlacesOf("<style></style>"), "sheet:");
}

TEST(HtmlUrlPlacesTest, SvgHasLinksAndStylesToo) {
  EXPECT_EQ(PlacesOf("<svg><style>a</style><use xlink:href=b /><title><a href=c></title>"
                     "<![CDATA[<a href=no>]]></svg><![CDATA[<a href=d>"),
            "style:a url=b url=c");
}

TEST(HtmlUrlPlacesTest, PlacesOfOneTagBelongTogether) {
  const auto places = FindHtmlUrls("<link integrity=a href=b><link href=c>", false);
  ASSERT_EQ(places.size(), 3U);
  EXPECT_EQ(places[0].tag, places[1].tag);
  EXPECT_NE(places[1].tag, places[2].tag);
}

TEST(HtmlUrlPlacesTest, ADocumentMayEndAnywhere) {
  const std::string whole =
      "<svg><style>a</style></svg><meta http-equiv=refresh content='0;url=x'><a href='b' c=\"d\">"
      "<style>e</style><p style=f>";
  for (size_t size = 0; size <= whole.size(); ++size) {
    PlacesOf(std::string_view(whole).substr(0, size));
    PlacesOf(std::string_view(whole).substr(0, size), true);
  }
}

}  // namespace
}  // namespace orbweaver
