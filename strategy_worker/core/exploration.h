// Exploration: a share of a domain's fetches goes to requests that the strategy ranks low, drawn by
// lot. Requests say with which probability (common/model/exploration.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "common/base/clock.h"
#include "common/base/ids.h"
#include "common/model/arena.h"
#include "common/model/exploration.h"
#include "common/model/spider_feed.h"

namespace orbweaver {

struct DrawnRequest {
  size_t candidate = 0;
  double probability = 0;  // that just this one was drawn
};

// Draws one of `candidates` requests (at least one), or none. Each fetch of the domain since the
// last draw was a chance of `share`; so the expected number of drawn requests is `share` of the
// fetches at most, and as much where every fetch leads to new requests. The lot is a hash of the
// event: asked again, after a crash or in a replay, it falls the same.
std::optional<DrawnRequest> DrawExplored(double share, uint64_t chances,
                                         std::string_view source_url, WallTime time,
                                         const Fingerprint& first_candidate, size_t candidates);

// `meta` without its entries of exploration; a copy in `arena` where it has some.
std::span<const Meta> WithoutExploration(std::span<const Meta> meta, Arena* arena);

// `meta` with them, in `arena`. Nothing when it is full.
std::optional<std::span<const Meta>> WithExploration(std::span<const Meta> meta,
                                                     const Exploration& exploration, Arena* arena);

}  // namespace orbweaver
