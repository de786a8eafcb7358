// The events that the core has read and not yet committed to processing, and the domains they
// touch.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"

#include "common/base/ids.h"
#include "common/bus/message.h"
#include "strategy_worker/core/source_event.h"

namespace orbweaver {

struct TouchedDomain {
  std::string_view name;
  PartitionId partition;
  uint32_t first_event = 0;  // plus 1; 0: none. The others follow by SourceEvent::next_of_domain
  uint32_t last_event = 0;
  bool was_absent = false;  // its row had to be asked for
  bool is_examined = false;
  bool sends = false;  // its record has an outbox for the next flush
};

// Place: inside StrategyCore; filled by its polls, looked up by Lookup, applied in order. Not
// thread-safe.
class Batch {
 public:
  // The memory of one more poll.
  MessageBatch& AddPoll();

  // Adds an event, whose message stands in one of the polls.
  SourceEvent& AddEvent() { return events_.emplace_back(); }
  // Puts the last event that was added, which has an entry, into its domain's list.
  void Link(PartitionId partition);

  // Forgets the events of `partition` that were not applied: they are left without a message.
  void Forget(PartitionId partition);
  // Forgets everything.
  void Clear();

  // Those that were not applied yet.
  std::span<SourceEvent> rest() { return std::span(events_).subspan(next_); }
  bool empty() const { return next_ == events_.size(); }
  size_t size() const { return events_.size(); }
  SourceEvent& front() { return events_[next_]; }
  void Advance() { ++next_; }

  std::vector<TouchedDomain>& domains() { return domains_; }
  // Calls visit(event) for those of `domain` that were not applied yet.
  template <typename Visit>
  void ForEachEvent(const TouchedDomain& domain, Visit visit) {
    for (uint32_t i = domain.first_event; i != 0; i = events_[i - 1].next_of_domain) {
      if (i - 1 >= next_) visit(events_[i - 1]);
    }
  }

 private:
  std::deque<MessageBatch> polls_;  // used again
  size_t polls_used_ = 0;
  std::vector<SourceEvent> events_;
  size_t next_ = 0;
  std::vector<TouchedDomain> domains_;
  absl::flat_hash_map<std::string_view, uint32_t> domain_index_;
};

}  // namespace orbweaver
