// Requests that the strategy worker fetches sooner than its strategy ranks them, drawn by lot
// (strategy_worker.explore). Two entries of a request's meta tell them from others; they come back
// with its outcome and stand in the links that were found there.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "common/model/spider_feed.h"

namespace orbweaver {

// Of the meta: with which probability the request was drawn, and its strategy's own score.
inline constexpr std::string_view kExploreKey = "orbweaver.explore";
inline constexpr std::string_view kOwnScoreKey = "orbweaver.score";
inline constexpr size_t kExploreEntries = 2;

struct Exploration {
  double probability = 1;  // above 0, at most 1
  float score = 0;         // as the strategy has it; the request's own is the highest
};

// Nothing when the request was not drawn, or its entries make no sense.
std::optional<Exploration> ExplorationOf(std::span<const Meta> meta);

// The score that its strategy gave the request.
float OwnScore(float score, std::span<const Meta> meta);

inline bool IsOfExploration(const Meta& entry) {
  return entry.key == kExploreKey || entry.key == kOwnScoreKey;
}

// The values of the two entries.
struct ExplorationText {
  std::string probability;
  std::string score;
};
ExplorationText TextOf(const Exploration& exploration);

}  // namespace orbweaver
