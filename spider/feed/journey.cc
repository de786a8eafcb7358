#include "spider/feed/journey.h"

#include <algorithm>

namespace orbweaver {

Journey::Journey(std::string_view url, std::string_view domain, std::chrono::milliseconds delay)
    : entry_{.entry =
                 Request{.url = arena_.Copy(url), .domain = arena_.Copy(domain), .delay = delay}} {}

absl::Status Journey::Read(std::string_view bytes) {
  bytes_ = bytes;
  return Decode(bytes_, &arena_, &entry_);
}

std::string_view Journey::answered_url() const {
  return redirects_.size() < 2 ? request().url : redirects_[redirects_.size() - 2].url;
}

Journey::Next Journey::Follow(uint32_t status, std::string_view location, UrlResolver& resolver,
                              uint32_t max_redirects, const CrawlScope& scope) {
  ResolvedUrl next;
  if (location.empty()) {
    why_ = "no Location";
    return Next::kFailed;
  }
  if (resolver.SetBase(url()) != UrlError::kNone ||
      resolver.Resolve(location, &next) != UrlError::kNone) {
    why_ = "the Location is no URL to fetch";
    return Next::kFailed;
  }
  const bool inside = next.domain == request().domain;
  if (inside && (next.url == request().url ||
                 std::ranges::find(redirects_, next.url, &Redirect::url) != redirects_.end())) {
    why_ = "redirects in a circle";
    return Next::kFailed;
  }
  if (inside && redirects_.size() >= max_redirects) {
    why_ = "too many redirects";
    return Next::kFailed;
  }
  const bool follows = inside && scope.Keeps(url(), next.url, request().domain);
  redirects_.push_back({.url = arena_.Copy(next.url), .status = status});
  return follows ? Next::kFollow : Next::kAway;
}

}  // namespace orbweaver
