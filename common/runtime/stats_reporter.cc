#include "common/runtime/stats_reporter.h"

#include <deque>
#include <utility>
#include <vector>

#include "common/base/log.h"
#include "common/base/status.h"
#include "common/bus/topics.h"
#include "common/model/limits.h"
#include "common/model/stats.h"

namespace orbweaver {
namespace {

constexpr Duration kReportTimeout = std::chrono::seconds(5);

}  // namespace

StatsReporter::StatsReporter(Bus& bus, const MetricRegistry& metrics, StatsReporterOptions options)
    : bus_(bus),
      metrics_(metrics),
      options_(std::move(options)),
      started_at_(SystemClock().Wall()),
      thread_([this] { Run(); }) {}

StatsReporter::~StatsReporter() {
  stop_.Request();
  thread_.join();
}

void StatsReporter::Run() {
  std::unique_ptr<Producer> producer;
  do {
    // A producer that lost a record takes no more.
    if (producer == nullptr) {
      auto made = bus_.NewProducer({.max_bytes = 1 << 20}, [](const Ack&) {});
      if (made.ok()) producer = *std::move(made);
    }
    if (producer == nullptr) continue;
    if (const absl::Status reported = Report(*producer); !reported.ok()) {
      Log(LogLevel::kWarning, "stats", "report left out: {}", MessageOf(reported));
      if (!IsRetry(reported)) producer.reset();
    }
  } while (!stop_.WaitFor(options_.interval));
}

absl::Status StatsReporter::Report(Producer& producer) {
  std::deque<std::string> names;
  std::vector<CounterValue> counters;
  std::vector<GaugeValue> gauges;
  metrics_.Visit([&](MetricKind kind, const std::string& name, double value) {
    if (name.size() > kMaxMetricNameBytes) return;
    if (kind == MetricKind::kCounter && counters.size() < kMaxMetrics && value >= 0) {
      counters.push_back({names.emplace_back(name), static_cast<uint64_t>(value)});
    } else if (kind == MetricKind::kGauge && gauges.size() < kMaxMetrics) {
      gauges.push_back({names.emplace_back(name), value});
    }
  });
  EncodeBuffer buffer;
  ASSIGN_OR_RETURN(const std::string_view value,
                   Encode(WorkerStats{.worker_id = options_.worker_id,
                                      .role = options_.role,
                                      .version = options_.version,
                                      .started_at = started_at_,
                                      .reported_at = SystemClock().Wall(),
                                      .counters = counters,
                                      .gauges = gauges,
                                      .admin_address = options_.admin_address},
                          &buffer));
  RETURN_IF_ERROR(producer.Send({.topic = kStatsTopic,
                                 .partition = PartitionId(0),
                                 .key = options_.worker_id,
                                 .value = value},
                                0));
  return producer.Flush(kReportTimeout);
}

}  // namespace orbweaver
