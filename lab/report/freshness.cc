#include "lab/report/freshness.h"

#include <algorithm>
#include <tuple>

namespace orbweaver::lab {
namespace {

constexpr double kDayMs = 24.0 * 3600 * 1000;

}  // namespace

PageChanges::PageChanges(const PageTable& pages) {
  for (uint32_t url = 0; url < pages.known(); ++url) {
    uint32_t before = 0;
    for (const VisitFacts& visit : pages.VisitsOf(url)) {
      if (!visit.is_page() || visit.content == before) continue;
      if (before != 0) {
        all_.push_back({.at_ms = visit.at_ms, .url = url, .content = visit.content});
      }
      before = visit.content;
    }
  }
  std::ranges::sort(all_, {},
                    [](const Change& change) { return std::tuple(change.at_ms, change.url); });
}

Freshness::Freshness(const PageTable& pages, const PageChanges& changes)
    : changes_(changes.all()),
      current_(pages.known()),
      copy_(pages.known()),
      stale_since_ms_(pages.known(), -1) {
  for (uint32_t url = 0; url < pages.known(); ++url) {
    const auto visits = pages.VisitsOf(url);
    const auto page = std::ranges::find_if(visits, &VisitFacts::is_page);
    if (page != visits.end()) current_[url] = page->content;
  }
}

void Freshness::AddCopy(uint32_t url, uint32_t content, int64_t at_ms) {
  AdvanceTo(at_ms);
  if (copy_[url] == 0) ++copies_;
  copy_[url] = content;
  Update(url, at_ms);
}

void Freshness::AddUnknownCopy(int64_t at_ms) {
  ++unknown_;
  unknown_since_sum_ += static_cast<double>(at_ms);
}

void Freshness::AdvanceTo(int64_t at_ms) {
  while (next_change_ < changes_.size() && changes_[next_change_].at_ms <= at_ms) {
    const PageChanges::Change& change = changes_[next_change_++];
    current_[change.url] = change.content;
    Update(change.url, change.at_ms);
  }
}

void Freshness::Update(uint32_t url, int64_t at_ms) {
  if (copy_[url] == 0) return;
  int64_t& since = stale_since_ms_[url];
  const bool is_stale = copy_[url] != current_[url];
  if (is_stale == (since >= 0)) return;
  if (is_stale) {
    since = at_ms;
    ++stale_;
    stale_since_sum_ += static_cast<double>(at_ms);
  } else {
    --stale_;
    stale_since_sum_ -= static_cast<double>(since);
    since = -1;
  }
}

double Freshness::StaleMilliseconds(int64_t at_ms) const {
  return static_cast<double>(stale_) * static_cast<double>(at_ms) - stale_since_sum_;
}

Bounded Freshness::FreshShareAt(int64_t at_ms) {
  AdvanceTo(at_ms);
  const auto copies = static_cast<double>(copies_);
  const auto fresh = static_cast<double>(copies_ - stale_);
  const auto unknown = static_cast<double>(unknown_);
  if (copies_ + unknown_ == 0) return {.low = 1, .estimate = 1, .high = 1};
  return {.low = fresh / (copies + unknown),
          .estimate = copies_ == 0 ? 1 : fresh / copies,
          .high = (fresh + unknown) / (copies + unknown)};
}

Bounded Freshness::AgeInDaysAt(int64_t at_ms) {
  AdvanceTo(at_ms);
  const auto copies = static_cast<double>(copies_);
  const auto unknown = static_cast<double>(unknown_);
  if (copies_ + unknown_ == 0) return {};
  const double stale = StaleMilliseconds(at_ms) / kDayMs;
  const double worst = (unknown * static_cast<double>(at_ms) - unknown_since_sum_) / kDayMs;
  return {.low = stale / (copies + unknown),
          .estimate = copies_ == 0 ? 0 : stale / copies,
          .high = (stale + worst) / (copies + unknown)};
}

}  // namespace orbweaver::lab
