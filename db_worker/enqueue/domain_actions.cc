#include "db_worker/enqueue/domain_actions.h"

#include <algorithm>
#include <string>

#include "common/base/check.h"
#include "common/base/status.h"
#include "common/url/fingerprint.h"
#include "db_worker/queue/chunk.h"

namespace orbweaver {
namespace {

constexpr int kAllPlaces = -1;

}  // namespace

ScheduleAction ActionOf(const ScheduledRequest& request) {
  const ScheduleAction action = request.action;
  return action == ScheduleAction::kRaise || action == ScheduleAction::kDelete
             ? action
             : ScheduleAction::kAdd;
}

ScheduledRequest Complete(ScheduledRequest request) {
  if (request.fingerprint == Fingerprint{}) request.fingerprint = FingerprintOf(request.url);
  return request;
}

void AddSought(const ScheduledRequest& request, WaitingSearch::Sought* urls) {
  const ScheduleAction action = ActionOf(request);
  if (action == ScheduleAction::kAdd) return;
  // A RAISE to later moves nothing.
  if (action == ScheduleAction::kRaise && request.not_before != WallTime()) return;
  const int good_enough = action == ScheduleAction::kDelete ? kAllPlaces : BandOf(request.score);
  const auto [known, is_new] = urls->try_emplace(request.fingerprint, good_enough);
  if (!is_new) known->second = std::min(known->second, good_enough);
}

DomainActions::DomainActions(DomainEdit& edit, const WaitingSearch::Sought& urls) {
  std::vector<Added> before;
  edit.TakeAdded([&](std::string_view encoded) {
    Arena arena;
    ScheduledRequest request;
    // Encoded by this worker a moment ago.
    CHECK_OK(DecodeRequest(encoded, &arena, &request));
    before.push_back({bytes_.Copy(encoded), BandOf(request.score), request.not_before});
  });
  search_.Begin(edit, urls);
  for (const Added& added : before) Add(EncodedFingerprint(added.encoded), added);
}

void DomainActions::Apply(const ScheduledRequest& request, const Watermark& by, WallTime now,
                          DbWorkerMetrics& metrics, DomainEdit& edit) {
  const ScheduleAction action = ActionOf(request);
  if (action == ScheduleAction::kRaise && !MovesUp(request, now)) return;
  if (action != ScheduleAction::kAdd) {
    metrics.taken_out.Increment(TakeOut(request.fingerprint, by, edit));
  }
  if (action == ScheduleAction::kDelete) return;
  std::string encoded;
  EncodeRequest(request, &encoded);
  Add(request.fingerprint, {bytes_.Copy(encoded), BandOf(request.score), request.not_before});
  metrics.requests_queued.Increment();
}

void DomainActions::Add(const Fingerprint& url, const Added& added) {
  if (search_.IsSought(url)) added_of_[url].push_back(added_.size());
  added_.push_back(added);
}

// Where it has left the queue, or waits in as good a place, nothing is to be done. An owner to
// come, to whom the same message comes again, must not find otherwise: so the place that is wanted
// is no question of what time it is.
bool DomainActions::MovesUp(const ScheduledRequest& request, WallTime now) const {
  if (request.not_before != WallTime()) return false;
  std::optional<int> best = search_.BestBand(request.fingerprint);
  if (const auto found = added_of_.find(request.fingerprint); found != added_of_.end()) {
    for (const size_t at : found->second) {
      const Added& added = added_[at];
      best = std::min(best.value_or(kBands), added.not_before > now ? kBands : added.band);
    }
  }
  return best.has_value() && *best > BandOf(request.score);
}

uint64_t DomainActions::TakeOut(const Fingerprint& url, const Watermark& by, DomainEdit& edit) {
  uint64_t count = search_.TakeOut(url, by, &edit.head());
  const auto found = added_of_.find(url);
  if (found == added_of_.end()) return count;
  for (const size_t at : found->second) added_[at].encoded = {};
  count += found->second.size();
  added_of_.erase(found);
  return count;
}

void DomainActions::Purge() {
  search_.Purge();
  added_.clear();
  added_of_.clear();
}

void DomainActions::Finish(DomainEdit& edit, WallTime now) {
  for (const Added& added : added_) {
    if (added.encoded.empty()) continue;
    edit.AddEncoded(added.encoded, added.band, added.not_before, now);
  }
}

}  // namespace orbweaver
