// How busy each stage of the loop is.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "cli/frontier/worker_book.h"

#include "common/base/clock.h"

namespace orbweaver {

// Shares of the time, which add up to 1; all or none of them are known.
struct StageShares {
  std::string_view name;  // "spiders", "strategy workers", "db workers"
  std::string_view role;  // of its workers
  std::optional<double> busy;
  std::optional<double> waits_for_input;
  std::optional<double> waits_for_output;
};

// All three stages, as the workers together were in about the last `window`. `workers` are of
// `book`'s.
std::vector<StageShares> SharesOf(const WorkerBook& book,
                                  std::span<const WorkerReport* const> workers, Duration window);

}  // namespace orbweaver
