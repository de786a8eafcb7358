// When a delayed request is looked at again: buckets of due time, fine when near and coarse when
// far, as a wheel of five levels.
#pragma once

#include <cstdint>

#include "common/base/clock.h"

namespace orbweaver {

// [start, start + width of the level). A level's width is sixty of the one below: a second, a
// minute, an hour, sixty hours, 150 days. So a domain has at most some three hundred buckets,
// however far its requests are spread, and a request changes its bucket at most four times.
struct DueBucket {
  uint64_t start_s = 0;
  uint8_t level = 0;

  friend auto operator<=>(const DueBucket&, const DueBucket&) = default;
};

inline constexpr uint8_t kDueLevels = 5;

// `due` is later than `now`.
DueBucket DueBucketOf(WallTime due, WallTime now);

// When the bucket's requests are sorted anew: into ready bands, or into buckets of lower levels. At
// the end of the lowest level, where all are due by then; else at the start.
WallTime OpensAt(const DueBucket& bucket);

}  // namespace orbweaver
