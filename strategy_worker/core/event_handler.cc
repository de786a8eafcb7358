// A little longer than other files, so that the way of one event, from its facts to the outbox, is
// read in one go.
#include "strategy_worker/core/event_handler.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "common/base/check.h"
#include "common/base/log.h"
#include "common/base/planted_fault.h"
#include "common/base/status.h"
#include "strategy_worker/core/adoption.h"
#include "strategy_worker/core/own_requests.h"

namespace orbweaver {
namespace {

WallTime ToTime(int64_t ms) { return WallTime(std::chrono::milliseconds(ms)); }

// A sum that stays a time that messages can carry.
WallTime Later(WallTime from, std::chrono::milliseconds by) {
  return std::min(from + by, ToTime(kMaxTimeMs));
}

orbweaver_state ToState(const LinkState& state) {
  orbweaver_state shown{.known = 1,
                        .status = static_cast<uint8_t>(state.status),
                        .has_validators = !state.etag.empty() || !state.last_modified.empty(),
                        .data = {},
                        .http_status = state.http_status,
                        .depth = state.depth,
                        .fetches = state.fetches,
                        .errors = state.errors,
                        .fetched_at_ms = state.fetched_at.time_since_epoch().count(),
                        .due_at_ms = state.due_at.time_since_epoch().count(),
                        .content_hash = state.content_hash};
  std::memcpy(shown.data, state.data.data(), sizeof shown.data);
  return shown;
}

// What the rules of decision_effect.h look at.
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

bool IsFailed(const LinkState& state) {
  return state.status == LinkStatus::kError || state.status == LinkStatus::kGone;
}

bool IsHostOf(std::string_view host, std::string_view domain) {
  if (host.starts_with("www.")) host.remove_prefix(4);
  return host == domain;
}

}  // namespace

EventHandler::EventHandler(const StrategyWorkerOptions& options, uint64_t topic_epoch,
                           StateStore& states, const CrawlScope& scope, Strategy& strategy,
                           EventReader& reader, EventView& view, FailedUrls& failed_urls,
                           CoreMetrics& metrics)
    : options_(options),
      topic_epoch_(topic_epoch),
      state_store_(states),
      scope_(scope),
      filter_(scope, metrics),
      strategy_(strategy),
      reader_(reader),
      view_(view),
      failed_urls_(failed_urls),
      metrics_(metrics),
      writer_(options.max_message_bytes) {}

absl::Status EventHandler::Handle(const SourceEvent& event, TouchedDomain* domain,
                                  OwnedPartition* owner, size_t* written) {
  if (!is_asked_) RETURN_IF_ERROR(Ask(event, *domain));
  is_asked_ = true;
  RETURN_IF_ERROR(LoadExtras(*domain, event.links.size()));
  is_asked_ = false;
  RETURN_IF_ERROR(Decide(event, owner->epoch));
  Apply(event, domain, owner, written);
  return absl::OkStatus();
}

absl::Status EventHandler::Ask(const SourceEvent& event, const TouchedDomain& domain) {
  extras_.clear();
  requests_.clear();
  changed_.clear();
  update_ = {};
  scheduled_ = 0;
  is_counted_already_ = false;
  is_put_by_ = false;
  is_own_outcome_ = IsOwnOutcome(*event.entry);
  output_ = {};
  output_.struct_size = sizeof output_;
  if (others_were_loaded_) {
    const StateRequest again{domain.name, domain.partition, event.fingerprints};
    RETURN_IF_ERROR(state_store_.Load({&again, 1}, options_.store_timeout).status());
  }
  DomainStates* const states = state_store_.Find(domain.name);
  CHECK(states != nullptr);
  FindStates(event, *states);
  assets_ = states->record().assets;
  sitemaps_ = states->record().sitemaps;
  if (event.own != 0) filter_.BeginDomain(event.entry->domain, states->record());
  if (event.kind == ORBWEAVER_HOST) {
    ObserveHost(event, states->record());
  } else if (event.kind == kOrderEvent) {
    ObserveOrder(event);
  } else {
    Observe(event);
  }
  if (event.kind == kDeferredEvent || event.kind == kOrderEvent || is_counted_already_ ||
      is_put_by_ || is_own_outcome_ || (!event.IsOfDomain() && event.asked().empty())) {
    return absl::OkStatus();
  }
  RETURN_IF_ERROR(AdoptData(strategy_, &states->record()));
  RETURN_IF_ERROR(CallStrategy(event, states->record()));
  if (output_.warning_kept.size != 0) {
    Log(LogLevel::kWarning, "strategy", "strategy '{}', domain '{}': {}", strategy_.name(),
        event.entry->domain, ToView(output_.warning_kept).substr(0, kMaxMessageTextBytes));
  }
  TakeExtras(event, states->record());
  return absl::OkStatus();
}

void EventHandler::FindStates(const SourceEvent& event, const DomainStates& states) {
  const size_t count = event.links.size();
  fingerprints_.assign(event.fingerprints.begin(), event.fingerprints.end());
  if (states_.size() < count) states_.resize(count);
  known_.resize(count);
  requested_.assign(count, 0);
  if (count != 0) {
    states.Find(fingerprints_, std::span(states_).first(count), {known_.data(), count});
  }
  had_failed_.resize(count);
  for (size_t i = 0; i < count; ++i) had_failed_[i] = known_[i] && IsFailed(states_[i]);
}

void EventHandler::Observe(const SourceEvent& event) {
  if (const auto* page = std::get_if<PageFetched>(&event.entry->event)) {
    LinkState& state = states_[0];
    before_ = state;
    if (!known_[0]) state.depth = page->request.depth;
    state.status = LinkStatus::kCrawled;
    ++state.fetches;
    state.errors = 0;
    state.http_status = static_cast<uint16_t>(std::min(page->status, 65535u));
    state.fetched_at = page->fetched_at;
    if (!page->not_modified) state.content_hash = page->content_hash.low;
    if (!page->not_modified || !page->etag.empty()) state.etag = page->etag;
    if (!page->not_modified || !page->last_modified.empty()) {
      state.last_modified = page->last_modified;
    }
  } else if (const auto* failed = std::get_if<FetchFailed>(&event.entry->event)) {
    LinkState& state = states_[0];
    is_counted_already_ =
        sdk::IsRepeatedFailure(PartOfState(known_[0], state), failed->request.attempt);
    is_put_by_ = !is_counted_already_ && IsOfOurOwn(failed->cause);
    if (!is_counted_already_ && !known_[0]) state.depth = failed->request.depth;
    if (is_put_by_) {
      // No try of the site's: what is counted of it stays.
      state.status = LinkStatus::kError;
      state.http_status = 0;
    } else if (!is_counted_already_) {
      state.status =
          IsTransient(failed->cause, failed->status) ? LinkStatus::kError : LinkStatus::kGone;
      ++state.errors;
      state.http_status = static_cast<uint16_t>(std::min(failed->status, 65535u));
    }
    if (failed->retry_after.has_value()) {
      Block(Later(event.time, std::min(*failed->retry_after, options_.max_retry_after)));
    } else if (failed->status == 429 || failed->status == 503) {
      update_.back_off = true;
    }
  } else {
    return;
  }
  known_[0] = true;
  changed_.push_back(0);
}

void EventHandler::ObserveHost(const SourceEvent& event, const DomainRecord& record) {
  const auto& facts = std::get<HostFacts>(event.entry->event);
  const WallTime now = event.time;
  if (SaysRobots(facts) && facts.crawl_delay != record.crawl_delay) {
    update_.crawl_delay = facts.crawl_delay.value_or(std::chrono::milliseconds(0));
  }
  if (facts.retry_after.has_value()) {
    Block(Later(now, std::min(*facts.retry_after, options_.max_retry_after)));
  }
  const bool unresolved = facts.dns == DnsOutcome::kNoSuchName || facts.dns == DnsOutcome::kFailed;
  // A name of the domain that does not exist says nothing of the others.
  const std::string_view host = facts.host.substr(0, facts.host.find(':'));
  if (unresolved && IsHostOf(host, event.entry->domain)) {
    Block(Later(now, options_.dns_failure_rest));
  }
}

// The states follow a purge when the event is applied.
void EventHandler::ObserveOrder(const SourceEvent& event) {
  const auto& order = std::get<DomainOrder>(event.entry->event);
  update_.blocked_until = order.blocked_until;
  update_.purge = order.purge || order.forget;
  if (!order.forget) return;
  update_.blocked_until = order.blocked_until.value_or(WallTime());
  update_.crawl_delay = std::chrono::milliseconds(0);
}

void EventHandler::Block(WallTime until) {
  update_.blocked_until = std::max(update_.blocked_until.value_or(WallTime()), until);
}

absl::Status EventHandler::CallStrategy(const SourceEvent& event, const DomainRecord& record) {
  const size_t count = event.asked().size();
  shown_.resize(count);
  for (size_t i = 0; i < count; ++i) {
    shown_[i] = known_[i] ? ToState(states_[i]) : orbweaver_state{};
    if (event.kind == ORBWEAVER_SEEDS) shown_[i] = sdk::ShownAsSeed(shown_[i]);
  }
  decisions_.assign(count, orbweaver_decision{});
  if (const auto* failed = std::get_if<FetchFailed>(&event.entry->event)) {
    decisions_[0].attempt = failed->request.attempt + 1;
  }
  RETURN_IF_ERROR(strategy_.OnEvent(view_.Show(event, record, &before_), event.asked(), shown_,
                                    decisions_, &output_));
  const auto* const seeds = std::get_if<Seeds>(&event.entry->event);
  for (size_t i = 0; seeds != nullptr && seeds->only_failed && i < count; ++i) {
    if (!known_[i] || !IsFailed(states_[i])) decisions_[i] = {};
  }
  return absl::OkStatus();
}

void EventHandler::TakeExtras(const SourceEvent& event, const DomainRecord& record) {
  const auto* const facts = std::get_if<HostFacts>(&event.entry->event);
  const bool takes_sitemaps = facts != nullptr && scope_.TakesSitemaps();
  if (output_.request_count == 0 && !takes_sitemaps) return;
  if (!scope_.IsEverything()) {
    filter_.BeginDomain(event.entry->domain, record);
    if (event.OpensScope()) filter_.OpenFor(event);
  }
  places_.clear();
  for (size_t i = 0; i < fingerprints_.size(); ++i) places_.emplace(fingerprints_[i], i);
  // Before the strategy's, which may name the same.
  if (takes_sitemaps) TakeSitemaps(*facts, event.entry->domain);
  TakeRequests(event);
}

void EventHandler::TakeSitemaps(const HostFacts& facts, std::string_view domain) {
  for (const std::string_view sitemap : facts.sitemaps) {
    Extra extra{.request = nullptr, .url = {}, .place = 0};
    Fingerprint fingerprint;
    // One of another domain would be scheduled by that one's worker, which does not hear of it.
    if (!reader_.Resolve(sitemap, domain, &extra.url, &fingerprint)) continue;
    if (filter_.TakesSitemap(extra.url)) AddExtra(extra, fingerprint);
  }
}

void EventHandler::AddExtra(const Extra& extra, const Fingerprint& fingerprint) {
  const auto [found, is_new] = places_.try_emplace(fingerprint, fingerprints_.size());
  if (is_new) fingerprints_.push_back(fingerprint);
  extras_.push_back(extra);
  extras_.back().place = found->second;
}

void EventHandler::TakeRequests(const SourceEvent& event) {
  const bool has_scope = !scope_.IsEverything();
  for (size_t i = 0; i < output_.request_count; ++i) {
    const orbweaver_request& request = output_.requests_kept[i];
    Extra extra{.request = &request, .url = {}, .place = 0};
    Fingerprint fingerprint;
    if (!reader_.Resolve(ToView(request.url), event.entry->domain, &extra.url, &fingerprint)) {
      metrics_.breaches.Increment();
      Log(LogLevel::kError, "strategy",
          "strategy '{}' asked for '{}' on an event of domain '{}': not a URL of that domain. "
          "Links to other domains reach their own worker as LinksFound",
          strategy_.name(), ToView(request.url).substr(0, kMaxUrlBytes), event.entry->domain);
      continue;
    }
    if (has_scope && !filter_.AllowsRequest(extra.url, ToView(request.url), event)) continue;
    AddExtra(extra, fingerprint);
  }
}

absl::Status EventHandler::LoadExtras(const TouchedDomain& domain, size_t links) {
  const size_t count = fingerprints_.size();
  if (count == links) return absl::OkStatus();
  const auto extra_fingerprints = std::span<const Fingerprint>(fingerprints_).subspan(links);
  others_were_loaded_ = true;
  // The event's own too, so that they stay.
  const StateRequest wanted{domain.name, domain.partition, fingerprints_};
  RETURN_IF_ERROR(state_store_.Load({&wanted, 1}, options_.store_timeout).status());
  if (states_.size() < count) states_.resize(count);
  known_.resize(count);
  requested_.resize(count, 0);
  state_store_.Find(domain.name)
      ->Find(extra_fingerprints, std::span(states_).subspan(links, count - links),
             {known_.data() + links, count - links});
  had_failed_.resize(count);
  for (size_t i = links; i < count; ++i) had_failed_[i] = known_[i] && IsFailed(states_[i]);
  return absl::OkStatus();
}

absl::Status EventHandler::Decide(const SourceEvent& event, Offset epoch) {
  arena_.Reset();
  referrer_ = ReferrerOf(event);
  if (const auto* deferred = std::get_if<Deferred>(&event.entry->event)) {
    DecideDeferred(*deferred, event);
  } else if (is_counted_already_) {
    metrics_.repeated_outcomes.Increment();
  } else if (is_put_by_) {
    metrics_.put_by.Increment();
  } else if (is_own_outcome_) {
    RetryOwnRequest(event);
  } else {
    if (output_.give_up_domain != 0) GiveUp();
    DecideLinks(event);
    DecideExtras(event);
    if (output_.back_off != 0) update_.back_off = true;
    if (output_.blocked_until_ms != 0) Block(ToTime(output_.blocked_until_ms));
  }
  ScheduleRequests head{.source_topic_epoch = topic_epoch_,
                        .source_offset = event.message->offset,
                        .domain = event.entry->domain};
  if (update_.crawl_delay.has_value() || update_.blocked_until.has_value() || update_.back_off ||
      update_.purge) {
    head.domain_update = update_;
  }
  absl::Status status = writer_.Write(epoch, head, requests_, &entries_);
  if (status.ok()) return status;
  return PoisonError("strategy '{}': {}", strategy_.name(), MessageOf(status));
}

void EventHandler::DecideLinks(const SourceEvent& event) {
  const auto* const found = std::get_if<LinksFound>(&event.entry->event);
  const uint32_t new_depth = found != nullptr ? found->source.depth + 1 : 0;
  for (size_t i = 0; i < event.asked().size(); ++i) {
    const orbweaver_decision& decision = decisions_[i];
    if (decision.action == ORBWEAVER_LEAVE && decision.set_status == 0 && decision.set_data == 0 &&
        decision.set_due == 0) {
      continue;
    }
    if (!known_[i]) states_[i].depth = new_depth;
    scheduled_ += DecideOne(i, decision, ToView(event.links[i].url_view), InheritedMeta(event, i));
  }
  const auto* const seeds = std::get_if<Seeds>(&event.entry->event);
  for (size_t i = event.asked().size(); i < event.links.size(); ++i) {
    const OwnRequest own = filter_.OwnRequestFor(event, i);
    // Sitemaps are not a step of their own: their pages are as deep as if robots.txt named them.
    const uint32_t depth = own.IsSitemap() && found != nullptr ? found->source.depth : new_depth;
    DecideOwn(i, ToView(event.links[i].url_view), own, depth, seeds != nullptr);
  }
}

void EventHandler::DecideExtras(const SourceEvent& event) {
  // Where a strategy has further URLs from, nobody knows; from a page's links at most.
  if (event.kind != ORBWEAVER_LINKS) referrer_ = {};
  for (const Extra& extra : extras_) {
    if (extra.request == nullptr) {
      DecideOwn(extra.place, extra.url, {.kind = OwnRequest::Kind::kSitemap, .steps = 1}, 0, false);
      continue;
    }
    LinkState& state = states_[extra.place];
    const bool is_new = !known_[extra.place];
    if (requested_[extra.place] != 0) continue;
    if (!is_new && state.status != LinkStatus::kNotCrawled && extra.request->even_if_known == 0) {
      continue;
    }
    if (is_new) state.depth = extra.request->depth;
    scheduled_ += DecideOne(extra.place, extra.request->decision, extra.url, {});
  }
}

void EventHandler::DecideOwn(size_t place, std::string_view url, const OwnRequest& own,
                             uint32_t depth, bool even_if_failed) {
  LinkState& state = states_[place];
  const bool is_new = !known_[place];
  const bool is_wanted =
      is_new || state.status == LinkStatus::kNotCrawled || (even_if_failed && IsFailed(state));
  if (!is_wanted || requested_[place] != 0) return;
  if (own.IsSitemap() && is_new && sitemaps_ >= kMaxSitemapsOfDomain) {
    return metrics_.sitemaps_left_out.Increment();
  }
  if (is_new) {
    state.depth = depth;
    ++(own.IsAsset() ? assets_ : sitemaps_);
  }
  ArenaList<Meta> meta;
  *meta.Append(arena_) = MetaOf(own);
  orbweaver_decision decision{};
  decision.action = ORBWEAVER_SCHEDULE;
  decision.score = kOwnScore;
  DecideOne(place, decision, url, meta.view());
  (own.IsAsset() ? metrics_.own_assets : metrics_.own_sitemaps).Increment();
}

void EventHandler::RetryOwnRequest(const SourceEvent& event) {
  const auto* const failed = std::get_if<FetchFailed>(&event.entry->event);
  if (failed == nullptr) return;
  const auto retry = RetryOwn(*failed, event.time, options_);
  if (!retry) return;
  DecideOne(0, *retry, ToView(event.links[0].url_view), failed->request.meta);
}

// What the event schedules comes behind the purge.
void EventHandler::GiveUp() {
  update_.purge = true;
  for (size_t i = 0; i < fingerprints_.size(); ++i) {
    LinkState& state = states_[i];
    if (known_[i] && state.status == LinkStatus::kQueued) state.status = StatusOutOfQueue(state);
  }
}

void EventHandler::DecideDeferred(const Deferred& deferred, const SourceEvent& event) {
  const orbweaver::Request& request = deferred.request;
  if (!known_[0]) states_[0] = {.depth = request.depth};
  // A URL that a spider had while its domain was purged is not QUEUED. Of what comes back after a
  // later outcome nothing is expected: its failure would count as repeated, and leave it QUEUED.
  if (states_[0].status != LinkStatus::kQueued && request.attempt >= states_[0].errors) {
    states_[0].status = LinkStatus::kQueued;
    changed_.push_back(0);
  }
  if (IsPlanted(PlantedFault::kDeferredDropped)) return;
  requests_.push_back({.url = ToView(event.links[0].url_view),
                       .fingerprint = event.fingerprints[0],
                       .depth = request.depth,
                       .score = request.score,
                       .not_before = deferred.not_before,
                       .attempt = request.attempt,
                       .etag = request.etag,
                       .last_modified = request.last_modified,
                       .meta = request.meta,
                       .referrer = request.referrer});
  metrics_.deferred.Increment();
}

std::string_view EventHandler::ReferrerOf(const SourceEvent& event) const {
  if (!options_.keep_referrers) return {};
  if (const auto* links = std::get_if<LinksFound>(&event.entry->event)) return links->source.url;
  if (const auto* page = std::get_if<PageFetched>(&event.entry->event)) {
    return page->request.referrer;
  }
  if (const auto* failed = std::get_if<FetchFailed>(&event.entry->event)) {
    return failed->request.referrer;
  }
  return {};
}

std::span<const Meta> EventHandler::InheritedMeta(const SourceEvent& event, size_t link) const {
  if (const auto* seeds = std::get_if<Seeds>(&event.entry->event)) {
    return seeds->seeds[event.seeds[link]].meta;
  }
  if (const auto* page = std::get_if<PageFetched>(&event.entry->event)) return page->request.meta;
  if (const auto* failed = std::get_if<FetchFailed>(&event.entry->event)) {
    return failed->request.meta;
  }
  return {};
}

bool EventHandler::DecideOne(size_t place, const orbweaver_decision& decision, std::string_view url,
                             std::span<const Meta> inherited) {
  LinkState& state = states_[place];
  const orbweaver_state before = PartOfState(known_[place], state);
  const sdk::DecisionEffect effect = sdk::EffectOf(before, decision);
  if (!effect.is_kept) return false;
  bool changed = !known_[place] || effect.status != before.status || effect.errors != before.errors;
  known_[place] = true;
  state.status = static_cast<LinkStatus>(effect.status);
  state.errors = effect.errors;
  if (effect.queue != sdk::QueueChange::kNone) Request(place, decision, url, inherited, effect);
  if (decision.set_data != 0) {
    changed |= std::memcmp(state.data.data(), decision.data, sizeof decision.data) != 0;
    std::memcpy(state.data.data(), decision.data, sizeof decision.data);
  }
  if (decision.set_due != 0) {
    changed |= state.due_at != ToTime(decision.due_at_ms);
    state.due_at = ToTime(decision.due_at_ms);
  }
  if (changed) changed_.push_back(static_cast<uint32_t>(place));
  return effect.is_scheduled;
}

void EventHandler::Request(size_t place, const orbweaver_decision& decision, std::string_view url,
                           std::span<const Meta> inherited, const sdk::DecisionEffect& effect) {
  std::span<const Meta> meta = inherited;
  std::string_view referrer = referrer_;
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
    meta = list.view();
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

void EventHandler::Apply(const SourceEvent& event, TouchedDomain* domain, OwnedPartition* owner,
                         size_t* written) {
  DomainStates* const states = state_store_.Find(domain->name);
  DomainRecord& record = states->record();
  const bool record_changed = ApplyToRecord(event, &record);
  if (!record_changed && changed_.empty() && entries_.empty()) return;
  std::ranges::sort(changed_);
  const auto repeated = std::ranges::unique(changed_);
  changed_.erase(repeated.begin(), repeated.end());
  const auto* const order = std::get_if<DomainOrder>(&event.entry->event);
  if (order != nullptr && order->forget) {
    states->Forget();
  } else if (update_.purge) {
    states->ForgetQueued();
  }
  for (const uint32_t place : changed_) states->Set(fingerprints_[place], states_[place]);
  TellFailed(event, domain->name);
  record.applied = {.topic_epoch = topic_epoch_, .offset = event.message->offset};
  for (std::string& entry : entries_) {
    *written += entry.size();
    record.outbox.push_back(std::move(entry));
    domain->sends = true;
  }
  states->MarkChanged();
  owner->has_changes = true;
}

void EventHandler::TellFailed(const SourceEvent& event, std::string_view domain) {
  const PartitionId partition = event.message->partition;
  const bool is_failure = event.kind == ORBWEAVER_FAILURE && !is_counted_already_;
  using What = FailedUrls::What;
  for (const uint32_t place : changed_) {
    const bool is_failed = IsFailed(states_[place]);
    const Fingerprint& url = fingerprints_[place];
    if (!is_failed && had_failed_[place] != 0) {
      failed_urls_.Add(partition, domain, url, What::kNotFailed, {});
    }
    if (!is_failure || place != 0) continue;
    failed_urls_.Add(partition, domain, url, is_failed ? What::kFailed : What::kTriedAgain,
                     event.message->value);
  }
}

bool EventHandler::ApplyToRecord(const SourceEvent& event, DomainRecord* record) {
  bool changed = scheduled_ != 0 || record->assets != assets_ || record->sitemaps != sitemaps_;
  record->assets = assets_;
  record->sitemaps = sitemaps_;
  record->scheduled += scheduled_;
  metrics_.scheduled.Increment(scheduled_);
  if (event.kind == ORBWEAVER_PAGE && !is_own_outcome_) {
    ++record->fetched;
    changed = true;
  } else if (event.kind == ORBWEAVER_FAILURE && !is_put_by_ && !is_own_outcome_) {
    ++record->failed;
    changed = true;
  } else if (event.kind == ORBWEAVER_HOST) {
    const auto& facts = std::get<HostFacts>(event.entry->event);
    if (SaysRobots(facts)) {
      record->crawl_delay = facts.crawl_delay;
      record->robots = static_cast<int32_t>(facts.robots);
      record->robots_status = facts.robots_status;
      record->robots_at = facts.observed_at;
      changed = true;
    }
  } else if (event.OpensScope()) {
    changed |= AddSeedPlaces(event, record);
  }
  if (output_.set_domain_data != 0) {
    const std::string_view data = ToView(output_.domain_data_kept);
    if (data != record->strategy_data) {
      record->strategy_data = data;
      changed = true;
    }
  }
  return changed;
}

bool EventHandler::AddSeedPlaces(const SourceEvent& event, DomainRecord* record) {
  bool changed = false;
  uint64_t left_out = 0;
  for (const orbweaver_link& seed : event.asked()) {
    bool full = false;
    changed |=
        AddSeedPlace(ToView(seed.url_view), event.entry->domain, &record->seed_places, &full);
    left_out += full ? 1 : 0;
  }
  // Elsewhere it does not matter where in a domain its seeds lie.
  if (left_out != 0 && scope_.AsksForPlaces()) {
    metrics_.seeds_without_place.Increment(left_out);
    Log(LogLevel::kWarning, "strategy",
        "domain '{}': {} of its seeds are crawled, and links near them are not: the domain has "
        "seeds in too many hosts and folders. Give seeds that lie above them, or widen the scope",
        event.entry->domain, left_out);
  }
  return changed;
}

}  // namespace orbweaver
