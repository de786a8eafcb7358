#include "cli/frontier/history.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "cli/frontier/kept_file.h"

#include "common/base/byte_format.h"
#include "common/base/status.h"
#include "common/model/limits.h"

namespace orbweaver {
namespace {

// Another number: another layout.
constexpr std::string_view kMagic = "orbweaver history 1\n";

int64_t StepOf(WallTime time, const HistoryRange& range) {
  return std::chrono::floor<std::chrono::seconds>(time.time_since_epoch()) / range.step;
}

absl::Status Damaged() { return PoisonError("read the history of the crawl: it is damaged"); }

WallTime BeginOf(int64_t step, const HistoryRange& range) { return WallTime(step * range.step); }

}  // namespace

std::string_view CurveName(Curve curve) {
  switch (curve) {
    case Curve::kPages:
      return "pages_per_second";
    case Curve::kFailures:
      return "failures_per_second";
    case Curve::kBytes:
      return "bytes_per_second";
    case Curve::kWaiting:
      return "waiting";
    case Curve::kDelayed:
      return "delayed";
    case Curve::kSpiderLogLag:
      return "spider_log_lag";
    case Curve::kScoringLogLag:
      return "scoring_log_lag";
    case Curve::kFeedLag:
      return "feed_lag";
    case Curve::kMemory:
      return "memory_bytes";
  }
  return "";
}

void History::Add(WallTime time, const CurveValues& sample) {
  for (size_t r = 0; r < kHistoryRangeCount; ++r) {
    Ring& ring = rings_[r];
    const int64_t number = StepOf(time, kHistoryRanges[r]);
    while (!ring.empty() && ring.back().number > number) ring.pop_back();
    if (ring.empty() || ring.back().number < number) {
      ring.push_back({.number = number, .means = {}});
    }
    for (size_t i = 0; i < kCurves; ++i) {
      if (!sample[i].has_value() || !std::isfinite(*sample[i])) continue;
      Mean& mean = ring.back().means[i];
      mean.sum += *sample[i];
      ++mean.count;
    }
    while (ring.front().number <= number - kHistoryRanges[r].steps) ring.pop_front();
  }
}

std::vector<HistoryPoint> History::Points(size_t range, WallTime until) const {
  const HistoryRange& of = kHistoryRanges[range];
  const int64_t last = StepOf(until, of);
  std::vector<HistoryPoint> points;
  for (const Step& step : rings_[range]) {
    if (step.number <= last - of.steps || step.number > last) continue;
    const int64_t missing_from = points.empty() ? step.number : StepOf(points.back().time, of) + 1;
    for (int64_t missing = missing_from; missing < step.number; ++missing) {
      points.push_back({.time = BeginOf(missing, of), .values = {}});
    }
    HistoryPoint& point = points.emplace_back();
    point.time = BeginOf(step.number, of);
    for (size_t i = 0; i < kCurves; ++i) {
      const Mean& mean = step.means[i];
      if (mean.count > 0) point.values[i] = mean.sum / mean.count;
    }
  }
  return points;
}

WallTime History::newest() const {
  return rings_[0].empty() ? WallTime() : BeginOf(rings_[0].back().number, kHistoryRanges[0]);
}

std::string History::Encode() const {
  std::string bytes(kMagic);
  for (const Ring& ring : rings_) {
    AppendVarint(ring.size(), &bytes);
    for (const Step& step : ring) {
      AppendVarint(static_cast<uint64_t>(step.number), &bytes);
      for (const Mean& mean : step.means) {
        AppendVarint(mean.count, &bytes);
        if (mean.count > 0) AppendFixed(std::bit_cast<uint64_t>(mean.sum), &bytes);
      }
    }
  }
  return WithChecksum(std::move(bytes));
}

absl::Status History::Decode(std::string_view bytes) {
  if (!TakeChecksum(&bytes) || !bytes.starts_with(kMagic)) return Damaged();
  ByteReader reader(bytes.substr(kMagic.size()));
  std::array<Ring, kHistoryRangeCount> rings;
  for (size_t r = 0; r < kHistoryRangeCount; ++r) {
    const auto size = reader.Varint<uint64_t>();
    if (size > static_cast<uint64_t>(kHistoryRanges[r].steps)) return Damaged();
    for (uint64_t i = 0; i < size; ++i) {
      Step step{.number = static_cast<int64_t>(reader.Varint<uint64_t>()), .means = {}};
      const bool is_next = rings[r].empty() || step.number > rings[r].back().number;
      if (!is_next || step.number < 0 || step.number > kMaxTimeMs) return Damaged();
      for (Mean& mean : step.means) {
        mean.count = reader.Varint<uint32_t>();
        if (mean.count == 0) continue;
        mean.sum = std::bit_cast<double>(reader.Fixed<uint64_t>());
        if (!std::isfinite(mean.sum)) return Damaged();
      }
      rings[r].push_back(step);
    }
  }
  if (!reader.ok() || !reader.AtEnd()) return Damaged();
  rings_ = std::move(rings);
  return absl::OkStatus();
}

}  // namespace orbweaver
