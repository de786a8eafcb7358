#include "strategy_worker/core/batch.h"

namespace orbweaver {

MessageBatch& Batch::AddPoll() {
  if (polls_used_ == polls_.size()) polls_.emplace_back();
  return polls_[polls_used_++];
}

void Batch::Link(PartitionId partition) {
  const auto number = static_cast<uint32_t>(events_.size());
  if (events_.back().entry == nullptr) {
    of_no_domain_.push_back(number - 1);
    return;
  }
  const std::string_view name = events_.back().entry->domain;
  const auto [found, is_new] =
      domain_index_.try_emplace(name, static_cast<uint32_t>(domains_.size()));
  if (is_new) domains_.push_back({.name = name, .partition = partition});
  TouchedDomain& domain = domains_[found->second];
  if (domain.first_event == 0) {
    domain.first_event = number;
  } else {
    events_[domain.last_event - 1].next_of_domain = number;
  }
  domain.last_event = number;
}

void Batch::Forget(PartitionId partition) {
  // Emptied rather than erased: the domains' lists name events by their place.
  for (SourceEvent& event : events_) {
    if (event.message != nullptr && event.message->partition == partition) event = {};
  }
  for (TouchedDomain& domain : domains_) {
    if (domain.partition != partition) continue;
    domain.first_event = 0;
    domain.sends = false;
  }
}

SourceEvent* Batch::Next() {
  for (; next_of_none_ < of_no_domain_.size(); ++next_of_none_) {
    SourceEvent& event = events_[of_no_domain_[next_of_none_]];
    if (event.message != nullptr) return &event;
  }
  for (; next_domain_ < portion_end_; ++next_domain_) {
    const uint32_t first = domain().first_event;
    if (first == 0) continue;
    return first == EndEventOf(domain()) ? nullptr : &events_[first - 1];
  }
  return nullptr;
}

void Batch::Advance() {
  if (next_of_none_ < of_no_domain_.size()) {
    ++next_of_none_;
  } else {
    domain().first_event = events_[domain().first_event - 1].next_of_domain;
  }
}

void Batch::Clear() {
  events_.clear();
  of_no_domain_.clear();
  next_of_none_ = 0;
  domains_.clear();
  next_domain_ = portion_end_ = 0;
  portion_end_event_ = 0;
  domain_index_.clear();
  for (size_t i = 0; i < polls_used_; ++i) polls_[i].Clear();
  polls_used_ = 0;
}

}  // namespace orbweaver
