// All metrics of a process, and their text for Prometheus.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"

#include "common/metrics/metric.h"
#include "common/metrics/metric_name.h"

namespace orbweaver {

// Names and values; values are UTF-8.
using MetricLabels = std::vector<std::pair<std::string, std::string>>;

// Place: built in main, passed by reference to every part that counts; the admin server prints it
// under /metrics. Thread-safe. The metrics that it returns live as long as the registry.
//
// Adding a metric that is there already (name and labels) returns that one, so that a part which
// comes and goes with its partitions goes on counting where it stopped. Names are our own: one
// that breaks the conventions (metric_name.h), or that was added with another help, type, set of
// label names or bounds, ends the process with what to change. Help is one line without
// backslashes.
class MetricRegistry {
 public:
  MetricRegistry() = default;
  MetricRegistry(const MetricRegistry&) = delete;
  MetricRegistry& operator=(const MetricRegistry&) = delete;

  Counter& AddCounter(std::string_view name, std::string_view help, MetricLabels labels = {})
      ABSL_LOCKS_EXCLUDED(mutex_);
  Gauge& AddGauge(std::string_view name, std::string_view help, MetricLabels labels = {})
      ABSL_LOCKS_EXCLUDED(mutex_);
  Histogram& AddHistogram(std::string_view name, std::string_view help,
                          std::vector<double> upper_bounds, MetricLabels labels = {})
      ABSL_LOCKS_EXCLUDED(mutex_);

  // A counter or gauge kept elsewhere, read whenever the metrics are. `read` is called on the admin
  // server's thread, must not use the registry, and must stay valid as long as the registry.
  void AddFunction(MetricKind kind, std::string_view name, std::string_view help,
                   std::function<double()> read, MetricLabels labels = {})
      ABSL_LOCKS_EXCLUDED(mutex_);

  // Counters and gauges as they stand, sorted by name; `name` is with its labels, as in the text.
  // `visit` must not use the registry.
  using Visitor = std::function<void(MetricKind kind, const std::string& name, double value)>;
  void Visit(const Visitor& visit) const ABSL_LOCKS_EXCLUDED(mutex_);

  // All metrics in Prometheus' text format 0.0.4, sorted by name.
  std::string Text() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  using Source = std::variant<std::monostate, std::unique_ptr<Counter>, std::unique_ptr<Gauge>,
                              std::unique_ptr<Histogram>, std::function<double()>>;
  struct Metric {
    MetricLabels labels;
    Source source;
  };
  struct Family {
    MetricKind kind;
    std::string help;
    std::vector<Metric> metrics;
  };

  // The metric's place, empty when it is new.
  Source& Slot(MetricKind kind, std::string_view name, std::string_view help, MetricLabels labels)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  mutable absl::Mutex mutex_;
  std::map<std::string, Family, std::less<>> families_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace orbweaver
