// The metrics of the spider's fetchers.
#pragma once

#include "common/metrics/metric.h"
#include "common/metrics/metric_registry.h"
#include "spider/fetch/fetch_stats.h"

namespace orbweaver {

// Place: in CrawlMetrics, one a process; each lane adds what its own fetcher has done. Thread-safe.
class FetchMetrics {
 public:
  explicit FetchMetrics(MetricRegistry& registry);

  // `reported` is what the same fetcher had done at the last call, and becomes `now`.
  void Report(const FetchStats& now, FetchStats* reported);

 private:
  Counter& connections_;
  Counter& kept_alive_;
  Counter& tls_handshakes_;
  Counter& tls_resumed_;
  Counter& dns_queries_;
  Counter& dns_hits_;
  Counter& dns_failures_;
  Counter& received_bytes_;
  Gauge& open_connections_;
  Gauge& idle_connections_;
  Gauge& waiting_handshakes_;
};

}  // namespace orbweaver
