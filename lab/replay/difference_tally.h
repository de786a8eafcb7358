// Counts and examples of differences, by registered domain and by shape of URL.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"

#include "lab/replay/comparison_result.h"

namespace orbweaver::lab {

// Place: inside RequestComparison. Memory: a row a domain, and a row a pattern that differs, up to
// kMostPatterns. Not thread-safe.
class DifferenceTally {
 public:
  static constexpr size_t kMostPatterns = 200'000;
  static constexpr uint32_t kNone = UINT32_MAX;

  uint32_t DomainNumber(std::string_view domain) { return domains_.Number(domain, SIZE_MAX); }
  // Patterns beyond kMostPatterns share one.
  uint32_t PatternNumber(std::string_view url);

  void CountRequests(uint32_t domain, Side side, uint64_t requests);
  // `rank`: a hash of what differs, by which examples are chosen. `pattern` may be kNone.
  void Add(const DifferenceExample& difference, uint64_t rank, uint32_t domain, uint32_t pattern);

  // Whether an Add of this rank on this event would keep its URL.
  bool WantsUrl(const DifferenceExample& difference, uint64_t rank) const;

  const DifferenceCounts& counts() const { return counts_; }
  // Fills in all that was counted here.
  void MoveTo(ComparisonResult* result);

 private:
  struct Table {
    absl::flat_hash_map<std::string, uint32_t> numbers;
    ComparisonResult::Rows rows;

    uint32_t Number(std::string_view name, size_t most);
    // Returns how many rows have differences.
    uint64_t MoveTop(ComparisonResult::Rows* top);
  };

  bool IsFirst(const DifferenceExample& difference, uint64_t rank) const;

  DifferenceCounts counts_;
  Table domains_, patterns_;
  std::array<std::map<uint64_t, DifferenceExample>, kDifferenceKinds> examples_;
  std::optional<DifferenceExample> first_;
  uint64_t first_rank_ = 0;
};

}  // namespace orbweaver::lab
