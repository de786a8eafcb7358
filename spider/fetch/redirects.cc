#include "spider/fetch/redirects.h"

#include <algorithm>
#include <utility>

namespace orbweaver {

bool IsRedirect(uint32_t status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

Redirects::Redirects(std::string_view url, std::string_view domain, uint32_t max_redirects,
                     CrawlScope scope)
    : domain_(domain),
      max_redirects_(max_redirects),
      scope_(std::move(scope)),
      urls_{std::string(url)} {}

Redirects::Next Redirects::Take(uint32_t status, std::string_view location, UrlResolver& resolver) {
  ResolvedUrl next;
  if (location.empty()) {
    why_ = "no Location";
    return Next::kFailed;
  }
  if (resolver.SetBase(urls_.back()) != UrlError::kNone ||
      resolver.Resolve(location, &next) != UrlError::kNone) {
    why_ = "the Location is no URL to fetch";
    return Next::kFailed;
  }
  if (next.domain == domain_ && std::ranges::find(urls_, next.url) != urls_.end()) {
    why_ = "redirects in a circle";
    return Next::kFailed;
  }
  if (next.domain == domain_ && statuses_.size() >= max_redirects_) {
    why_ = "too many redirects";
    return Next::kFailed;
  }
  const bool follows = next.domain == domain_ && scope_.Keeps(urls_.back(), next.url, domain_);
  urls_.emplace_back(next.url);
  statuses_.push_back(status);
  return follows ? Next::kFollow : Next::kAway;
}

std::vector<Redirect> Redirects::followed() const {
  std::vector<Redirect> redirects(statuses_.size());
  for (size_t i = 0; i < statuses_.size(); ++i) {
    redirects[i] = {.url = urls_[i + 1], .status = statuses_[i]};
  }
  return redirects;
}

}  // namespace orbweaver
