// A fetched document, and what parsing found in it.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "common/base/ids.h"
#include "common/model/spider_log.h"

namespace orbweaver {

// The parser's input. Headers are as they were received; empty when there was none.
struct PageInput {
  std::string_view url;   // of the body: after redirects, canonical
  std::string_view body;  // its content encoding undone
  std::string_view content_type;
  std::string_view content_language;
  std::span<const std::string_view> x_robots_tags;
};

enum class DocumentKind : uint8_t {
  kHtml,
  kSitemap,       // XML <urlset>
  kSitemapIndex,  // XML <sitemapindex>
  kTextSitemap,   // lines that are URLs
  kFeed,          // RSS 0.9x, 1.0, 2.0 and Atom
  kStyleSheet,    // text/css; read where embedded links are taken
  kOther,         // nothing of ours in it
};
std::string_view DocumentKindName(DocumentKind kind);

// The links to one registered domain: what a LinksFound to it lists.
struct DomainLinks {
  std::string_view domain;
  Slot slot;
  std::span<const Link> links;
};

// Views into the parser's arena and into the input. All texts are UTF-8 within the bounds of
// common/model/limits.h, so that every entry made of them can be encoded.
struct ParsedPage {
  DocumentKind kind = DocumentKind::kOther;
  std::string_view content_type;  // lower-case, without parameters; empty: not told
  std::string_view charset;       // WHATWG name; empty: no text
  std::string_view title;
  std::string_view language;
  std::string_view robots_directives;
  std::string_view canonical_url;
  uint64_t text_bytes = 0;
  uint32_t links_inside = 0;
  uint32_t links_outside = 0;
  // As far as they are wanted (TextOptions).
  std::string_view text;
  std::string_view markdown;
  bool text_truncated = false;
  // A bound was met: links beyond it are missing.
  bool links_truncated = false;
  // Links that are no URL to crawl: mailto:, javascript:, malformed, traps.
  uint32_t links_rejected = 0;
  // By registered domain, in the order in which the page first links to it; within one in the order
  // of the page. No URL comes twice.
  std::span<const DomainLinks> domains;
};

// Writes what `page` has into the fields of a PageFetched that describe content.
void DescribeContent(const ParsedPage& page, PageFetched* fetched);

}  // namespace orbweaver
