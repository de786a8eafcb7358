// How far a domain's row has applied the spider log.
#pragma once

#include <compare>
#include <cstdint>

#include "common/base/ids.h"

namespace orbweaver {

// Compared as (topic epoch, offset, part): a later event has a greater one, also when topics were
// made anew and offsets started again. A row contains every event that is not greater than its
// watermark.
struct Watermark {
  uint64_t topic_epoch = 0;
  Offset offset{-1};
  uint32_t part = 0;  // of several messages that one event led to

  friend constexpr auto operator<=>(const Watermark&, const Watermark&) = default;
};

}  // namespace orbweaver
