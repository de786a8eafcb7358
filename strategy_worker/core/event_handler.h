// One event: its own facts, what the strategy makes of them, and what becomes of states, record and
// outbox.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"

#include "common/model/scoring_log.h"
#include "strategy_worker/core/batch.h"
#include "strategy_worker/core/core_metrics.h"
#include "strategy_worker/core/event_plan.h"
#include "strategy_worker/core/event_reader.h"
#include "strategy_worker/core/event_view.h"
#include "strategy_worker/core/kept_entries.h"
#include "strategy_worker/core/options.h"
#include "strategy_worker/core/ownership.h"
#include "strategy_worker/core/schedule_writer.h"
#include "strategy_worker/core/scope_filter.h"
#include "strategy_worker/core/source_event.h"
#include "strategy_worker/host/strategy.h"
#include "strategy_worker/states/state_store.h"

namespace orbweaver {

// An event has its whole effect or none: everything is decided on copies, and only what cannot fail
// touches the record and the states.
//
// Place: inside StrategyCore, for the events of a batch in order. Not thread-safe.
class EventHandler {
 public:
  // All must outlive it.
  EventHandler(const StrategyWorkerOptions& options, uint64_t topic_epoch, StateStore& states,
               const CrawlScope& scope, Strategy& strategy, EventReader& reader, EventView& view,
               KeptEntries& kept_entries, CoreMetrics& metrics);

  // The states of the batch's events are loaded.
  void BeginBatch() { others_were_loaded_ = false; }

  // Applies `event`, whose domain is loaded. *written grows by the bytes that it adds to the
  // outbox, and domain->sends and owner->has_changes are set where it changed anything. Errors:
  //   retry   states of further URLs could not be loaded: the next call, with the same event, goes
  //           on where this one stood, without asking the strategy again.
  //   poison  the strategy failed, or what it wants is impossible: the event had no effect.
  absl::Status Handle(const SourceEvent& event, TouchedDomain* domain, OwnedPartition* owner,
                      size_t* written);

 private:
  // A URL that is asked for beside deciding on the event's own: by the strategy, or a sitemap by
  // this worker itself, which has no request.
  struct Extra {
    const orbweaver_request* request;
    std::string_view url;
    size_t place;
  };

  // Asks the strategy, unless the event has to do with spiders or operators only. After it
  // everything is known but the states of extras.
  absl::Status Ask(const SourceEvent& event, const TouchedDomain& domain);
  // The event's own facts, into the plan.
  void Observe(const SourceEvent& event);
  void ObserveHost(const SourceEvent& event, const DomainRecord& record);
  void ObserveOrder(const SourceEvent& event);
  absl::Status CallStrategy(const SourceEvent& event, const DomainRecord& record);
  // Gives the extras places; a breach, and what is out of scope, is counted and left out.
  void TakeExtras(const SourceEvent& event, const DomainRecord& record);
  void TakeRequests(const SourceEvent& event);
  void TakeSitemaps(const HostFacts& facts, std::string_view domain);
  // Their states.
  absl::Status LoadExtras(const TouchedDomain& domain);

  absl::Status Decide(const SourceEvent& event, Offset epoch);
  void DecideLinks(const SourceEvent& event);
  // May the request that was made for link `i`, by `decision`, be drawn?
  bool IsCandidate(const SourceEvent& event, bool was_new,
                   const orbweaver_decision& decision) const;
  void Explore(const SourceEvent& event);
  void DecideExtras(const SourceEvent& event);
  void DecideOwn(size_t place, std::string_view url, const OwnRequest& own, uint32_t depth,
                 bool even_if_failed);
  void RetryOwnRequest(const SourceEvent& event);
  void DecideDeferred(const Deferred& deferred, const SourceEvent& event);
  void DecideOrder(const UrlOrder& order, const SourceEvent& event);
  // The page that named the event's links, as far as it is kept.
  std::string_view ReferrerOf(const SourceEvent& event) const;
  std::span<const Meta> InheritedMeta(const SourceEvent& event, size_t link);

  void Apply(const SourceEvent& event, TouchedDomain* domain, OwnedPartition* owner,
             size_t* written);
  // Whether the record changed.
  bool ApplyToRecord(const SourceEvent& event, DomainRecord* record);
  // So that people can look at the host's robots.txt.
  void KeepRobots(const SourceEvent& event, std::string_view domain);
  bool AddSeedPlaces(const SourceEvent& event, DomainRecord* record);

  const StrategyWorkerOptions& options_;
  const uint64_t topic_epoch_;
  StateStore& state_store_;
  const CrawlScope& scope_;
  ScopeFilter filter_;
  Strategy& strategy_;
  EventReader& reader_;
  EventView& view_;
  KeptEntries& kept_entries_;
  CoreMetrics& metrics_;
  ScheduleWriter writer_;

  bool is_asked_ = false;            // the event at hand was shown to the strategy
  bool is_counted_already_ = false;  // it is another outcome of a request that had one
  bool is_put_by_ = false;           // it failed by our own options, which is no strategy's affair
  bool is_own_outcome_ = false;      // of a request that no strategy made
  bool others_were_loaded_ = false;  // since BeginBatch: what it had loaded may be gone

  // Of the event at hand.
  EventPlan plan_;
  LinkState before_;  // what was known of a page before
  std::vector<orbweaver_state> shown_;
  std::vector<orbweaver_decision> decisions_;
  orbweaver_output output_{};
  std::vector<Extra> extras_;
  std::string_view referrer_;
  uint64_t scheduled_ = 0;
  // As the record will have them.
  uint64_t assets_ = 0;
  uint64_t sitemaps_ = 0;
  uint64_t explore_chances_ = 0;
  std::vector<size_t> candidates_;  // numbers of the plan's requests that may be drawn
  std::vector<std::string> entries_;
};

}  // namespace orbweaver
