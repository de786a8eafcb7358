#include "tests/support/synthetic_web/reachable.h"

#include <algorithm>

#include "common/base/status.h"

namespace orbweaver::synthetic {

Reachable::Reachable(const Web& web)
    : web_(&web),
      pages_(size_t{web.options().hosts} * web.options().pages_per_host),
      counts_(static_cast<size_t>(Outcome::kCount)) {}

absl::StatusOr<Reachable> Reachable::Compute(const Web& web, std::span<const std::string> seeds,
                                             const ReachOptions& options) {
  Reachable reachable(web);
  std::vector<Place> waiting;
  std::vector<Place> learnt;
  std::vector<bool> asked_robots(web.hosts().count());

  const auto learn = [&](const Place& place) {
    // A calendar without an end has no last day to stop at.
    if (place.kind == Place::Kind::kDay && web.options().calendar_days == 0) return;
    if (!reachable.Insert(place)) return;
    waiting.push_back(place);
    if (place.kind == Place::Kind::kPrivateAddress || asked_robots[place.host]) return;
    asked_robots[place.host] = true;
    if (!options.sitemaps || web.hosts().TraitsOf(place.host).sitemaps == SitemapKind::kNone) {
      return;
    }
    const Place sitemap{.host = place.host, .number = 0, .kind = Place::Kind::kSitemap};
    if (web.OutcomeOf(sitemap) == Outcome::kPage && reachable.Insert(sitemap)) {
      waiting.push_back(sitemap);
    }
  };

  for (const std::string& seed : seeds) {
    const std::optional<Place> place = web.paths().FindUrl(seed);
    if (!place || place->kind == Place::Kind::kUnknown) {
      return FatalError("reachable set: seed '{}' is no URL of this web.", seed);
    }
    learn(*place);
  }
  while (!waiting.empty()) {
    const Place place = waiting.back();
    waiting.pop_back();
    ++reachable.counts_[static_cast<size_t>(web.OutcomeOf(place))];
    learnt.clear();
    web.AppendLearnt(place, &learnt);
    for (const Place& next : learnt) learn(next);
  }
  return reachable;
}

bool Reachable::Insert(const Place& place) {
  if (place.kind != Place::Kind::kPage) return others_.insert(place).second;
  auto bit = pages_[size_t{place.host} * web_->options().pages_per_host + place.number];
  if (bit) return false;
  bit = true;
  return true;
}

bool Reachable::Contains(const Place& place) const {
  if (place.kind != Place::Kind::kPage) return others_.contains(place);
  return pages_[size_t{place.host} * web_->options().pages_per_host + place.number];
}

void Reachable::ForEach(const std::function<void(const Place&, Outcome)>& visit) const {
  std::vector<Place> others(others_.begin(), others_.end());
  std::sort(others.begin(), others.end());
  auto other = others.begin();
  const uint32_t pages = web_->options().pages_per_host;
  for (uint32_t host = 0; host < web_->hosts().count(); ++host) {
    for (uint32_t page = 0; page < pages; ++page) {
      if (!pages_[size_t{host} * pages + page]) continue;
      const Place place{.host = host, .number = page, .kind = Place::Kind::kPage};
      visit(place, web_->OutcomeOf(place));
    }
    for (; other != others.end() && other->host == host; ++other) {
      visit(*other, web_->OutcomeOf(*other));
    }
  }
}

}  // namespace orbweaver::synthetic
