#include "strategy_worker/core/lookup.h"

#include <algorithm>
#include <functional>

#include "common/base/check.h"
#include "common/base/log.h"
#include "common/base/status.h"
#include "common/bus/topics.h"
#include "strategy_worker/core/adoption.h"
#include "strategy_worker/core/schedule_writer.h"

namespace orbweaver {
namespace {

constexpr uint64_t kEventsRemembered = 1000;

// Of these some URLs may be left out before anything is known of them.
bool HasFilter(const SourceEvent& event) {
  return event.kind == ORBWEAVER_LINKS || event.IsAskedFor();
}

}  // namespace

Lookup::Lookup(const StrategyWorkerOptions& options, StateStore& states, OffsetReader& offsets,
               Ownership& ownership, const CrawlScope& scope, Strategy& strategy, EventView& view,
               CoreMetrics& metrics)
    : options_(options),
      states_(states),
      offsets_(offsets),
      ownership_(ownership),
      scope_(scope, metrics),
      strategy_(strategy),
      view_(view),
      metrics_(metrics) {}

absl::Status Lookup::Run(Batch* batch) {
  RETURN_IF_ERROR(LoadRecords(batch));
  for (TouchedDomain& domain : batch->portion()) {
    if (domain.first_event != 0) RETURN_IF_ERROR(Examine(batch, &domain));
  }
  Filter(batch);
  return LoadStates(batch);
}

absl::Status Lookup::LoadRecords(Batch* batch) {
  const bool whole = dropped_events_ * 2 <= filtered_events_;
  batch->SetPortion(batch->waiting().size());
  for (TouchedDomain& domain : batch->waiting()) {
    domain.was_absent = states_.Find(domain.name) == nullptr;
    // An evicted domain's row is read and examined again.
    if (domain.was_absent) domain.is_examined = false;
  }
  std::ranges::partition(batch->waiting(), std::not_fn(&TouchedDomain::was_absent));
  for (const TouchedDomain& domain : batch->waiting()) {
    if (domain.first_event == 0) continue;
    bool states = domain.was_absent && whole;
    if (domain.was_absent && !whole) {
      batch->ForEachEvent(domain, [&](const SourceEvent& event) {
        states |= !HasFilter(event) && event.NeedsStates();
      });
    }
    // Those that are there are asked for too, so that they stay.
    wanted_.push_back({.domain = &domain, .record_states = states});
  }
  return LoadWanted(batch);
}

absl::Status Lookup::Examine(Batch* batch, TouchedDomain* domain) {
  if (domain->is_examined) return absl::OkStatus();
  DomainStates* const states = states_.Find(domain->name);
  OwnedPartition* const owner = ownership_.Find(domain->partition);
  CHECK(states != nullptr && owner != nullptr);
  DomainRecord& record = states->record();
  RETURN_IF_ERROR(CheckWatermark(*domain, record, owner));
  RETURN_IF_ERROR(ClaimOutbox(domain, states, owner));
  const absl::Status adopted = AdoptData(strategy_, &record);
  bool is_replayed = false;
  batch->ForEachEvent(*domain, [&](SourceEvent& event) {
    const Watermark place{.topic_epoch = ownership_.topic_epoch(), .offset = event.message->offset};
    event.is_in_row = place <= record.applied;
    if (event.is_in_row) {
      is_replayed = true;
      metrics_.replayed.Increment();
    } else if (!adopted.ok()) {
      event.poison = MessageOf(adopted);
      event.strategy_failed = true;
    }
  });
  if (is_replayed) {
    // Its commit says that the row has it for good: an owner in between may have put the row, too
    // late to be read here, with fewer events.
    states->MarkChanged();
    owner->has_changes = true;
  }
  domain->is_examined = true;
  return absl::OkStatus();
}

absl::Status Lookup::CheckWatermark(const TouchedDomain& domain, const DomainRecord& record,
                                    OwnedPartition* owner) {
  const Watermark& applied = record.applied;
  const uint64_t topic_epoch = ownership_.topic_epoch();
  if (applied.topic_epoch < topic_epoch) return absl::OkStatus();
  if (applied.topic_epoch == topic_epoch && applied.offset < owner->known_end) {
    return absl::OkStatus();
  }
  // The row is ahead of the end that was known: others have appended since, or this worker has not
  // read so far.
  ASSIGN_OR_RETURN(const std::vector<LogBounds> bounds,
                   offsets_.Bounds(kSpiderLogTopic, {&domain.partition, 1}, options_.bus_timeout));
  owner->known_end = std::max(owner->known_end, bounds[0].end);
  if (applied.topic_epoch == topic_epoch && applied.offset < owner->known_end) {
    return absl::OkStatus();
  }
  return FatalError(
      "domain '{}': its row has applied offset {} of topic epoch {}, but '{}' partition {} ends at "
      "{} in topic epoch {}. {}",
      domain.name, applied.offset, applied.topic_epoch, kSpiderLogTopic, domain.partition,
      bounds[0].end, topic_epoch, kForeignLogHint);
}

absl::Status Lookup::ClaimOutbox(TouchedDomain* domain, DomainStates* states,
                                 OwnedPartition* owner) {
  // In the cache an outbox is empty between flushes, so this one comes from the store.
  std::vector<std::string>& outbox = states->record().outbox;
  if (outbox.empty()) return absl::OkStatus();
  bool is_anothers = false;
  arena_.Reset();
  for (std::string& entry : outbox) {
    const auto replaced = ReplaceEpoch(owner->epoch, &arena_, &buffer_, &entry);
    if (!replaced.ok()) return Annotate(replaced.status(), domain->name);
    is_anothers |= *replaced;
  }
  if (!is_anothers) {
    // Put by this owner, which goes on to the next batch only when all is acked.
    outbox.clear();
    return absl::OkStatus();
  }
  metrics_.resent.Increment(outbox.size());
  states->MarkChanged();
  owner->has_changes = true;
  domain->sends = true;
  return absl::OkStatus();
}

void Lookup::Filter(Batch* batch) {
  const bool has_scope = !scope_.IsEverything();
  for (const TouchedDomain& domain : batch->portion()) {
    if (domain.first_event == 0) continue;
    const DomainRecord& record = states_.Find(domain.name)->record();
    if (has_scope) scope_.BeginDomain(domain.name, record);
    batch->ForEachEvent(domain, [&](SourceEvent& event) {
      if (event.is_filtered || !event.NeedsStates() || !HasFilter(event)) return;
      event.is_filtered = true;
      if (has_scope) scope_.Filter(&event);
      const bool is_order = event.kind == kUrlOrderEvent;
      const absl::Status status =
          event.asked().empty() || is_order ? absl::OkStatus() : AskFilter(&event, record);
      if (!status.ok()) {
        event.poison = MessageOf(status);
        event.strategy_failed = true;
      }
      if (!domain.was_absent) return;
      ++filtered_events_;
      if (event.links.empty()) ++dropped_events_;
    });
  }
  if (filtered_events_ < kEventsRemembered) return;
  filtered_events_ /= 2;
  dropped_events_ /= 2;
}

absl::Status Lookup::AskFilter(SourceEvent* event, const DomainRecord& record) {
  const size_t count = event->links.size();
  keep_.assign(count, 1);
  const std::span<orbweaver_link> asked = event->asked();
  RETURN_IF_ERROR(strategy_.Filter(view_.Show(*event, record, nullptr), asked,
                                   std::span(keep_).first(asked.size())));
  event->Keep(keep_);
  metrics_.links_filtered.Increment(count - event->links.size());
  return absl::OkStatus();
}

absl::Status Lookup::LoadStates(Batch* batch) {
  for (const TouchedDomain& domain : batch->portion()) {
    if (domain.first_event != 0) WantStates(batch, domain);
  }
  return LoadWanted(batch);
}

void Lookup::WantStates(Batch* batch, const TouchedDomain& domain) {
  const DomainStates* const states = states_.Find(domain.name);
  const bool by_event = states != nullptr && states->IsSharded();
  bool any = false;
  batch->ForEachEventOfPortion(domain, [&](uint32_t number, const SourceEvent& event) {
    if (!event.NeedsStates()) return;
    fingerprints_.insert(fingerprints_.end(), event.fingerprints.begin(), event.fingerprints.end());
    if (!by_event) return;
    wanted_.push_back({.domain = &domain, .event = number, .end = fingerprints_.size()});
    any = true;
  });
  if (!any) wanted_.push_back({.domain = &domain, .end = fingerprints_.size()});
}

absl::Status Lookup::LoadWanted(Batch* batch) {
  size_t begin = 0;
  for (const Wanted& wanted : wanted_) {
    const size_t end = std::max(begin, wanted.end);
    requests_.push_back(
        {.domain = wanted.domain->name,
         .partition = wanted.domain->partition,
         .fingerprints = std::span<const Fingerprint>(fingerprints_).subspan(begin, end - begin),
         .record_states = wanted.record_states,
         .highest = ownership_.Find(wanted.domain->partition)->versions.Highest()});
    begin = end;
  }
  const absl::StatusOr<size_t> loaded = states_.Load(requests_, options_.store_timeout);
  if (loaded.ok() && *loaded < wanted_.size()) {
    const Wanted& left_out = wanted_[*loaded];
    const auto domains = static_cast<size_t>(left_out.domain - batch->portion().data());
    const bool is_begun = wanted_[*loaded - 1].domain == left_out.domain;
    batch->SetPortion(is_begun ? domains + 1 : domains, is_begun ? left_out.event : 0);
  }
  requests_.clear();
  wanted_.clear();
  fingerprints_.clear();
  return loaded.status();
}

}  // namespace orbweaver
