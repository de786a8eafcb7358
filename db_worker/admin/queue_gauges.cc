#include "db_worker/admin/queue_gauges.h"

#include <algorithm>
#include <string>

namespace orbweaver {
namespace {

std::array<Gauge*, kBands> WaitingByBand(MetricRegistry& registry) {
  std::array<Gauge*, kBands> gauges;
  for (int band = 0; band < kBands; ++band) {
    gauges[band] = &registry.AddGauge("orbweaver_queue_requests_waiting", "Requests that may leave",
                                      {{"band", std::to_string(band)}});
  }
  return gauges;
}

Gauge& DomainsThatAre(MetricRegistry& registry, const char* state) {
  return registry.AddGauge(
      "orbweaver_queue_waiting_domains",
      "Domains with requests: that may send, wait for their delay, are blocked",
      {{"state", state}});
}

}  // namespace

QueueGauges::QueueGauges(MetricRegistry& registry)
    : partitions_(registry.AddGauge("orbweaver_queue_partitions", "Partitions that are owned")),
      paused_(registry.AddGauge("orbweaver_feed_partitions_paused",
                                "Partitions whose feed an operator has paused")),
      waiting_(WaitingByBand(registry)),
      delayed_(
          registry.AddGauge("orbweaver_queue_requests_delayed", "Requests that are not due yet")),
      domains_(registry.AddGauge("orbweaver_queue_domains", "Domains known in memory")),
      ready_(DomainsThatAre(registry, "ready")),
      paced_(DomainsThatAre(registry, "paced")),
      blocked_(DomainsThatAre(registry, "blocked")),
      lag_(registry.AddGauge("orbweaver_feed_lag",
                             "Requests in the feed that the spiders have not done")),
      most_lag_(registry.AddGauge("orbweaver_feed_lag_most", "The same in the worst partition")),
      oldest_seconds_(registry.AddGauge("orbweaver_queue_oldest_seconds",
                                        "How long some domain's queue has not been empty")),
      index_bytes_(
          registry.AddGauge("orbweaver_queue_index_bytes", "Memory of the index of domains")) {}

void QueueGauges::Set(std::span<const PartitionReport> partitions, WallTime now) {
  PartitionReport sum;
  int64_t paused = 0, most_lag = 0;
  for (const PartitionReport& one : partitions) {
    paused += one.paused ? 1 : 0;
    for (int band = 0; band < kBands; ++band) sum.waiting[band] += one.waiting[band];
    sum.delayed += one.delayed;
    sum.domains += one.domains;
    sum.ready += one.ready;
    sum.paced += one.paced;
    sum.blocked += one.blocked;
    sum.lag += one.lag;
    most_lag = std::max(most_lag, one.lag);
    sum.index_bytes += one.index_bytes;
    const bool is_older =
        one.oldest != WallTime() && (sum.oldest == WallTime() || one.oldest < sum.oldest);
    if (is_older) sum.oldest = one.oldest;
  }
  partitions_.Set(static_cast<double>(partitions.size()));
  paused_.Set(static_cast<double>(paused));
  for (int band = 0; band < kBands; ++band) {
    waiting_[band]->Set(static_cast<double>(sum.waiting[band]));
  }
  delayed_.Set(static_cast<double>(sum.delayed));
  domains_.Set(static_cast<double>(sum.domains));
  ready_.Set(static_cast<double>(sum.ready));
  paced_.Set(static_cast<double>(sum.paced));
  blocked_.Set(static_cast<double>(sum.blocked));
  lag_.Set(static_cast<double>(sum.lag));
  most_lag_.Set(static_cast<double>(most_lag));
  oldest_seconds_.Set(SecondsSince(sum.oldest, now));
  index_bytes_.Set(static_cast<double>(sum.index_bytes));
}

}  // namespace orbweaver
