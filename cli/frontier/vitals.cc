#include "cli/frontier/vitals.h"

#include <cmath>

namespace orbweaver {
namespace {

struct Source {
  std::string_view metric;  // without labels: the sum over all of them
  Vital vital;
};
constexpr Source kSources[] = {
    {"process_resident_memory_bytes", Vital::kMemoryBytes},
    {"process_cpu_seconds_total", Vital::kCpuSeconds},
    {"process_open_fds", Vital::kOpenFiles},
    {"process_max_fds", Vital::kMostFiles},
    {"orbweaver_spider_pages_total", Vital::kPages},
    {"orbweaver_spider_failures_total", Vital::kFailures},
    {"orbweaver_spider_received_bytes_total", Vital::kReceivedBytes},
    {"orbweaver_spider_queued_bytes", Vital::kQueuedBytes},
    {"orbweaver_spider_fetching_requests", Vital::kFetching},
    {"orbweaver_spider_most_fetches", Vital::kMostFetches},
    {"orbweaver_spider_threads", Vital::kSpiderThreads},
    {"orbweaver_spider_partitions", Vital::kSpiderPartitions},
    {"orbweaver_strategy_partitions", Vital::kStrategyPartitions},
    {"orbweaver_strategy_lag_seconds", Vital::kStrategyLagSeconds},
    {"orbweaver_queue_partitions", Vital::kQueuePartitions},
    {"orbweaver_queue_lag_seconds", Vital::kQueueLagSeconds},
    {"orbweaver_feed_partitions_paused", Vital::kPausedPartitions},
    {"orbweaver_feed_lag", Vital::kFeedLag},
    {"orbweaver_queue_requests_waiting", Vital::kWaiting},
    {"orbweaver_queue_requests_delayed", Vital::kDelayed},
    {"orbweaver_queue_waiting_domains{state=\"ready\"}", Vital::kReadyDomains},
    {"orbweaver_queue_damaged_chunks_total", Vital::kDamagedChunks},
    {"orbweaver_spider_stage_seconds{state=\"busy\"}", Vital::kSpiderBusy},
    {"orbweaver_spider_stage_seconds{state=\"waits_for_input\"}", Vital::kSpiderWaitsForInput},
    {"orbweaver_spider_stage_seconds{state=\"waits_for_output\"}", Vital::kSpiderWaitsForOutput},
    {"orbweaver_strategy_stage_seconds{state=\"busy\"}", Vital::kStrategyBusy},
    {"orbweaver_strategy_stage_seconds{state=\"waits_for_input\"}", Vital::kStrategyWaitsForInput},
    {"orbweaver_strategy_stage_seconds{state=\"waits_for_output\"}",
     Vital::kStrategyWaitsForOutput},
    {"orbweaver_queue_stage_seconds{state=\"busy\"}", Vital::kQueueBusy},
    {"orbweaver_queue_stage_seconds{state=\"waits_for_input\"}", Vital::kQueueWaitsForInput},
    {"orbweaver_queue_stage_seconds{state=\"waits_for_output\"}", Vital::kQueueWaitsForOutput},
    {"orbweaver_spider_dead_letters_total", Vital::kDeadLetters},
    {"orbweaver_strategy_dead_letters_total", Vital::kDeadLetters},
    {"orbweaver_queue_poison_total", Vital::kDeadLetters},
    {"orbweaver_strategy_lost_events_total", Vital::kLostMessages},
    {"orbweaver_queue_messages_lost_total", Vital::kLostMessages},
    {"orbweaver_feed_requests_lost_total", Vital::kLostMessages},
    {"orbweaver_pages_messages_lost_total", Vital::kLostMessages},
};

}  // namespace

bool IsCounter(Vital vital) {
  for (const Source& source : kSources) {
    if (source.vital == vital) return source.metric.ends_with("_total");
  }
  return false;
}

void Vitals::Take(std::string_view metric, double value) {
  if (!std::isfinite(value)) return;
  const std::string_view family = metric.substr(0, metric.find('{'));
  for (const Source& source : kSources) {
    if (source.metric != metric && source.metric != family) continue;
    auto& sum = values_[static_cast<size_t>(source.vital)];
    sum = sum.value_or(0) + value;
    return;
  }
}

}  // namespace orbweaver
