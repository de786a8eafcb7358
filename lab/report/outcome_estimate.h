// The outcome that a fetch would probably have had whose outcome was not recorded.
#pragma once

#include <array>
#include <cstdint>

#include "absl/container/flat_hash_map.h"

namespace orbweaver::lab {

// The parts of a fetch that are estimated.
enum class OutcomePart : uint8_t {
  kPage,    // 1: there was a page
  kUnique,  // 1: a page, with content that no URL before had
  kValue,   // as the user defines it
};
inline constexpr size_t kOutcomeParts = 3;
using Outcome = std::array<double, kOutcomeParts>;

// An estimate, taken apart for the bootstrap: which part comes from the mean over all domains.
struct Estimate {
  Outcome own{};        // from the same domain
  double from_all = 0;  // how much of the mean over all is added
};

// Estimates from the recorded URLs of the same registered domain and depth. Where these are few the
// mean of the domain counts too, and the mean over all: each as much as `kPrior` URLs would.
//
// URLs that were recorded because the recorded crawl explored stand for those that its strategy
// ranked low, and so for those that were not recorded: one that was promoted with probability p
// stands for 1/p - 1 of them, which is its weight (PageTable). Few heavy ones count as no more than
// they are (Kish's effective size).
//
// Place: filled from PageTable, read by MeasureCrawl. Thread-safe once filled.
class OutcomeEstimate {
 public:
  static constexpr double kPrior = 5;

  void Add(uint32_t domain, uint32_t depth, double weight, const Outcome& outcome);

  // From the domain's own URLs and with the factor of MeanOfAll.
  Estimate Of(uint32_t domain, uint32_t depth) const;
  // Both together.
  Outcome ValueOf(uint32_t domain, uint32_t depth) const;

  // 0 where nothing was recorded.
  Outcome MeanOfAll() const;

  // For resampling: the sums over one domain's URLs, or over all.
  struct Sums {
    double weight = 0;
    double squares = 0;  // of the weights
    Outcome weighted{};
  };
  const Sums& all() const { return all_; }
  // Null: none of the domain was recorded.
  const Sums* OfDomain(uint32_t domain) const;

 private:
  static void AddTo(Sums& sums, double weight, const Outcome& outcome);

  Sums all_;
  absl::flat_hash_map<uint32_t, Sums> domains_;
  absl::flat_hash_map<uint64_t, Sums> strata_;  // by domain and depth
};

}  // namespace orbweaver::lab
