// Past 400 lines, so that the way of one event, from its facts to the outbox, is read in one go.
#include "strategy_worker/core/event_handler.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "common/base/check.h"
#include "common/base/log.h"
#include "common/base/status.h"
#include "common/model/exploration.h"
#include "common/model/score_band.h"
#include "strategy_worker/core/adoption.h"
#include "strategy_worker/core/exploration.h"
#include "strategy_worker/core/own_requests.h"

namespace orbweaver {
namespace {

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

bool IsHostOf(std::string_view host, std::string_view domain) {
  if (host.starts_with("www.")) host.remove_prefix(4);
  return host == domain;
}

}  // namespace

EventHandler::EventHandler(const StrategyWorkerOptions& options, uint64_t topic_epoch,
                           StateStore& states, const CrawlScope& scope, Strategy& strategy,
                           EventReader& reader, EventView& view, KeptEntries& kept_entries,
                           CoreMetrics& metrics)
    : options_(options),
      topic_epoch_(topic_epoch),
      state_store_(states),
      scope_(scope),
      filter_(scope, metrics),
      strategy_(strategy),
      reader_(reader),
      view_(view),
      kept_entries_(kept_entries),
      metrics_(metrics),
      writer_(options.max_message_bytes) {}

absl::Status EventHandler::Handle(const SourceEvent& event, TouchedDomain* domain,
                                  OwnedPartition* owner, size_t* written) {
  if (!is_asked_) RETURN_IF_ERROR(Ask(event, *domain));
  is_asked_ = true;
  RETURN_IF_ERROR(LoadExtras(*domain));
  is_asked_ = false;
  RETURN_IF_ERROR(Decide(event, owner->epoch));
  Apply(event, domain, owner, written);
  return absl::OkStatus();
}

absl::Status EventHandler::Ask(const SourceEvent& event, const TouchedDomain& domain) {
  extras_.clear();
  candidates_.clear();
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
  plan_.Begin(event, *states);
  assets_ = states->record().assets;
  sitemaps_ = states->record().sitemaps;
  explore_chances_ = options_.explore > 0 ? states->record().explore_chances : 0;
  if (event.own != 0) filter_.BeginDomain(event.entry->domain, states->record());
  if (event.kind == ORBWEAVER_HOST) {
    ObserveHost(event, states->record());
  } else if (event.kind == kOrderEvent) {
    ObserveOrder(event);
  } else {
    Observe(event);
  }
  const bool is_for_strategy = event.kind <= ORBWEAVER_HOST && !is_counted_already_ &&
                               !is_put_by_ && !is_own_outcome_ &&
                               (event.IsOfDomain() || !event.asked().empty());
  if (!is_for_strategy) return absl::OkStatus();
  RETURN_IF_ERROR(AdoptData(strategy_, &states->record()));
  RETURN_IF_ERROR(CallStrategy(event, states->record()));
  if (output_.warning_kept.size != 0) {
    Log(LogLevel::kWarning, "strategy", "strategy '{}', domain '{}': {}", strategy_.name(),
        event.entry->domain, ToView(output_.warning_kept).substr(0, kMaxMessageTextBytes));
  }
  TakeExtras(event, states->record());
  return absl::OkStatus();
}

void EventHandler::Observe(const SourceEvent& event) {
  if (const auto* page = std::get_if<PageFetched>(&event.entry->event)) {
    LinkState& state = plan_.state(0);
    before_ = state;
    if (!plan_.known(0)) state.depth = page->request.depth;
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
    LinkState& state = plan_.state(0);
    is_counted_already_ = plan_.IsRepeatedFailure(failed->request.attempt);
    is_put_by_ = !is_counted_already_ && IsOfOurOwn(failed->cause);
    if (!is_counted_already_ && !plan_.known(0)) state.depth = failed->request.depth;
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
      plan_.Block(Later(event.time, std::min(*failed->retry_after, options_.max_retry_after)));
    } else if (failed->status == 429 || failed->status == 503) {
      plan_.update.back_off = true;
    }
  } else {
    return;
  }
  plan_.MarkChanged(0);
}

void EventHandler::ObserveHost(const SourceEvent& event, const DomainRecord& record) {
  const auto& facts = std::get<HostFacts>(event.entry->event);
  const WallTime now = event.time;
  if (SaysRobots(facts) && facts.crawl_delay != record.crawl_delay) {
    plan_.update.crawl_delay = facts.crawl_delay.value_or(std::chrono::milliseconds(0));
  }
  if (facts.retry_after.has_value()) {
    plan_.Block(Later(now, std::min(*facts.retry_after, options_.max_retry_after)));
  }
  const bool unresolved = facts.dns == DnsOutcome::kNoSuchName || facts.dns == DnsOutcome::kFailed;
  // A name of the domain that does not exist says nothing of the others.
  const std::string_view host = facts.host.substr(0, facts.host.find(':'));
  if (unresolved && IsHostOf(host, event.entry->domain)) {
    plan_.Block(Later(now, options_.dns_failure_rest));
  }
}

// The states follow a purge when the event is applied.
void EventHandler::ObserveOrder(const SourceEvent& event) {
  const auto& order = std::get<DomainOrder>(event.entry->event);
  plan_.update.blocked_until = order.blocked_until;
  plan_.update.purge = order.purge || order.forget;
  if (!order.forget) return;
  plan_.update.blocked_until = order.blocked_until.value_or(WallTime());
  plan_.update.crawl_delay = std::chrono::milliseconds(0);
}

absl::Status EventHandler::CallStrategy(const SourceEvent& event, const DomainRecord& record) {
  const size_t count = event.asked().size();
  shown_.resize(count);
  for (size_t i = 0; i < count; ++i) {
    shown_[i] = plan_.known(i) ? ToState(plan_.state(i)) : orbweaver_state{};
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
    if (!plan_.known(i) || !IsFailed(plan_.state(i))) decisions_[i] = {};
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
    if (!filter_.TakesSitemap(extra.url)) continue;
    extra.place = plan_.AddUrl(fingerprint);
    extras_.push_back(extra);
  }
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
    extra.place = plan_.AddUrl(fingerprint);
    extras_.push_back(extra);
  }
}

absl::Status EventHandler::LoadExtras(const TouchedDomain& domain) {
  if (!plan_.HasFurther()) return absl::OkStatus();
  others_were_loaded_ = true;
  // The event's own too, so that they stay.
  const StateRequest wanted{domain.name, domain.partition, plan_.fingerprints()};
  RETURN_IF_ERROR(state_store_.Load({&wanted, 1}, options_.store_timeout).status());
  plan_.FindFurther(*state_store_.Find(domain.name));
  return absl::OkStatus();
}

absl::Status EventHandler::Decide(const SourceEvent& event, Offset epoch) {
  referrer_ = ReferrerOf(event);
  if (const auto* deferred = std::get_if<Deferred>(&event.entry->event)) {
    DecideDeferred(*deferred, event);
  } else if (const auto* order = std::get_if<UrlOrder>(&event.entry->event)) {
    DecideOrder(*order, event);
  } else if (is_counted_already_) {
    metrics_.repeated_outcomes.Increment();
  } else if (is_put_by_) {
    metrics_.put_by.Increment();
  } else if (is_own_outcome_) {
    RetryOwnRequest(event);
  } else {
    // The purge comes before all that the event schedules.
    if (output_.give_up_domain != 0) plan_.Purge();
    DecideLinks(event);
    DecideExtras(event);
    if (output_.back_off != 0) plan_.update.back_off = true;
    if (output_.blocked_until_ms != 0) plan_.Block(ToTime(output_.blocked_until_ms));
  }
  ScheduleRequests head{.source_topic_epoch = topic_epoch_,
                        .source_offset = event.message->offset,
                        .domain = event.entry->domain};
  const DomainUpdate& update = plan_.update;
  if (update.crawl_delay.has_value() || update.blocked_until.has_value() || update.back_off ||
      update.purge) {
    head.domain_update = update;
  }
  absl::Status status = writer_.Write(epoch, head, plan_.requests(), &entries_);
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
    if (!plan_.known(i)) plan_.state(i).depth = new_depth;
    const bool was_new = !plan_.known(i);
    const bool is_scheduled = plan_.Decide(i, decision, ToView(event.links[i].url_view),
                                           InheritedMeta(event, i), referrer_);
    scheduled_ += is_scheduled;
    if (is_scheduled && IsCandidate(event, was_new, decision)) {
      candidates_.push_back(plan_.requests().size() - 1);
    }
  }
  if (options_.explore > 0) Explore(event);
  const auto* const seeds = std::get_if<Seeds>(&event.entry->event);
  for (size_t i = event.asked().size(); i < event.links.size(); ++i) {
    const OwnRequest own = filter_.OwnRequestFor(event, i);
    // Sitemaps are not a step of their own: their pages are as deep as if robots.txt named them.
    const uint32_t depth = own.IsSitemap() && found != nullptr ? found->source.depth : new_depth;
    DecideOwn(i, ToView(event.links[i].url_view), own, depth, seeds != nullptr);
  }
}

bool EventHandler::IsCandidate(const SourceEvent& event, bool was_new,
                               const orbweaver_decision& decision) const {
  return options_.explore > 0 && event.kind == ORBWEAVER_LINKS && was_new &&
         BandOf(decision.score) > 0 && ToTime(decision.not_before_ms) <= event.time;
}

void EventHandler::Explore(const SourceEvent& event) {
  if (event.kind == ORBWEAVER_PAGE || event.kind == ORBWEAVER_FAILURE) ++explore_chances_;
  // A try more of a request that was drawn: until it has an outcome that is final, it stays one.
  if (const auto* const failed = std::get_if<FetchFailed>(&event.entry->event)) {
    const auto drawn = ExplorationOf(failed->request.meta);
    if (drawn.has_value() && plan_.requests().size() == 1) plan_.Promote(0, drawn->probability);
  }
  if (candidates_.empty() || explore_chances_ == 0) return;
  const auto& found = std::get<LinksFound>(event.entry->event);
  const auto drawn = DrawExplored(options_.explore, explore_chances_, found.source.url, event.time,
                                  plan_.requests()[candidates_[0]].fingerprint, candidates_.size());
  explore_chances_ = 0;
  if (!drawn.has_value()) return;
  if (plan_.Promote(candidates_[drawn->candidate], drawn->probability)) {
    metrics_.explored.Increment();
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
    LinkState& state = plan_.state(extra.place);
    const bool is_new = !plan_.known(extra.place);
    if (plan_.requested(extra.place)) continue;
    if (!is_new && state.status != LinkStatus::kNotCrawled && extra.request->even_if_known == 0) {
      continue;
    }
    if (is_new) state.depth = extra.request->depth;
    scheduled_ += plan_.Decide(extra.place, extra.request->decision, extra.url, {}, referrer_);
  }
}

void EventHandler::DecideOwn(size_t place, std::string_view url, const OwnRequest& own,
                             uint32_t depth, bool even_if_failed) {
  LinkState& state = plan_.state(place);
  const bool is_new = !plan_.known(place);
  const bool is_wanted =
      is_new || state.status == LinkStatus::kNotCrawled || (even_if_failed && IsFailed(state));
  if (!is_wanted || plan_.requested(place)) return;
  if (own.IsSitemap() && is_new && sitemaps_ >= kMaxSitemapsOfDomain) {
    return metrics_.sitemaps_left_out.Increment();
  }
  if (is_new) {
    state.depth = depth;
    ++(own.IsAsset() ? assets_ : sitemaps_);
  }
  ArenaList<Meta> meta;
  *meta.Append(plan_.arena()) = MetaOf(own);
  orbweaver_decision decision{};
  decision.action = ORBWEAVER_SCHEDULE;
  decision.score = kOwnScore;
  plan_.Decide(place, decision, url, meta.view(), referrer_);
  (own.IsAsset() ? metrics_.own_assets : metrics_.own_sitemaps).Increment();
}

void EventHandler::RetryOwnRequest(const SourceEvent& event) {
  const auto* const failed = std::get_if<FetchFailed>(&event.entry->event);
  if (failed == nullptr) return;
  const auto retry = RetryOwn(*failed, event.time, options_);
  if (!retry) return;
  plan_.Decide(0, *retry, ToView(event.links[0].url_view), failed->request.meta, referrer_);
}

void EventHandler::DecideDeferred(const Deferred& deferred, const SourceEvent& event) {
  const orbweaver::Request& request = deferred.request;
  LinkState& state = plan_.state(0);
  if (!plan_.known(0)) state = {.depth = request.depth};
  // A URL that a spider had while its domain was purged is not QUEUED. Of what comes back after a
  // later outcome nothing is expected: its failure would count as repeated, and leave it QUEUED.
  if (state.status != LinkStatus::kQueued && request.attempt >= state.errors) {
    state.status = LinkStatus::kQueued;
    plan_.MarkChanged(0);
  }
  plan_.Add({.url = ToView(event.links[0].url_view),
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

// A URL that is QUEUED may have left the queue, so its request is only ever moved.
void EventHandler::DecideOrder(const UrlOrder& order, const SourceEvent& event) {
  const bool is_known = !event.links.empty() && plan_.known(0);
  const bool is_queued = is_known && plan_.state(0).status == LinkStatus::kQueued;
  const bool moves = is_queued && order.not_before == WallTime();
  const bool schedules = is_known && order.fetch_again && !is_queued;
  if (!moves && !schedules) return metrics_.idle_orders.Increment();
  orbweaver_decision decision{};
  decision.action = moves ? ORBWEAVER_RAISE : ORBWEAVER_SCHEDULE;
  decision.score = order.score;
  decision.not_before_ms = order.not_before.time_since_epoch().count();
  // A request that was drawn by lot stays so while it waits.
  const auto meta = moves ? order.meta : WithoutExploration(order.meta, &plan_.arena());
  const bool is_scheduled = plan_.Decide(0, decision, ToView(event.links[0].url_view), meta,
                                         options_.keep_referrers ? order.referrer : "");
  // Requests of the worker's own count in no strategy's caps.
  scheduled_ += is_scheduled && OwnRequestOf(order.meta).kind == OwnRequest::Kind::kNone;
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

std::span<const Meta> EventHandler::InheritedMeta(const SourceEvent& event, size_t link) {
  std::span<const Meta> meta;
  if (const auto* seeds = std::get_if<Seeds>(&event.entry->event)) {
    meta = seeds->seeds[event.seeds[link]].meta;
  } else if (const auto* page = std::get_if<PageFetched>(&event.entry->event)) {
    meta = page->request.meta;
  } else if (const auto* failed = std::get_if<FetchFailed>(&event.entry->event)) {
    meta = failed->request.meta;
  }
  return WithoutExploration(meta, &plan_.arena());
}

void EventHandler::Apply(const SourceEvent& event, TouchedDomain* domain, OwnedPartition* owner,
                         size_t* written) {
  DomainStates* const states = state_store_.Find(domain->name);
  DomainRecord& record = states->record();
  const bool record_changed = ApplyToRecord(event, &record);
  if (!record_changed && !plan_.HasChanges() && entries_.empty()) return;
  const auto* const order = std::get_if<DomainOrder>(&event.entry->event);
  if (order != nullptr && order->forget) {
    states->Forget();
  } else if (plan_.update.purge) {
    states->ForgetQueued();
  }
  plan_.ApplyTo(states);
  const bool is_failure = event.kind == ORBWEAVER_FAILURE && !is_counted_already_;
  plan_.TellFailed(event.message->partition, domain->name,
                   is_failure ? event.message->value : std::string_view(), &kept_entries_);
  KeepRobots(event, domain->name);
  record.applied = {.topic_epoch = topic_epoch_, .offset = event.message->offset};
  for (std::string& entry : entries_) {
    *written += entry.size();
    record.outbox.push_back(std::move(entry));
    domain->sends = true;
  }
  states->MarkChanged();
  owner->has_changes = true;
}

bool EventHandler::ApplyToRecord(const SourceEvent& event, DomainRecord* record) {
  bool changed = scheduled_ != 0 || record->assets != assets_ || record->sitemaps != sitemaps_ ||
                 record->explore_chances != explore_chances_;
  record->explore_chances = explore_chances_;
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

void EventHandler::KeepRobots(const SourceEvent& event, std::string_view domain) {
  const auto* const facts = std::get_if<HostFacts>(&event.entry->event);
  if (facts == nullptr || facts->robots == RobotsOutcome::kUnspecified) return;
  // Told again, without the file that was kept when it came.
  if (facts->robots == RobotsOutcome::kRules && !facts->robots_txt.has_value()) return;
  kept_entries_.AddRobots(event.message->partition, domain, facts->host, event.message->value);
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
