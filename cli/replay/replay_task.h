// The parts that all kinds of replay share.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/product_options.h"
#include "cli/replay/strategy_list.h"

#include "common/url/domain.h"
#include "lab/recording/recording.h"
#include "lab/replay/replay_worker.h"
#include "strategy_worker/host/strategy.h"

namespace orbweaver {

// One call of `orbweaver replay`, its options read. Read-only, so several threads may use it.
struct ReplayTask {
  const ProductOptions& options;  // the recorded ones, under those of the command line
  const lab::Recording& recording;
  const PublicSuffixes& suffixes;
  std::vector<ListedStrategy> strategies;  // at least one
  bool json = false;
  bool strict = false;  // an event that a strategy cannot process is a failure

  // As the recorded worker had them, but that an error of the strategy does not end it.
  StrategyWorkerOptions WorkerOptions() const;
  // A strategy worker on memory, for `strategy`, which must outlive it.
  absl::StatusOr<std::unique_ptr<lab::ReplayWorker>> NewWorker(Strategy& strategy) const;
  // Recorded events of the spider log.
  uint64_t Events() const;
};

}  // namespace orbweaver
