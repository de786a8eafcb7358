// A crawl's curves: the last 15 minutes, 6 hours and 7 days, each in steps of its own.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"

#include "common/base/clock.h"

namespace orbweaver {

enum class Curve : uint8_t {
  kPages,     // a second
  kFailures,  // a second
  kBytes,     // a second, as they come over the wire
  kWaiting,   // requests
  kDelayed,   // requests
  kSpiderLogLag,
  kScoringLogLag,
  kFeedLag,
  kMemory,  // bytes, of all workers
};
inline constexpr size_t kCurves = static_cast<size_t>(Curve::kMemory) + 1;
// "pages_per_second", "failures_per_second", …
std::string_view CurveName(Curve curve);

// By Curve; nothing: not known.
using CurveValues = std::array<std::optional<double>, kCurves>;

struct HistoryRange {
  std::string_view name;
  std::chrono::seconds step;
  int64_t steps;
};
inline constexpr HistoryRange kHistoryRanges[] = {
    {"15m", std::chrono::seconds(5), 180},
    {"6h", std::chrono::minutes(2), 180},
    {"7d", std::chrono::minutes(30), 336},
};
inline constexpr size_t kHistoryRangeCount = std::size(kHistoryRanges);

struct HistoryPoint {
  WallTime time;  // when its step began
  CurveValues values;
};

// Place: filled by the console's sampler. At most 696 points in memory. Not thread-safe.
class History {
 public:
  // A point is the mean of its step's samples. Points that lie after `time` are dropped: the clock
  // was set back. Values that are no number are left out.
  void Add(WallTime time, const CurveValues& sample);

  // Those of a range of kHistoryRanges that ends at `until`, a step apart: steps without samples
  // have points without values. Begins with the first that is known.
  std::vector<HistoryPoint> Points(size_t range, WallTime until) const;

  // The newest sample's step; 1970: there is none.
  WallTime newest() const;

  // All of it as bytes, some tens of kilobytes, with a checksum.
  std::string Encode() const;
  // Replaces all of it. Poison, and nothing changed: `bytes` are not whole, or not of Encode.
  absl::Status Decode(std::string_view bytes);

 private:
  struct Mean {
    double sum = 0;
    uint32_t count = 0;
  };
  struct Step {
    int64_t number = 0;  // since 1970
    std::array<Mean, kCurves> means;
  };
  // By number, ascending.
  using Ring = std::deque<Step>;

  std::array<Ring, kHistoryRangeCount> rings_;
};

}  // namespace orbweaver
