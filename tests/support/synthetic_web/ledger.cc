#include "tests/support/synthetic_web/ledger.h"

namespace orbweaver::synthetic {

Ledger::Ledger(const WebOptions& options)
    : pages_per_host_(options.pages_per_host), pages_(options.hosts) {}

uint32_t Ledger::Count(const Place& place) {
  if (place.kind == Place::Kind::kPage) {
    auto& pages = pages_[place.host];
    if (pages == nullptr) pages = std::make_unique<uint8_t[]>(pages_per_host_);
    uint8_t& count = pages[place.number];
    return count == 255 ? count : count++;
  }
  if (place.kind == Place::Kind::kUnknown || place.kind == Place::Kind::kNoHost) {
    return static_cast<uint32_t>(unknown_++);
  }
  const auto found = others_.find(place);
  if (found != others_.end()) return found->second++;
  if (others_.size() >= kMaxOthers) {
    ++unknown_;
  } else {
    others_.emplace(place, 1);
  }
  return 0;
}

uint32_t Ledger::RequestsOf(const Place& place) const {
  if (place.kind == Place::Kind::kPage) {
    const auto& pages = pages_[place.host];
    return pages == nullptr ? 0 : pages[place.number];
  }
  const auto found = others_.find(place);
  return found == others_.end() ? 0 : found->second;
}

void Ledger::ForEach(const std::function<void(const Place&, uint32_t requests)>& visit) const {
  for (uint32_t host = 0; host < pages_.size(); ++host) {
    if (pages_[host] == nullptr) continue;
    for (uint32_t page = 0; page < pages_per_host_; ++page) {
      if (pages_[host][page] == 0) continue;
      visit({.host = host, .number = page, .kind = Place::Kind::kPage}, pages_[host][page]);
    }
  }
  for (const auto& [place, requests] : others_) visit(place, requests);
}

void Ledger::Clear() {
  for (auto& pages : pages_) pages.reset();
  others_.clear();
  unknown_ = 0;
}

}  // namespace orbweaver::synthetic
