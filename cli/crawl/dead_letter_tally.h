// The dead letters of a crawl: how many, and why.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "common/bus/bus.h"

namespace orbweaver {

// Place: `orbweaver crawl`, beside CrawlTally. Joins no group and commits nothing. Not thread-safe.
class DeadLetterTally {
 public:
  static constexpr size_t kExamples = 3;

  // Dead letters that are in the topic already are of an earlier run and do not count.
  static absl::StatusOr<std::unique_ptr<DeadLetterTally>> Create(Bus& bus, Duration timeout);

  // Reads on, without waiting.
  absl::Status Follow();

  uint64_t count() const { return count_; }
  // The causes of the first.
  const std::vector<std::string>& causes() const { return causes_; }

 private:
  explicit DeadLetterTally(std::unique_ptr<Consumer> consumer) : consumer_(std::move(consumer)) {}

  const std::unique_ptr<Consumer> consumer_;
  uint64_t count_ = 0;
  std::vector<std::string> causes_;
};

}  // namespace orbweaver
