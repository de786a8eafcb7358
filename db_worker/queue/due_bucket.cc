#include "db_worker/queue/due_bucket.h"

namespace orbweaver {
namespace {

constexpr uint64_t kRatio = 60;
constexpr uint64_t kWidths_s[kDueLevels] = {1, 60, 3600, 216'000, 12'960'000};

uint64_t Seconds(WallTime time) {
  return static_cast<uint64_t>(
      std::chrono::floor<std::chrono::seconds>(time.time_since_epoch()).count());
}

}  // namespace

DueBucket DueBucketOf(WallTime due, WallTime now) {
  const uint64_t due_s = Seconds(due);
  const uint64_t left_s = due_s - Seconds(now);
  uint8_t level = 0;
  while (level + 1 < kDueLevels && left_s >= kRatio * kWidths_s[level]) ++level;
  return {.start_s = due_s - due_s % kWidths_s[level], .level = level};
}

WallTime OpensAt(const DueBucket& bucket) {
  const uint64_t at_s = bucket.start_s + (bucket.level == 0 ? 1 : 0);
  return WallTime(std::chrono::seconds(at_s));
}

}  // namespace orbweaver
