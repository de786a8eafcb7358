#include "strategy_worker/core/exploration.h"

#include <algorithm>

#include "common/base/random.h"
#include "common/model/limits.h"
#include "common/url/fingerprint.h"

namespace orbweaver {

std::optional<DrawnRequest> DrawExplored(double share, uint64_t chances,
                                         std::string_view source_url, WallTime time,
                                         const Fingerprint& first_candidate, size_t candidates) {
  const double of_event = std::min(1.0, share * static_cast<double>(chances));
  // Each part is mixed by itself: a difference in one must not cancel one in another.
  uint64_t seed = Random(FingerprintOf(source_url).low)();
  seed = Random(seed ^ static_cast<uint64_t>(time.time_since_epoch().count()))();
  Random lot(seed ^ first_candidate.low);
  if (!lot.Chance(of_event)) return std::nullopt;
  return DrawnRequest{.candidate = lot.Below(candidates),
                      .probability = of_event / static_cast<double>(candidates)};
}

std::span<const Meta> WithoutExploration(std::span<const Meta> meta, Arena* arena) {
  if (std::ranges::none_of(meta, IsOfExploration)) return meta;
  ArenaList<Meta> kept;
  for (const Meta& entry : meta) {
    if (!IsOfExploration(entry)) *kept.Append(*arena) = entry;
  }
  return kept.view();
}

std::optional<std::span<const Meta>> WithExploration(std::span<const Meta> meta,
                                                     const Exploration& exploration, Arena* arena) {
  if (meta.size() + kExploreEntries > kMaxMetaEntries) return std::nullopt;
  const ExplorationText text = TextOf(exploration);
  ArenaList<Meta> entries;
  entries.Append(*arena, meta);
  *entries.Append(*arena) = {.key = kExploreKey, .value = arena->Copy(text.probability)};
  *entries.Append(*arena) = {.key = kOwnScoreKey, .value = arena->Copy(text.score)};
  return entries.view();
}

}  // namespace orbweaver
