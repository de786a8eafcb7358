// Tells the console how a worker fares: its counters and gauges, every few seconds, to the `stats`
// topic.
#pragma once

#include <memory>
#include <string>
#include <thread>

#include "common/base/clock.h"
#include "common/bus/bus.h"
#include "common/metrics/metric_registry.h"
#include "common/runtime/stop_request.h"

namespace orbweaver {

struct StatsReporterOptions {
  std::string worker_id;  // stays the same over restarts
  std::string role;       // "spider", "strategy-worker", "db-worker"
  std::string version;
  std::string admin_address;  // Process::admin_address
  Duration interval = std::chrono::seconds(5);
};

// Place: beside the core, on a thread and with a producer of its own, so that it disturbs nothing:
// a report that does not get through is logged and left out. Reports from construction to
// destruction. `bus` and `metrics` must outlive it.
class StatsReporter {
 public:
  StatsReporter(Bus& bus, const MetricRegistry& metrics, StatsReporterOptions options);
  ~StatsReporter();

 private:
  void Run();
  absl::Status Report(Producer& producer);

  Bus& bus_;
  const MetricRegistry& metrics_;
  const StatsReporterOptions options_;
  const WallTime started_at_;
  StopRequest stop_;
  std::thread thread_;
};

}  // namespace orbweaver
