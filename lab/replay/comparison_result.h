// The differences between two strategies' decisions on the same events.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/base/clock.h"
#include "common/model/scoring_log.h"

namespace orbweaver::lab {

enum class Side : uint8_t { kFirst = 0, kSecond = 1 };

enum class DifferenceKind : uint8_t {
  kOnlyFirst,
  kOnlySecond,
  kOtherBand,
  kOtherTime,    // its request may leave at another time: not before, or the event, whichever is
                 // later
  kOtherRest,    // depth, attempt or meta, on the same event
  kOtherUpdate,  // crawl delay, block, back-off or purge of a domain, on the same event
};
inline constexpr size_t kDifferenceKinds = 6;

struct DifferenceCounts {
  std::array<uint64_t, 2> requests{};  // by side; all that it made
  std::array<uint64_t, kDifferenceKinds> kinds{};

  uint64_t& of(DifferenceKind kind) { return kinds[static_cast<size_t>(kind)]; }
  uint64_t of(DifferenceKind kind) const { return kinds[static_cast<size_t>(kind)]; }
  // A request of another band and time counts in both.
  uint64_t differences() const { return std::accumulate(kinds.begin(), kinds.end(), uint64_t{0}); }
};

struct RequestSide {
  uint32_t event = 0;  // that it came of: its number in the EventIndex
  float score = 0;
  WallTime not_before;
};

struct DifferenceExample {
  DifferenceKind kind = DifferenceKind::kOnlyFirst;
  ScheduleAction action = ScheduleAction::kAdd;
  std::string url;  // of kOtherUpdate the domain
  std::optional<RequestSide> first, second;

  // The earlier one of the two.
  uint32_t event() const {
    if (!first.has_value()) return second->event;
    return second.has_value() ? std::min(first->event, second->event) : first->event;
  }
};

inline constexpr size_t kExamplesOfAKind = 20;
inline constexpr size_t kMostRows = 20;

struct ComparisonResult {
  DifferenceCounts counts;
  uint64_t equal = 0;           // requests: in all but a score within the same band
  uint64_t other_score = 0;     // of those
  uint64_t behind_the_end = 0;  // decisions on events that the first side had not decided on
  // Of those that only one side has, by ScheduleAction.
  std::array<std::array<uint64_t, 3>, 2> only{};

  // With most differences, at most kMostRows; and how many have any.
  using Rows = std::vector<std::pair<std::string, DifferenceCounts>>;
  Rows domains, patterns;
  uint64_t different_domains = 0;
  uint64_t different_patterns = 0;

  // On the earliest event on which the two differ.
  std::optional<DifferenceExample> first;
  // By kind, at most kExamplesOfAKind each, chosen by a hash; in the order of their events.
  std::vector<DifferenceExample> examples;
};

}  // namespace orbweaver::lab
