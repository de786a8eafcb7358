// The metrics of the strategy worker's core.
#pragma once

#include <array>

#include "common/metrics/metric.h"
#include "common/metrics/metric_registry.h"
#include "common/metrics/stage_clock.h"
#include "strategy_worker/core/source_event.h"

namespace orbweaver {

// Place: made by StrategyCore from the process's registry, shared by its parts.
struct CoreMetrics {
  explicit CoreMetrics(MetricRegistry& registry);

  // By SourceEvent::kind.
  std::array<Counter*, kEventKinds> events;
  Counter& replayed;  // events that were in their row already
  Counter& repeated_outcomes;
  Counter& put_by;
  Counter& idle_orders;  // about a URL whose state left nothing to do
  Counter& explored;
  Counter& dead_letters;  // events that went to the dead-letter topic
  Counter& lost_events;   // deleted by retention before they were read
  Counter& input_bytes;
  Counter& links;  // taken, before the filter
  Counter& links_invalid;
  Counter& links_foreign;    // of another domain than their event
  Counter& links_duplicate;  // twice in one event
  // Out of scope.
  Counter& links_beyond_seeds;   // by scope.kind
  Counter& links_not_included;   // by scope.include
  Counter& links_excluded;       // by scope.exclude
  Counter& links_by_sitemaps;    // by scope.sitemaps
  Counter& links_filtered;       // dropped by the strategy's filter
  Counter& seeds_without_place;  // their domain's record has no room for their places
  Counter& scheduled;            // requests
  Counter& own_assets;           // requests of this worker itself: scope.assets
  Counter& own_sitemaps;         // scope.sitemaps
  Counter& sitemaps_left_out;    // their domain had kMaxSitemapsOfDomain
  Counter& deferred;             // requests that spiders handed back
  Counter& breaches;  // requests of another domain, or of no URL, that the strategy asked for
  Counter& messages;  // appended to the scoring log
  Counter& resent;    // outboxes of an earlier owner
  Counter& batches;
  Counter& take_overs;
  Gauge& partitions;
  Gauge& lag_seconds;
  // Seconds of each batch.
  Histogram& read_seconds;
  Histogram& lookup_seconds;
  Histogram& apply_seconds;
  Histogram& write_seconds;
  Histogram& append_seconds;
  Histogram& commit_seconds;
  StageTimes stage;
};

}  // namespace orbweaver
