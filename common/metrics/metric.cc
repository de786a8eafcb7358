#include "common/metrics/metric.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "common/base/check.h"

namespace orbweaver {

Histogram::Histogram(std::vector<double> upper_bounds)
    : upper_bounds_(std::move(upper_bounds)),
      counts_(std::make_unique<std::atomic<uint64_t>[]>(upper_bounds_.size() + 1)) {
  CHECK(!upper_bounds_.empty());
  CHECK(std::all_of(upper_bounds_.begin(), upper_bounds_.end(),
                    [](double bound) { return std::isfinite(bound); }));
  // Not even two equal ones.
  CHECK(std::adjacent_find(upper_bounds_.begin(), upper_bounds_.end(), std::greater_equal<>()) ==
        upper_bounds_.end());
}

void Histogram::Observe(double value) {
  const auto bucket = std::lower_bound(upper_bounds_.begin(), upper_bounds_.end(), value);
  counts_[static_cast<size_t>(bucket - upper_bounds_.begin())].fetch_add(1,
                                                                         std::memory_order_relaxed);
  sum_.fetch_add(value, std::memory_order_relaxed);
}

Histogram::Snapshot Histogram::Read() const {
  Snapshot snapshot;
  snapshot.counts.reserve(upper_bounds_.size() + 1);
  for (size_t i = 0; i <= upper_bounds_.size(); ++i) {
    snapshot.counts.push_back(counts_[i].load(std::memory_order_relaxed));
  }
  snapshot.sum = sum_.load(std::memory_order_relaxed);
  return snapshot;
}

std::vector<double> ExponentialBounds(double first, double factor, int count) {
  CHECK(first > 0 && factor > 1 && count > 0);
  std::vector<double> bounds;
  bounds.reserve(static_cast<size_t>(count));
  for (double bound = first; count > 0; --count, bound *= factor) bounds.push_back(bound);
  return bounds;
}

}  // namespace orbweaver
