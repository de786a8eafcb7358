// The metrics of the db worker.
#pragma once

#include "common/metrics/metric_registry.h"
#include "common/metrics/stage_clock.h"

namespace orbweaver {

// Place: one a worker process; its parts count here. Thread-safe.
struct DbWorkerMetrics {
  // `registry` must outlive it.
  explicit DbWorkerMetrics(MetricRegistry& registry);

  // Enqueue.
  Counter& messages;
  Counter& requests_queued;
  Counter& replayed;   // messages that a domain's row had applied already
  Counter& outdated;   // messages of a strategy worker that had been replaced
  Counter& poison;     // messages sent to dead-letter
  Counter& lost;       // messages that retention deleted before they were read
  Counter& taken_out;  // requests removed by DELETE, or moved up by RAISE
  Counter& domain_puts;
  // Dequeue.
  Counter& batches;
  Counter& requests_sent;
  Counter& chunks_read;
  Counter& chunks_erased;
  Counter& buckets_opened;  // chunks of delayed requests whose time had come
  Counter& checkpoints;
  Counter& damaged_chunks;
  Counter& feed_lost;  // requests that retention deleted before a spider had done them
  // Take-over.
  Counter& take_overs;
  Counter& read_back;  // feed entries read at take-overs
  Gauge& lag_seconds;
  Histogram& batch_seconds;
  StageTimes stage;
};

}  // namespace orbweaver
