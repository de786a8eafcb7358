#include "db_worker/metrics.h"

namespace orbweaver {

DbWorkerMetrics::DbWorkerMetrics(MetricRegistry& registry)
    : messages(registry.AddCounter("orbweaver_queue_messages_total",
                                   "Messages of the scoring log that were read")),
      requests_queued(registry.AddCounter("orbweaver_queue_requests_queued_total",
                                          "Requests put into the queue")),
      replayed(registry.AddCounter("orbweaver_queue_replayed_total",
                                   "Messages skipped because the queue has them already")),
      outdated(registry.AddCounter("orbweaver_queue_outdated_total",
                                   "Messages skipped because their writer had been replaced")),
      poison(registry.AddCounter("orbweaver_queue_poison_total",
                                 "Messages that could not be processed and went to dead-letter")),
      lost(registry.AddCounter("orbweaver_queue_messages_lost_total",
                               "Messages that retention deleted before they were read")),
      taken_out(registry.AddCounter("orbweaver_queue_taken_out_total",
                                    "Waiting requests deleted, or moved to a better band")),
      domain_puts(registry.AddCounter("orbweaver_queue_domain_puts_total",
                                      "Rows of domains written to the store")),
      batches(registry.AddCounter("orbweaver_feed_batches_total", "Batches sent to the feed")),
      requests_sent(
          registry.AddCounter("orbweaver_feed_requests_sent_total", "Requests sent to the feed")),
      chunks_read(registry.AddCounter("orbweaver_queue_chunks_read_total",
                                      "Chunks of requests read from the store")),
      chunks_erased(registry.AddCounter("orbweaver_queue_chunks_erased_total",
                                        "Consumed chunks erased from the store")),
      buckets_opened(registry.AddCounter("orbweaver_queue_delayed_chunks_opened_total",
                                         "Chunks of delayed requests whose time had come")),
      checkpoints(registry.AddCounter("orbweaver_feed_checkpoints_total",
                                      "Times that a partition's progress was written down")),
      damaged_chunks(registry.AddCounter("orbweaver_queue_damaged_chunks_total",
                                         "Chunks that were missing or could not be read")),
      feed_lost(registry.AddCounter("orbweaver_feed_requests_lost_total",
                                    "Requests deleted by retention before a spider did them")),
      take_overs(registry.AddCounter("orbweaver_queue_take_overs_total", "Partitions taken over")),
      read_back(registry.AddCounter("orbweaver_feed_read_back_total",
                                    "Entries of the feed read at take-overs")),
      lag_seconds(registry.AddGauge("orbweaver_queue_lag_seconds",
                                    "Age of the oldest message that was read last; 0 when there "
                                    "was none to read")),
      batch_seconds(registry.AddHistogram("orbweaver_feed_batch_seconds",
                                          "How long it took to choose and send a batch",
                                          ExponentialBounds(0.001, 2, 14))),
      stage(registry, "queue") {}

}  // namespace orbweaver
