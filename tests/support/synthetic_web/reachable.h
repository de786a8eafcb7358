// The URLs that a crawler must reach from some seeds: computed without crawling.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"

#include "tests/support/synthetic_web/outcome.h"
#include "tests/support/synthetic_web/place.h"
#include "tests/support/synthetic_web/web.h"

namespace orbweaver::synthetic {

struct ReachOptions {
  // The crawler asks for the sitemaps that robots.txt names.
  bool sitemaps = true;
};

// All URLs that are linked, listed, redirected to or seeds, from the seeds on, through whatever a
// polite crawler can read. A calendar without an end is left out: its days are neither required nor
// unexpected.
//
// Immutable after Compute. A bit a page, and while it is computed some bytes for each that waits.
class Reachable {
 public:
  // Fatal for a seed that is no URL of the web. `web` must outlive the result.
  static absl::StatusOr<Reachable> Compute(const Web& web, std::span<const std::string> seeds,
                                           const ReachOptions& options);

  bool Contains(const Place& place) const;

  // Every reachable URL once, with what becomes of it; hosts and pages in ascending order.
  // robots.txt files are not among them.
  void ForEach(const std::function<void(const Place&, Outcome)>& visit) const;

  // How many there are with this outcome.
  uint64_t Count(Outcome outcome) const { return counts_[static_cast<size_t>(outcome)]; }

  const Web& web() const { return *web_; }

 private:
  explicit Reachable(const Web& web);

  // True when it is new.
  bool Insert(const Place& place);

  const Web* web_;
  std::vector<bool> pages_;  // host × pages_per_host + page
  absl::flat_hash_set<Place> others_;
  std::vector<uint64_t> counts_;
};

}  // namespace orbweaver::synthetic
