// The events that the core has read and not yet committed to processing, and the domains they
// touch. They are applied domain by domain, a portion at a time: as many domains as there is memory
// for their states and, of a large domain, as many events.
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
  bool was_absent = false;   // its row had to be asked for
  bool is_examined = false;  // as it is in memory; false when it has to be loaded again
  bool sends = false;        // its record has an outbox for the next flush
};

// Place: inside StrategyCore; filled by its polls, looked up by Lookup, applied, those of a domain
// in their order. Not thread-safe.
class Batch {
 public:
  // The memory of one more poll.
  MessageBatch& AddPoll();

  // Adds an event, whose message stands in one of the polls.
  SourceEvent& AddEvent() { return events_.emplace_back(); }
  // Puts the last event that was added into its domain's list; without an entry it has none.
  void Link(PartitionId partition);

  // Forgets the events of `partition` that were not applied: they are left without a message.
  void Forget(PartitionId partition);
  // Forgets everything.
  void Clear();

  bool empty() const { return events_.empty(); }
  size_t size() const { return events_.size(); }
  std::span<SourceEvent> events() { return events_; }
  std::span<TouchedDomain> domains() { return domains_; }

  // The domains that have events left, in the order of their turns, which may be changed once all
  // events are there.
  std::span<TouchedDomain> waiting() { return domains().subspan(next_domain_); }
  // The first of them, whose turn it is now.
  std::span<TouchedDomain> portion() { return waiting().first(portion_end_ - next_domain_); }
  // So many domains, of the last of them only what comes before the event of this number (as in the
  // domains' lists; 0: all), which must not be the first that it has left.
  void SetPortion(size_t domains, uint32_t end_event = 0) {
    portion_end_ = next_domain_ + domains;
    portion_end_event_ = end_event;
  }
  // Calls visit(event) for those of `domain` that were not applied yet.
  template <typename Visit>
  void ForEachEvent(const TouchedDomain& domain, Visit visit) {
    for (uint32_t i = domain.first_event; i != 0; i = events_[i - 1].next_of_domain) {
      visit(events_[i - 1]);
    }
  }

  // The same, of those of the portion: visit(number, event).
  template <typename Visit>
  void ForEachEventOfPortion(const TouchedDomain& domain, Visit visit) {
    const uint32_t end = EndEventOf(domain);
    for (uint32_t i = domain.first_event; i != end && i != 0; i = events_[i - 1].next_of_domain) {
      visit(i, events_[i - 1]);
    }
  }

  // The portion's next event; null when the portion is done. Events of no domain come first.
  SourceEvent* Next();
  // The domain of Next()'s event, where that has an entry.
  TouchedDomain& domain() { return domains_[next_domain_]; }
  void Advance();
  // To be asked when the portion is done.
  bool IsDone() const { return next_domain_ == domains_.size(); }

 private:
  // The number of the domain's event at which the portion ends; 0: it has all of them.
  uint32_t EndEventOf(const TouchedDomain& domain) const {
    return &domain == domains_.data() + portion_end_ - 1 ? portion_end_event_ : 0;
  }

  std::deque<MessageBatch> polls_;  // used again
  size_t polls_used_ = 0;
  std::vector<SourceEvent> events_;
  std::vector<uint32_t> of_no_domain_;
  size_t next_of_none_ = 0;
  std::vector<TouchedDomain> domains_;
  size_t next_domain_ = 0;
  size_t portion_end_ = 0;
  uint32_t portion_end_event_ = 0;
  absl::flat_hash_map<std::string_view, uint32_t> domain_index_;
};

}  // namespace orbweaver
