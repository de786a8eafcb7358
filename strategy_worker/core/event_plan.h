// The changes that one event brings to its domain, on copies.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"

#include "common/base/ids.h"
#include "common/model/arena.h"
#include "common/model/scoring_log.h"
#include "strategy_worker/core/kept_entries.h"
#include "strategy_worker/core/source_event.h"
#include "strategy_worker/sdk/decision_effect.h"
#include "strategy_worker/states/state_store.h"

namespace orbweaver {

bool IsFailed(const LinkState& state);

// States of URLs by place: the event's own URLs come first, in its order, then those that are asked
// for beside them. Nothing here fails, and nothing outside changes before ApplyTo.
//
// Place: inside EventHandler, reused from event to event. Not thread-safe.
class EventPlan {
 public:
  // Replaces the plan; the states of the event's URLs are loaded.
  void Begin(const SourceEvent& event, const DomainStates& states);

  // The place of a further URL, which may be one that the plan has.
  size_t AddUrl(const Fingerprint& fingerprint);
  // Of further URLs, whose states are loaded now.
  void FindFurther(const DomainStates& states);

  // Copies of what metas point to live here until the next Begin.
  Arena& arena() { return arena_; }

  std::span<const Fingerprint> fingerprints() const { return fingerprints_; }
  bool HasFurther() const { return fingerprints_.size() > own_; }
  LinkState& state(size_t place) { return states_[place]; }
  bool known(size_t place) const { return known_[place]; }
  bool requested(size_t place) const { return requested_[place] != 0; }
  // As it was before the event.
  bool had_failed(size_t place) const { return had_failed_[place] != 0; }

  // Whether the event is another failure of a request of its URL that had an outcome.
  bool IsRepeatedFailure(uint32_t attempt) const;

  // `state(place)` was changed by the caller.
  void MarkChanged(size_t place);

  // True when the decision schedules a request.
  bool Decide(size_t place, const orbweaver_decision& decision, std::string_view url,
              std::span<const Meta> meta, std::string_view referrer);
  void Add(const ScheduledRequest& request) { requests_.push_back(request); }
  // The request of that number is fetched sooner than its strategy ranks it. False, and nothing
  // changed: its meta has no room to say so.
  bool Promote(size_t request, double probability);
  std::span<const ScheduledRequest> requests() const { return requests_; }

  // All requests of the domain leave the queue, before those of this plan come into it.
  void Purge();
  // No request leaves before `until`; the latest counts.
  void Block(WallTime until);

  DomainUpdate update;

  // Whether any URL's state changes.
  bool HasChanges() const { return !changed_.empty(); }
  // Puts the changed states.
  void ApplyTo(DomainStates* states);
  // Tells *kept_entries of URLs that failed and of those that are failed no more. `failure`: the
  // event's own outcome as it stands in the spider log; empty when it is none.
  void TellFailed(PartitionId partition, std::string_view domain, std::string_view failure,
                  KeptEntries* kept_entries);

 private:
  void Schedule(size_t place, const orbweaver_decision& decision, std::string_view url,
                std::span<const Meta> meta, std::string_view referrer,
                const sdk::DecisionEffect& effect);
  void GrowTo(size_t count);

  size_t own_ = 0;  // places of the event's own URLs
  std::vector<Fingerprint> fingerprints_;
  std::vector<LinkState> states_;
  absl::InlinedVector<bool, 64> known_;
  std::vector<uint8_t> requested_;
  std::vector<uint8_t> had_failed_;
  std::vector<uint32_t> changed_;
  absl::flat_hash_map<Fingerprint, size_t> places_;  // filled when the first further URL comes
  std::vector<ScheduledRequest> requests_;
  Arena arena_;
};

}  // namespace orbweaver
