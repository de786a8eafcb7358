#include "common/model/exploration.h"

#include <charconv>
#include <cmath>
#include <system_error>

#include "fmt/format.h"

namespace orbweaver {
namespace {

template <typename T>
bool Parse(std::string_view text, T* value) {
  const char* const end = text.data() + text.size();
  const auto [read, error] = std::from_chars(text.data(), end, *value);
  return error == std::errc() && read == end && std::isfinite(*value);
}

}  // namespace

std::optional<Exploration> ExplorationOf(std::span<const Meta> meta) {
  Exploration exploration;
  size_t found = 0;
  for (const Meta& entry : meta) {
    if (entry.key == kExploreKey) {
      found += Parse(entry.value, &exploration.probability) ? 1 : 0;
    } else if (entry.key == kOwnScoreKey) {
      found += Parse(entry.value, &exploration.score) ? 1 : 0;
    }
  }
  const bool is_probability = exploration.probability > 0 && exploration.probability <= 1;
  if (found != kExploreEntries || !is_probability) return std::nullopt;
  return exploration;
}

float OwnScore(float score, std::span<const Meta> meta) {
  if (meta.size() < kExploreEntries) return score;
  const auto exploration = ExplorationOf(meta);
  return exploration.has_value() ? exploration->score : score;
}

ExplorationText TextOf(const Exploration& exploration) {
  return {.probability = fmt::format("{:.6g}", exploration.probability),
          .score = fmt::format("{}", exploration.score)};
}

}  // namespace orbweaver
