#include "strategy_worker/core/event_plan.h"

#include <algorithm>
#include <cstring>

#include "strategy_worker/core/exploration.h"

namespace orbweaver {
namespace {

// In the first of the queue's bands.
constexpr float kPromotedScore = 1;

// The part of a state that the rules of decision_effect.h look at.
orbweaver_state PartOfState(bool known, const LinkState& state) {
  return {.known = known,
          .status = static_cast<uint8_t>(state.status),
          .fetches = state.fetches,
          .errors = state.errors};
}

ScheduleAction ActionOf(sdk::QueueChange change) {
  switch (change) {
    case sdk::QueueChange::kRaise:
      return ScheduleAction::kRaise;
    case sdk::QueueChange::kDelete:
      return ScheduleAction::kDelete;
    default:
      return ScheduleAction::kAdd;
  }
}

}  // namespace

bool IsFailed(const LinkState& state) {
  return state.status == LinkStatus::kError || state.status == LinkStatus::kGone;
}

void EventPlan::Begin(const SourceEvent& event, const DomainStates& states) {
  own_ = event.links.size();
  fingerprints_.assign(event.fingerprints.begin(), event.fingerprints.end());
  requested_.clear();
  changed_.clear();
  places_.clear();
  requests_.clear();
  arena_.Reset();
  update = {};
  GrowTo(own_);
  if (own_ != 0) {
    states.Find(fingerprints_, std::span(states_).first(own_), {known_.data(), own_});
  }
  for (size_t i = 0; i < own_; ++i) had_failed_[i] = known_[i] && IsFailed(states_[i]);
}

void EventPlan::GrowTo(size_t count) {
  // States keep their memory.
  if (states_.size() < count) states_.resize(count);
  known_.resize(count);
  requested_.resize(count, 0);
  had_failed_.resize(count);
}

size_t EventPlan::AddUrl(const Fingerprint& fingerprint) {
  if (places_.empty()) {
    for (size_t i = 0; i < fingerprints_.size(); ++i) places_.emplace(fingerprints_[i], i);
  }
  const auto [found, is_new] = places_.try_emplace(fingerprint, fingerprints_.size());
  if (is_new) fingerprints_.push_back(fingerprint);
  return found->second;
}

void EventPlan::FindFurther(const DomainStates& states) {
  const size_t count = fingerprints_.size();
  GrowTo(count);
  states.Find(std::span<const Fingerprint>(fingerprints_).subspan(own_),
              std::span(states_).subspan(own_, count - own_), {known_.data() + own_, count - own_});
  for (size_t i = own_; i < count; ++i) had_failed_[i] = known_[i] && IsFailed(states_[i]);
}

bool EventPlan::IsRepeatedFailure(uint32_t attempt) const {
  return sdk::IsRepeatedFailure(PartOfState(known_[0], states_[0]), attempt);
}

void EventPlan::MarkChanged(size_t place) {
  known_[place] = true;
  changed_.push_back(static_cast<uint32_t>(place));
}

bool EventPlan::Decide(size_t place, const orbweaver_decision& decision, std::string_view url,
                       std::span<const Meta> meta, std::string_view referrer) {
  LinkState& state = states_[place];
  const orbweaver_state before = PartOfState(known_[place], state);
  const sdk::DecisionEffect effect = sdk::EffectOf(before, decision);
  if (!effect.is_kept) return false;
  bool changed = !known_[place] || effect.status != before.status || effect.errors != before.errors;
  known_[place] = true;
  state.status = static_cast<LinkStatus>(effect.status);
  state.errors = effect.errors;
  if (effect.queue != sdk::QueueChange::kNone) {
    Schedule(place, decision, url, meta, referrer, effect);
  }
  if (decision.set_data != 0) {
    changed |= std::memcmp(state.data.data(), decision.data, sizeof decision.data) != 0;
    std::memcpy(state.data.data(), decision.data, sizeof decision.data);
  }
  if (decision.set_due != 0) {
    const WallTime due = ToTime(decision.due_at_ms);
    changed |= state.due_at != due;
    state.due_at = due;
  }
  if (changed) changed_.push_back(static_cast<uint32_t>(place));
  return effect.is_scheduled;
}

void EventPlan::Schedule(size_t place, const orbweaver_decision& decision, std::string_view url,
                         std::span<const Meta> meta, std::string_view referrer,
                         const sdk::DecisionEffect& effect) {
  if (effect.queue == sdk::QueueChange::kDelete) {
    meta = {};
    referrer = {};
  }
  if (decision.meta_kept != nullptr) {
    ArenaList<Meta> list;
    for (size_t i = 0; i < decision.meta_count; ++i) {
      *list.Append(arena_) = {.key = ToView(decision.meta_kept[i].key),
                              .value = ToView(decision.meta_kept[i].value)};
    }
    meta = WithoutExploration(list.view(), &arena_);
  }
  const LinkState& state = states_[place];
  requests_.push_back({.url = url,
                       .fingerprint = fingerprints_[place],
                       .depth = state.depth,
                       .score = decision.score,
                       .not_before = ToTime(decision.not_before_ms),
                       .attempt = effect.attempt,
                       .etag = state.etag,
                       .last_modified = state.last_modified,
                       .meta = meta,
                       .action = ActionOf(effect.queue),
                       .referrer = referrer});
  requested_[place] = 1;
}

bool EventPlan::Promote(size_t request, double probability) {
  ScheduledRequest& promoted = requests_[request];
  const auto meta = WithExploration(promoted.meta,
                                    {.probability = probability, .score = promoted.score}, &arena_);
  if (!meta.has_value()) return false;
  promoted.meta = *meta;
  promoted.score = kPromotedScore;
  return true;
}

void EventPlan::Purge() {
  update.purge = true;
  for (size_t i = 0; i < fingerprints_.size(); ++i) {
    LinkState& state = states_[i];
    if (known_[i] && state.status == LinkStatus::kQueued) state.status = StatusOutOfQueue(state);
  }
}

void EventPlan::Block(WallTime until) {
  update.blocked_until = std::max(update.blocked_until.value_or(WallTime()), until);
}

void EventPlan::ApplyTo(DomainStates* states) {
  std::ranges::sort(changed_);
  const auto repeated = std::ranges::unique(changed_);
  changed_.erase(repeated.begin(), repeated.end());
  for (const uint32_t place : changed_) states->Set(fingerprints_[place], states_[place]);
}

void EventPlan::TellFailed(PartitionId partition, std::string_view domain, std::string_view failure,
                           KeptEntries* kept_entries) {
  using What = KeptEntries::What;
  for (const uint32_t place : changed_) {
    const bool is_failed = IsFailed(states_[place]);
    const Fingerprint& url = fingerprints_[place];
    if (!is_failed && had_failed_[place] != 0) {
      kept_entries->AddFailure(partition, domain, url, What::kNotFailed, {});
    }
    if (failure.empty() || place != 0) continue;
    kept_entries->AddFailure(partition, domain, url, is_failed ? What::kFailed : What::kTriedAgain,
                             failure);
  }
}

}  // namespace orbweaver
