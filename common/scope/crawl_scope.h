// Which URLs a crawl is about.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

#include "common/scope/pattern_set.h"
#include "common/scope/scope_options.h"
#include "common/scope/seed_places.h"
#include "common/url/domain.h"

namespace orbweaver {

// Why a URL is not in scope.
enum class OutOfScope : uint8_t { kNot, kSeeds, kInclude, kExclude, kSitemaps };

// A URL is in scope when it is near enough to a seed of its domain (scope.kind), matches a pattern
// of scope.include where there are any, and none of scope.exclude. Patterns only ever take URLs
// away; more come by seeds and by scope.kind.
//
// Place: the strategy worker asks for every link and request, the spider for redirects, the command
// line for seeds. Thread-safe, and cheap to copy. URLs must be canonical.
class CrawlScope {
 public:
  // Fatal, naming option and pattern.
  static absl::StatusOr<CrawlScope> Make(const ScopeOptions& options,
                                         const PublicSuffixes& suffixes);
  // Everything.
  CrawlScope() = default;

  ScopeKind kind() const { return kind_; }
  // Nothing is ever out of it, nor fetched beside what the strategy schedules.
  bool IsEverything() const {
    return kind_ == ScopeKind::kEverything && !HasPatterns() && !assets_ &&
           sitemaps_ == SitemapUse::kStrategy;
  }
  bool assets() const { return assets_; }
  SitemapUse sitemaps() const { return sitemaps_; }
  // The strategy worker asks for sitemaps by itself.
  bool TakesSitemaps() const {
    return sitemaps_ == SitemapUse::kAlso || sitemaps_ == SitemapUse::kOnly;
  }

  bool HasPatterns() const { return !include_.empty() || !exclude_.empty(); }
  // Whether it matters where in a domain its seeds lie.
  bool AsksForPlaces() const { return kind_ == ScopeKind::kHost || kind_ == ScopeKind::kPath; }

  // Of a seed: the patterns alone.
  OutOfScope CheckSeed(std::string_view url) const;
  // Of a link to the domain that `finder` has begun.
  OutOfScope Check(std::string_view url, bool domain_has_seeds, SeedPlaceFinder& finder) const;
  // Of a sitemap, which no pattern of scope.include and no path need to have: it leads to URLs that
  // are checked themselves.
  OutOfScope CheckSitemap(std::string_view url, bool domain_has_seeds,
                          SeedPlaceFinder& finder) const;
  // Of what a page embeds: wherever it lies, and whatever scope.include says of pages.
  OutOfScope CheckAsset(std::string_view url) const;

  // Whether `to`, of the same registered domain, surely is in scope if `from` is: a redirect that
  // may be followed without asking whoever knows the seeds.
  bool Keeps(std::string_view from, std::string_view to, std::string_view domain) const;

 private:
  CrawlScope(const ScopeOptions& options, PatternSet include, PatternSet exclude);

  ScopeKind kind_ = ScopeKind::kEverything;
  SitemapUse sitemaps_ = SitemapUse::kStrategy;
  bool assets_ = false;
  PatternSet include_;
  PatternSet exclude_;
};

}  // namespace orbweaver
