// How often each URL of the synthetic web was requested.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "absl/container/flat_hash_map.h"

#include "tests/support/synthetic_web/place.h"
#include "tests/support/synthetic_web/web_options.h"

namespace orbweaver::synthetic {

// Place: under whoever plays the web, the server or a simulator, which asks it for Ask::attempt.
// A byte for each page of the hosts that were asked, and the same few for all else. Not
// thread-safe.
class Ledger {
 public:
  explicit Ledger(const WebOptions& options);

  // Counts a request, and returns how many there were before; 255 at most for a page.
  uint32_t Count(const Place& place);

  uint32_t RequestsOf(const Place& place) const;

  // Every URL that was requested, in no particular order.
  void ForEach(const std::function<void(const Place&, uint32_t requests)>& visit) const;

  // Requests of URLs that are none of this web, or of more days of a calendar than are kept.
  uint64_t unknown() const { return unknown_; }

  void Clear();

 private:
  static constexpr size_t kMaxOthers = 1 << 20;

  const uint32_t pages_per_host_;
  std::vector<std::unique_ptr<uint8_t[]>> pages_;  // by host; nullptr: never asked
  absl::flat_hash_map<Place, uint32_t> others_;
  uint64_t unknown_ = 0;
};

}  // namespace orbweaver::synthetic
