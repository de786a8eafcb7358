#include "strategy_worker/core/scope_filter.h"

#include <algorithm>

namespace orbweaver {
namespace {

LinkKind KindOf(const orbweaver_link& link) { return static_cast<LinkKind>(link.kind); }

// As which the document was asked for that has the links.
OwnRequest SourceOf(const SourceEvent& event) {
  const auto* const found = std::get_if<LinksFound>(&event.entry->event);
  return found == nullptr ? OwnRequest() : OwnRequestOf(found->source.meta);
}

}  // namespace

void ScopeFilter::BeginDomain(std::string_view domain, const DomainRecord& record) {
  domain_ = domain;
  places_ = record.seed_places;
  finder_.Begin(domain_, places_);
}

bool ScopeFilter::NeedsLook(bool is_asked_for) const {
  return scope_.HasPatterns() || scope_.assets() || scope_.sitemaps() != SitemapUse::kStrategy ||
         (!is_asked_for && scope_.AsksForPlaces());
}

void ScopeFilter::Filter(SourceEvent* event) {
  const size_t count = event->links.size();
  const bool is_asked_for = event->IsAskedFor();
  const bool has_no_place =
      !is_asked_for && scope_.kind() != ScopeKind::kEverything && places_.empty();
  if (has_no_place && !scope_.assets()) {
    Count(OutOfScope::kSeeds, count);
    event->Keep({});
    return;
  }
  if (NeedsLook(is_asked_for)) {
    const OwnRequest source = SourceOf(*event);
    fates_.assign(count, kAsk);
    for (size_t i = 0; i < count; ++i) {
      const OwnRequest own = OwnKindOf(*event, i, source);
      const OutOfScope why = Check(*event, i, source, own);
      Count(why, 1);
      if (why != OutOfScope::kNot) {
        fates_[i] = kLeaveOut;
      } else if (own.kind != OwnRequest::Kind::kNone) {
        fates_[i] = kOwn;
      }
    }
    Sort(event);
  }
  if (event->OpensScope()) OpenFor(*event);
}

OwnRequest ScopeFilter::OwnKindOf(const SourceEvent& event, size_t link,
                                  const OwnRequest& source) const {
  using Kind = OwnRequest::Kind;
  // A failed one that is asked for again by name.
  if (const auto* const seeds = std::get_if<Seeds>(&event.entry->event)) {
    return OwnRequestOf(seeds->seeds[event.seeds[link]].meta);
  }
  if (const auto* const order = std::get_if<UrlOrder>(&event.entry->event)) {
    return OwnRequestOf(order->meta);
  }
  const LinkKind kind = KindOf(event.links[link]);
  const bool is_redirect = kind == LinkKind::kRedirect;
  const bool is_asset =
      scope_.assets() && (kind == LinkKind::kEmbed || (is_redirect && source.IsAsset()));
  const bool is_sitemap =
      scope_.TakesSitemaps() && (kind == LinkKind::kSitemap || (is_redirect && source.IsSitemap()));
  if (!is_asset && !is_sitemap) return {};
  return {.kind = is_asset ? Kind::kAsset : Kind::kSitemap, .steps = source.steps + 1};
}

OwnRequest ScopeFilter::OwnRequestFor(const SourceEvent& event, size_t link) {
  OwnRequest own = OwnKindOf(event, link, SourceOf(event));
  own.is_in_scope = own.IsAsset() && scope_.Check(ToView(event.links[link].url_view),
                                                  !places_.empty(), finder_) == OutOfScope::kNot;
  return own;
}

OutOfScope ScopeFilter::Check(const SourceEvent& event, size_t link, const OwnRequest& source,
                              const OwnRequest& own) {
  const std::string_view url = ToView(event.links[link].url_view);
  if (own.steps > kMaxOwnSteps) return own.IsSitemap() ? OutOfScope::kSitemaps : OutOfScope::kSeeds;
  if (own.IsAsset()) return scope_.CheckAsset(url);
  if (own.IsSitemap()) return scope_.CheckSitemap(url, !places_.empty(), finder_);
  if (event.IsAskedFor()) return scope_.CheckSeed(url);
  return CheckLink(KindOf(event.links[link]), url, source);
}

OutOfScope ScopeFilter::CheckLink(LinkKind kind, std::string_view url, const OwnRequest& source) {
  if (source.IsForeignAsset()) return OutOfScope::kSeeds;
  const bool is_sitemap = kind == LinkKind::kSitemap;
  const OutOfScope why = is_sitemap ? scope_.CheckSitemap(url, !places_.empty(), finder_)
                                    : scope_.Check(url, !places_.empty(), finder_);
  if (why != OutOfScope::kNot) return why;
  // A page that moved is the one that the sitemap meant.
  const bool is_of_sitemap = kind == LinkKind::kSitemapPage || kind == LinkKind::kRedirect;
  const bool is_left_out = is_sitemap ? scope_.sitemaps() == SitemapUse::kNo
                                      : scope_.sitemaps() == SitemapUse::kOnly && !is_of_sitemap;
  return is_left_out ? OutOfScope::kSitemaps : OutOfScope::kNot;
}

bool ScopeFilter::TakesSitemap(std::string_view url) {
  return scope_.TakesSitemaps() &&
         scope_.CheckSitemap(url, !places_.empty(), finder_) == OutOfScope::kNot;
}

bool ScopeFilter::AllowsRequest(std::string_view url, std::string_view as_given,
                                const SourceEvent& event) {
  const auto* const facts = std::get_if<HostFacts>(&event.entry->event);
  const bool is_sitemap =
      facts != nullptr && std::ranges::find(facts->sitemaps, as_given) != facts->sitemaps.end();
  const bool has_seeds = !places_.empty();
  OutOfScope why = is_sitemap ? scope_.CheckSitemap(url, has_seeds, finder_)
                              : scope_.Check(url, has_seeds, finder_);
  if (why == OutOfScope::kNot && is_sitemap && scope_.sitemaps() == SitemapUse::kNo) {
    why = OutOfScope::kSitemaps;
  }
  Count(why, 1);
  return why == OutOfScope::kNot;
}

void ScopeFilter::Sort(SourceEvent* event) {
  own_links_.clear();
  own_fingerprints_.clear();
  own_seeds_.clear();
  for (size_t i = 0; i < fates_.size(); ++i) {
    if (fates_[i] != kOwn) continue;
    own_links_.push_back(event->links[i]);
    own_fingerprints_.push_back(event->fingerprints[i]);
    if (!event->seeds.empty()) own_seeds_.push_back(event->seeds[i]);
    fates_[i] = kLeaveOut;
  }
  const std::span<orbweaver_link> links = event->links;
  const std::span<Fingerprint> fingerprints = event->fingerprints;
  const std::span<uint32_t> seeds = event->seeds;
  event->Keep(fates_);
  event->own = own_links_.size();
  const size_t asked = event->links.size();
  std::ranges::copy(own_links_, links.begin() + static_cast<ptrdiff_t>(asked));
  std::ranges::copy(own_fingerprints_, fingerprints.begin() + static_cast<ptrdiff_t>(asked));
  std::ranges::copy(own_seeds_,
                    seeds.begin() + static_cast<ptrdiff_t>(std::min(asked, seeds.size())));
  event->links = links.first(asked + event->own);
  event->fingerprints = fingerprints.first(asked + event->own);
}

void ScopeFilter::OpenFor(const SourceEvent& seeds) {
  bool full = false;  // told when the record is changed
  for (const orbweaver_link& seed : seeds.asked()) {
    AddSeedPlace(ToView(seed.url_view), domain_, &places_, &full);
  }
  finder_.Begin(domain_, places_);
}

void ScopeFilter::Count(OutOfScope why, uint64_t urls) {
  switch (why) {
    case OutOfScope::kNot:
      return;
    case OutOfScope::kSeeds:
      return metrics_.links_beyond_seeds.Increment(urls);
    case OutOfScope::kInclude:
      return metrics_.links_not_included.Increment(urls);
    case OutOfScope::kExclude:
      return metrics_.links_excluded.Increment(urls);
    case OutOfScope::kSitemaps:
      return metrics_.links_by_sitemaps.Increment(urls);
  }
}

}  // namespace orbweaver
