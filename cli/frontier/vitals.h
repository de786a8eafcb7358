// The few metrics of a worker that the console and autoscaling draw their conclusions from.
//
// Place: between a worker's metrics, from its reports to topic `stats` or from the registry of this
// process, and workers, curves and alerts. Bounded, however many metrics a worker has.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace orbweaver {

enum class Vital : uint8_t {
  kMemoryBytes,
  kCpuSeconds,
  kOpenFiles,
  kMostFiles,
  // Of spiders.
  kPages,
  kFailures,
  kReceivedBytes,
  kQueuedBytes,
  kFetching,
  kMostFetches,
  kSpiderThreads,
  kSpiderPartitions,
  // Of strategy workers.
  kStrategyPartitions,
  kStrategyLagSeconds,
  // Of db workers.
  kQueuePartitions,
  kQueueLagSeconds,
  kPausedPartitions,
  kFeedLag,
  kWaiting,
  kDelayed,
  kReadyDomains,
  kDamagedChunks,
  // Of the three stages, in seconds since the process began: see common/metrics/stage_clock.h.
  kSpiderBusy,
  kSpiderWaitsForInput,
  kSpiderWaitsForOutput,
  kStrategyBusy,
  kStrategyWaitsForInput,
  kStrategyWaitsForOutput,
  kQueueBusy,
  kQueueWaitsForInput,
  kQueueWaitsForOutput,
  // Of all; several metrics add up to one.
  kDeadLetters,
  kLostMessages,
};
inline constexpr size_t kVitals = static_cast<size_t>(Vital::kLostMessages) + 1;

// Whether it only grows, from 0 with the process.
bool IsCounter(Vital vital);

// Not thread-safe.
class Vitals {
 public:
  // `metric` is with its labels, as MetricRegistry::Visit names it. Others than those are
  // passed over, and values that are no number.
  void Take(std::string_view metric, double value);

  // Nothing: no metric told it.
  std::optional<double> operator[](Vital vital) const {
    return values_[static_cast<size_t>(vital)];
  }

 private:
  std::array<std::optional<double>, kVitals> values_;
};

}  // namespace orbweaver
