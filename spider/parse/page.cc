#include "spider/parse/page.h"

namespace orbweaver {

std::string_view DocumentKindName(DocumentKind kind) {
  switch (kind) {
    case DocumentKind::kHtml:
      return "html";
    case DocumentKind::kSitemap:
      return "sitemap";
    case DocumentKind::kSitemapIndex:
      return "sitemap-index";
    case DocumentKind::kTextSitemap:
      return "text-sitemap";
    case DocumentKind::kFeed:
      return "feed";
    case DocumentKind::kStyleSheet:
      return "style-sheet";
    case DocumentKind::kOther:
      return "other";
  }
  return "unknown";
}

void DescribeContent(const ParsedPage& page, PageFetched* fetched) {
  fetched->content_type = page.content_type;
  fetched->charset = page.charset;
  fetched->title = page.title;
  fetched->language = page.language;
  fetched->robots_directives = page.robots_directives;
  fetched->canonical_url = page.canonical_url;
  fetched->links_inside = page.links_inside;
  fetched->links_outside = page.links_outside;
  fetched->text_bytes = page.text_bytes;
  fetched->links_truncated = page.links_truncated;
}

}  // namespace orbweaver
