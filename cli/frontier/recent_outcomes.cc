#include "cli/frontier/recent_outcomes.h"

#include <optional>
#include <utility>

namespace orbweaver {

void RecentOutcomes::Add(const SpiderLogEntry& entry) {
  std::optional<Outcome> outcome = OutcomeOf(entry);
  if (!outcome.has_value()) return;
  absl::MutexLock lock(&mutex_);
  kept_.push_back({.domain = std::string(entry.domain), .outcome = *std::move(outcome)});
  if (kept_.size() <= kMost) return;
  dropped_ = kept_.front().outcome.time;
  kept_.pop_front();
}

DomainOutcomes RecentOutcomes::Of(std::string_view domain, size_t most) const {
  DomainOutcomes last;
  absl::MutexLock lock(&mutex_);
  last.read_back_to = dropped_;
  for (auto kept = kept_.rbegin(); kept != kept_.rend(); ++kept) {
    if (kept->domain != domain) continue;
    if (last.outcomes.size() == most) {
      last.read_back_to = last.outcomes.back().time;
      break;
    }
    last.outcomes.push_back(kept->outcome);
  }
  return last;
}

}  // namespace orbweaver
