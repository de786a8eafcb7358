// Requests that the frontier makes by itself, beside those of the strategy: what pages embed
// (scope.assets) and sitemaps (scope.sitemaps). An entry of their meta tells them from others; it
// comes back with their outcomes and stands in the links that were found there.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "common/model/spider_feed.h"

namespace orbweaver {

// From a page over style sheets and redirects to an asset, and from robots.txt over indexes and
// redirects to a sitemap: further ones are not made. A server can invent them without end.
inline constexpr uint32_t kMaxOwnSteps = 5;

struct OwnRequest {
  enum class Kind : uint8_t { kNone, kAsset, kSitemap };

  Kind kind = Kind::kNone;
  // 1: a page, or robots.txt, named it; one more for each style sheet, index or redirect between.
  uint32_t steps = 0;
  // Of an asset: links to it are in the crawl's scope, so an HTML document there is a page.
  bool is_in_scope = false;

  bool IsAsset() const { return kind == Kind::kAsset; }
  bool IsSitemap() const { return kind == Kind::kSitemap; }
  // It lies where no links are followed.
  bool IsForeignAsset() const { return IsAsset() && !is_in_scope; }

  friend bool operator==(const OwnRequest&, const OwnRequest&) = default;
};

// kNone when none of the entries is ours. A value that this version does not know is read as that
// of a request from which nothing follows.
OwnRequest OwnRequestOf(std::span<const Meta> meta);

// Whether an answer of this type, in lower case and without parameters, is a page of the crawl: all
// are but those to our own requests, and of these HTML documents in scope that a page embeds.
bool IsPage(const OwnRequest& request, std::string_view content_type);

// The entry by which OwnRequestOf finds `request`; its views live for ever. `kind` is not kNone,
// and `steps` 1 to kMaxOwnSteps.
Meta MetaOf(const OwnRequest& request);

}  // namespace orbweaver
