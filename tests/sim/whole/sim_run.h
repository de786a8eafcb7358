// The records of a run for the auditor, beside the world itself.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/base/clock.h"
#include "tests/sim/whole/late_puts.h"
#include "tests/sim/whole/shape.h"
#include "tests/sim/whole/sim_server.h"
#include "tests/support/strategy_world.h"

namespace orbweaver::sim {

struct SimRun {
  explicit SimRun(const Shape& drawn)
      : shape(drawn), world(drawn.partitions), server(shape, world.clock) {}

  struct Block {
    std::string domain;
    WallTime from;   // once it held
    WallTime until;  // when it ended, or somebody began to lift it
  };

  // A spider died, was fenced, stands still, or could not commit before its partitions went: it may
  // have lost what it was doing, and what sites asked of it a moment ago.
  void SpiderLost() {
    ++spider_losses;
    server.SpiderLost();
  }

  const Shape shape;
  StrategyWorld world;
  SimServer server;
  LatePuts late_puts;

  std::vector<Block> blocks;
  std::set<std::string> purged;  // domains
  // By domain, so many orders to fetch a URL again.
  std::map<std::string, uint64_t> ordered;
  int spider_losses = 0;
  uint64_t numbered_messages = 0;  // by PlantedBus
  // Two spiders may have had a domain at once: one of them did not know it any more.
  bool zombie_spiders = false;
  // Clocks of workers do not tell the same time.
  bool clocks_jumped = false;
  bool strategy_swapped = false;
};

}  // namespace orbweaver::sim
