// The options of the scope: `scope.*`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace orbweaver {

namespace config {
class Schema;
}

// How far links are followed from a domain's seeds, the nearest last.
enum class ScopeKind : uint8_t { kEverything, kDomain, kHost, kPath };

// "everything", "domain", "host", "path".
std::string_view ScopeKindName(ScopeKind kind);

// How sitemaps are asked for, and whether links from pages are followed beside them.
enum class SitemapUse : uint8_t { kStrategy, kAlso, kOnly, kNo };

struct ScopeOptions {
  ScopeKind kind = ScopeKind::kEverything;
  SitemapUse sitemaps = SitemapUse::kStrategy;
  // Fetches what pages embed, wherever it lies.
  bool assets = false;
  // Patterns (url_pattern.h). None: all URLs.
  std::vector<std::string> include;
  std::vector<std::string> exclude;
};

// `options` must outlive the schema. The patterns are checked by CrawlScope::Make.
void DeclareScopeOptions(config::Schema& schema, ScopeOptions* options);

}  // namespace orbweaver
