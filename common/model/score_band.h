// Priorities of requests: the queue sorts scores into bands.
#pragma once

#include <algorithm>

namespace orbweaver {

// Band 0 leaves first.
inline constexpr int kBands = 8;

// Score 1 and above: band 0; 0 and below: band 7.
inline int BandOf(float score) {
  return static_cast<int>(std::clamp((1.0F - score) * kBands, 0.0F, kBands - 1.0F));
}

}  // namespace orbweaver
