// The kinds of metric: counters, gauges and histograms, made by a MetricRegistry.
//
// All are thread-safe and lock-free: an increment is one relaxed atomic operation, so that the hot
// paths may count whatever is worth knowing.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

namespace orbweaver {

// Metrics of different threads do not share a cache line.
inline constexpr size_t kMetricAlignment = 64;

// Only goes up; starts at 0 with the process.
class alignas(kMetricAlignment) Counter {
 public:
  void Increment(uint64_t by = 1) { value_.fetch_add(by, std::memory_order_relaxed); }
  uint64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<uint64_t> value_{0};
};

// Goes up and down.
class alignas(kMetricAlignment) Gauge {
 public:
  void Set(double value) { value_.store(value, std::memory_order_relaxed); }
  void Add(double by) { value_.fetch_add(by, std::memory_order_relaxed); }
  double value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<double> value_{0};
};

// How a quantity is distributed, in fixed buckets.
class alignas(kMetricAlignment) Histogram {
 public:
  struct Snapshot {
    // One more than there are bounds: the last is everything above.
    std::vector<uint64_t> counts;
    double sum = 0;
  };

  // `upper_bounds` are finite and ascend; a value equal to a bound lies in its bucket.
  explicit Histogram(std::vector<double> upper_bounds);

  void Observe(double value);

  const std::vector<double>& upper_bounds() const { return upper_bounds_; }
  // Each number is right, but observations made meanwhile may be in one and not yet in another.
  Snapshot Read() const;

 private:
  const std::vector<double> upper_bounds_;

  // Own synchronisation.
  const std::unique_ptr<std::atomic<uint64_t>[]> counts_;
  std::atomic<double> sum_{0};
};

// `count` bounds from `first` on, each `factor` times the one before.
std::vector<double> ExponentialBounds(double first, double factor, int count);

}  // namespace orbweaver
