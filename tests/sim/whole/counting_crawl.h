// A crawl whose states alone tell what must stand in the scoring log, also where its strategy
// decides by chance.
#pragma once

#include <memory>
#include <string_view>

#include "strategy_worker/host/strategy.h"
#include "tests/sim/whole/scene.h"

namespace orbweaver::sim {

inline constexpr std::string_view kCountingStrategy = "counting";

// Counts in each link state how often it scheduled the URL, by event and URL alone or by chance.
std::unique_ptr<Strategy> NewCountingStrategy(bool by_chance, uint64_t seed);

// Of strategy workers with that strategy: in the end the books must balance.
std::unique_ptr<Scene> NewCountingScene(SimRun& run, uint64_t seed);

}  // namespace orbweaver::sim
