#include "strategy_worker/core/scope_filter.h"

#include <algorithm>

namespace orbweaver {

void ScopeFilter::BeginDomain(std::string_view domain, const DomainRecord& record) {
  domain_ = domain;
  places_ = record.seed_places;
  finder_.Begin(domain_, places_);
}

void ScopeFilter::Filter(SourceEvent* event) {
  const size_t count = event->links.size();
  const bool is_seeds = event->kind == ORBWEAVER_SEEDS;
  if (!is_seeds && scope_.kind() != ScopeKind::kEverything && places_.empty()) {
    Count(OutOfScope::kSeeds, count);
    event->Keep({});
    return;
  }
  if (scope_.HasPatterns() || (!is_seeds && scope_.AsksForPlaces())) {
    keep_.assign(count, 1);
    for (size_t i = 0; i < count; ++i) {
      const OutOfScope why = Check(*event, event->links[i]);
      if (why == OutOfScope::kNot) continue;
      keep_[i] = 0;
      Count(why, 1);
    }
    event->Keep(keep_);
  }
  if (event->OpensScope()) OpenFor(*event);
}

OutOfScope ScopeFilter::Check(const SourceEvent& event, const orbweaver_link& link) {
  const std::string_view url = ToView(link.url_view);
  if (event.kind == ORBWEAVER_SEEDS) return scope_.CheckSeed(url);
  const bool has_seeds = !places_.empty();
  return link.kind == static_cast<uint32_t>(LinkKind::kSitemap)
             ? scope_.CheckSitemap(url, has_seeds, finder_)
             : scope_.Check(url, has_seeds, finder_);
}

bool ScopeFilter::AllowsRequest(std::string_view url, std::string_view as_given,
                                const SourceEvent& event) {
  const auto* const facts = std::get_if<HostFacts>(&event.entry->event);
  const bool is_sitemap =
      facts != nullptr && std::ranges::find(facts->sitemaps, as_given) != facts->sitemaps.end();
  const bool has_seeds = !places_.empty();
  const OutOfScope why = is_sitemap ? scope_.CheckSitemap(url, has_seeds, finder_)
                                    : scope_.Check(url, has_seeds, finder_);
  Count(why, 1);
  return why == OutOfScope::kNot;
}

void ScopeFilter::OpenFor(const SourceEvent& seeds) {
  bool full = false;  // told when the record is changed
  for (const orbweaver_link& seed : seeds.links) {
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
  }
}

}  // namespace orbweaver
