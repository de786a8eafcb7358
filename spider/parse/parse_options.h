#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace orbweaver {

namespace config {
class Schema;
}

enum class HtmlEngineKind : uint8_t { kScanner, kGumbo };

// Readable text. No options of their own: the archive's decide whether anybody wants it.
struct TextOptions {
  bool text = false;
  bool markdown = false;
  // Of each; what is beyond is cut off.
  size_t max_bytes = size_t{1} << 20;

  bool any() const { return text || markdown; }
};

struct ParseOptions {
  HtmlEngineKind engine = HtmlEngineKind::kScanner;
  // Links to what a page embeds: images, scripts, style sheets, audio, video.
  bool embedded = false;
  // A URL that is both embedded and linked to is told as embedded: where assets are fetched, those
  // that need no other reason (scope.assets).
  bool prefer_embedded = false;
  // The name by which pages may speak to this crawler: <meta name=NAME>, X-Robots-Tag: NAME: … No
  // option of its own: robots.txt and pages use one name (spider/robots/crawler_name.h).
  std::string robots_name;
  size_t max_page_links = 5'000;
  // By the protocol a sitemap has up to 50,000.
  size_t max_sitemap_links = 50'000;
  // Of sitemaps that are gzip files: what they may become, in all (by the protocol 50 MB) and as a
  // multiple of themselves.
  size_t max_unpacked_bytes = size_t{50} << 20;
  uint32_t max_compression = 250;
  TextOptions text;
};

// The options `spider.parse.*`. `options` must outlive the schema.
void DeclareParseOptions(config::Schema& schema, ParseOptions* options);

}  // namespace orbweaver
