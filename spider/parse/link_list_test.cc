// Sitemaps and feeds, through the whole parser: what a document is decides how it is read.
#include "spider/parse/link_list.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "spider/parse/page_parser.h"

namespace orbweaver {
namespace {

class LinkListTest : public testing::Test {
 protected:
  const ParsedPage& Parse(std::string_view body, std::string_view type = "application/xml") {
    parser_.Parse({.url = "https://example.com/x/list", .body = body, .content_type = type},
                  &page_);
    links_.clear();
    for (const DomainLinks& domain : page_.domains) {
      links_.insert(links_.end(), domain.links.begin(), domain.links.end());
    }
    return page_;
  }
  std::vector<std::string_view> Urls() const {
    std::vector<std::string_view> urls;
    for (const Link& link : links_) urls.push_back(link.url);
    return urls;
  }

  std::unique_ptr<const PublicSuffixes> suffixes_ = PublicSuffixes::Load({}).value();
  UrlResolver resolver_{UrlOptions(), *suffixes_};
  PageParser parser_{ParseOptions{.max_sitemap_links = 100}, &resolver_};
  ParsedPage page_;
  std::vector<Link> links_;
};
using UrlList = std::vector<std::string_view>;

TEST_F(LinkListTest, ASitemapsPagesAreItsLinks) {
  Parse(
      "\xef\xbb\xbf<?xml version='1.0'?><!-- c --><urlset xmlns='http://www.sitemaps.org/'\n"
      "xmlns:image='i' xmlns:xhtml='x'><url><loc>\n https://example.com/a?x=1&amp;y=2 </loc>"
      "<image:image><image:loc>https://example.com/no.png</image:loc></image:image>"
      "<xhtml:link rel='alternate' hreflang='de' href='https://example.com/de'/></url>"
      "<url><loc><![CDATA[https://example.com/b&c]]></loc></url><url><loc/></url></urlset>");
  EXPECT_EQ(DocumentKind::kSitemap, page_.kind);
  EXPECT_EQ((UrlList{"https://example.com/a?x=1&y=2", "https://example.com/de",
                     "https://example.com/b&c"}),
            Urls());
  EXPECT_EQ(LinkKind::kSitemapPage, links_[0].kind);
}

TEST_F(LinkListTest, AnIndexNamesSitemaps) {
  Parse("<sitemapindex><sitemap><loc>/s1.xml</loc><lastmod>2020</lastmod></sitemap></sitemapindex>",
        "text/plain");
  EXPECT_EQ(DocumentKind::kSitemapIndex, page_.kind);
  EXPECT_EQ((UrlList{"https://example.com/s1.xml"}), Urls());
  EXPECT_EQ(LinkKind::kSitemap, links_[0].kind);
}

TEST_F(LinkListTest, LinesOfUrlsAreASitemap) {
  Parse(
      "\n https://example.com/a\r\nhttps://example.com/b \n\nnot a url\nhttp://b.org/c d\n"
      "HTTPS://example.com/e",
      "text/plain");
  EXPECT_EQ(DocumentKind::kTextSitemap, page_.kind);
  EXPECT_EQ((UrlList{"https://example.com/a", "https://example.com/b", "https://example.com/e"}),
            Urls());
  EXPECT_EQ(DocumentKind::kOther, Parse("See https://example.com/", "text/plain").kind);
}

TEST_F(LinkListTest, LinesOfUrlsMayHaveATitleAndComments) {
  Parse("Sitemap of example.com\n\nhttps://example.com/a\n\xc2\xa0https://example.com/b\xc2\xa0\n",
        "text/plain");
  EXPECT_EQ(DocumentKind::kTextSitemap, page_.kind);
  EXPECT_EQ((UrlList{"https://example.com/a", "https://example.com/b"}), Urls());
  Parse("# a\n# b\nhttps://example.com/a\n", "text/plain");
  EXPECT_EQ(DocumentKind::kOther, page_.kind) << "a text that names a URL";
}

TEST_F(LinkListTest, WhiteSpaceAsPeoplePasteItIsNoPartOfAUrl) {
  Parse(
      "<urlset><url><loc>\xc2\xa0https://example.com/a\xc2\xa0 </loc></url>"
      "<url><loc>&#160;\n\xef\xbb\xbfhttps://example.com/b&#xa0;</loc></url>"
      "<url><loc>https://example.com/c\xc2\xa0x</loc></url></urlset>");
  EXPECT_EQ(
      (UrlList{"https://example.com/a", "https://example.com/b", "https://example.com/c%C2%A0x"}),
      Urls());
}

TEST_F(LinkListTest, AnItemsSourceHasLinksOfItsOwn) {
  Parse(
      "<feed xmlns='http://www.w3.org/2005/Atom'><entry><source><title>S</title>"
      "<link href='https://b.org/'/><link rel='self' href='https://b.org/feed'/></source>"
      "<title>E</title><link href='https://example.com/1'/></entry>"
      "<entry><source><link href='/unclosed'/></entry><entry><link href='/2'/></entry></feed>");
  ASSERT_EQ(5u, links_.size());
  const auto link = [this](std::string_view url) {
    return *std::find_if(links_.begin(), links_.end(),
                         [url](const Link& each) { return each.url == url; });
  };
  EXPECT_EQ(LinkKind::kFeedItem, link("https://example.com/1").kind);
  EXPECT_EQ("E", link("https://example.com/1").anchor);
  EXPECT_EQ(LinkKind::kFeedItem, link("https://example.com/2").kind);
  EXPECT_EQ(LinkKind::kAnchor, link("https://b.org/").kind);
  EXPECT_EQ(LinkKind::kFeed, link("https://b.org/feed").kind);
  Parse("<rss><channel><item><link>/1</link><source url='/rss2'>S</source></item></channel></rss>");
  EXPECT_EQ((UrlList{"https://example.com/rss2", "https://example.com/1"}), Urls());
}

TEST_F(LinkListTest, RssItemsAreLinksWithTheirTitles) {
  Parse(
      "<rss version='2.0'><channel><title>Feed</title><link>https://example.com/</link>"
      "<atom:link rel='self' href='https://example.com/rss'/><item><title>One &amp; <![CDATA[<1>"
      "]]></title><link>https://example.com/1</link><guid>https://example.com/no</guid></item>"
      "<item><guid>https://example.com/2</guid></item><item><guid isPermaLink='false'>"
      "https://example.com/no</guid></item></channel></rss>",
      "application/rss+xml");
  EXPECT_EQ(DocumentKind::kFeed, page_.kind);
  EXPECT_EQ("Feed", page_.title);
  EXPECT_EQ((UrlList{"https://example.com/", "https://example.com/1", "https://example.com/2"}),
            Urls());
  EXPECT_EQ(LinkKind::kFeedItem, links_[1].kind);
  EXPECT_EQ("One & <1>", links_[1].anchor);
}

TEST_F(LinkListTest, RdfAndAtomAreFeedsToo) {
  Parse(
      "<rdf:RDF><channel><link>https://example.com/</link></channel><item><link>/1</link></item>"
      "</rdf:RDF>");
  EXPECT_EQ((UrlList{"https://example.com/", "https://example.com/1"}), Urls());
  Parse(
      "<feed xmlns='http://www.w3.org/2005/Atom'><title type='html'>T</title>"
      "<link href='/home'/><link rel='next' href='/feed?page=2'/><entry><title>E</title>"
      "<link rel='edit' href='/no'/><link rel=\"alternate\" href=\"e?a=1&amp;b=2\"/></entry>"
      "</feed>",
      "application/atom+xml");
  EXPECT_EQ((UrlList{"https://example.com/home", "https://example.com/feed?page=2",
                     "https://example.com/x/e?a=1&b=2"}),
            Urls());
  EXPECT_EQ(LinkKind::kFeed, links_[1].kind);
  EXPECT_EQ("E", links_[2].anchor);
}

TEST_F(LinkListTest, BrokenXmlGivesWhatCanBeRead) {
  Parse("<urlset><url><loc>https://example.com/1</loc></url></x></y></z><url><loc>/2</loc></url>");
  EXPECT_EQ((UrlList{"https://example.com/1"}), Urls()) << "the root has ended";
  Parse("<urlset><url><loc>https://example.com/&#x4e2d;&#0;&bogus;&</loc></url><url><loc>/cut");
  EXPECT_EQ((UrlList{"https://example.com/%E4%B8%AD%EF%BF%BD&bogus;&"}), Urls());
  for (const char* cut : {"<urlset", "<urlset><url><loc", "<urlset><![CDATA[", "<urlset><!--",
                          "<urlset><url a='", "<urlset></", "<feed><link href", "<feed><link x="}) {
    Parse(cut);
    EXPECT_EQ(UrlList{}, Urls()) << cut;
  }
}

TEST_F(LinkListTest, ASitemapIsBoundedByItsOwnNumber) {
  std::string body = "<urlset>";
  for (int i = 0; i < 101; ++i) {
    body += "<url><loc>https://example.com/" + std::to_string(i) + "</loc></url>";
  }
  EXPECT_TRUE(Parse(body).links_truncated);
  EXPECT_EQ(100u, links_.size());
}

}  // namespace
}  // namespace orbweaver
