// The state of the queue as metrics.
#pragma once

#include <array>
#include <span>

#include "common/base/clock.h"
#include "common/metrics/metric_registry.h"
#include "db_worker/report.h"

namespace orbweaver {

// Of all partitions that this worker owns: what Prometheus sums up over the workers. Not
// thread-safe; the gauges are.
class QueueGauges {
 public:
  // `registry` must outlive it.
  explicit QueueGauges(MetricRegistry& registry);

  void Set(std::span<const PartitionReport> partitions, WallTime now);

 private:
  Gauge& partitions_;
  Gauge& paused_;
  std::array<Gauge*, kBands> waiting_;
  Gauge& delayed_;
  Gauge& domains_;
  Gauge& ready_;
  Gauge& paced_;
  Gauge& blocked_;
  Gauge& lag_;
  Gauge& most_lag_;
  Gauge& oldest_seconds_;
  Gauge& index_bytes_;
};

}  // namespace orbweaver
