// The metrics of the spider.
#pragma once

#include <array>

#include "common/metrics/metric.h"
#include "common/metrics/metric_registry.h"
#include "common/metrics/stage_clock.h"
#include "common/model/spider_log.h"
#include "spider/crawl/fetch_metrics.h"
#include "spider/fetch/own_side.h"

namespace orbweaver {

// Place: one a process, made by its main; used by the core.
struct CrawlMetrics {
  explicit CrawlMetrics(MetricRegistry& registry);

  Counter& failed(FailureCause cause) { return *failures[static_cast<size_t>(cause)]; }
  Counter& handed_back(DeferReason reason) { return *deferred[static_cast<size_t>(reason)]; }

  Gauge& no_way_out(OwnSide side) { return *ways_out_closed[static_cast<size_t>(side)]; }

  Counter& pages;
  Counter& redirects_away;
  std::array<Counter*, static_cast<size_t>(FailureCause::kHttpOther) + 1> failures;
  std::array<Counter*, static_cast<size_t>(DeferReason::kShutdown) + 1> deferred;
  std::array<Gauge*, kOwnSides> ways_out_closed;
  Counter& robots_fetches;
  Counter& late_answers;  // of requests that had been handed back, or were lost
  Counter& log_entries;
  Counter& log_bytes;
  Counter& feed_requests;
  Counter& feed_lost;
  Counter& feed_of_old_epochs;
  Counter& dead_letters;
  Counter& commits;
  Gauge& partitions;
  Gauge& held;          // requests
  Gauge& waiting;       // of those, for their turn
  Gauge& fetching;      // robots.txt included
  Gauge& most_fetches;  // at once, by its options
  Gauge& threads;       // by its options
  Gauge& queued_bytes;
  Gauge& robots_hosts;
  Histogram& fetch_seconds;
  StageTimes stage;
  FetchMetrics fetchers;
};

}  // namespace orbweaver
