// The strategy of a run's strategy workers.
#pragma once

#include <memory>

#include "strategy_worker/host/strategy.h"
#include "tests/sim/whole/shape.h"

namespace orbweaver::sim {

// `options` of `shape`, for one process; `seed` is that of its chance, where it decides by some.
std::unique_ptr<Strategy> NewSimStrategy(const Shape& shape, const StrategyOptions& options,
                                         uint64_t seed);

}  // namespace orbweaver::sim
