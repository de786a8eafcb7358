// The feed as spiders take it, and the caps that hold in it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "common/base/clock.h"
#include "db_worker/options.h"
#include "tests/sim/whole/sim_run.h"

namespace orbweaver::sim {

// An entry of the feed that counts.
struct Sent {
  std::string url;
  std::string domain;
  WallTime time;
};
// In the order of the logs.
std::vector<Sent> ReadFeed(SimRun& run);

// In no stretch of the feed are more requests of a domain than its delay and the cap of a batch
// allow: empty, or the first that are.
std::string FeedCapBreach(const std::vector<Sent>& feed, const FeedOptions& options,
                          const std::function<Duration(const std::string& domain)>& delay_of);

// The most requests of a partition's feed that count and are not committed by the spiders.
int64_t MostOutstanding(SimRun& run);

}  // namespace orbweaver::sim
