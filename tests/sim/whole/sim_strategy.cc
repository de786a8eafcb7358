#include "tests/sim/whole/sim_strategy.h"

#include <utility>

#include "common/base/status.h"
#include "strategy_worker/host/loader.h"
#include "tests/sim/whole/chance_strategy.h"
#include "tests/sim/whole/counting_crawl.h"

namespace orbweaver::sim {

std::unique_ptr<Strategy> NewSimStrategy(const Shape& shape, const StrategyOptions& options,
                                         uint64_t seed) {
  if (options.name == kCountingStrategy) return NewCountingStrategy(shape.by_chance, seed);
  // One seed for all: a worker that is started again has the same configuration.
  auto strategy = LoadStrategy(options, /*seed=*/1);
  CHECK_OK(strategy.status());
  if (!shape.by_chance) return *std::move(strategy);
  return std::make_unique<ChanceStrategy>(*std::move(strategy), seed);
}

}  // namespace orbweaver::sim
