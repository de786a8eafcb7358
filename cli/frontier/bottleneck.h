// The bottleneck of a crawl, from how it stands.
//
// Place: the console. Pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "cli/frontier/frontier_status.h"

namespace orbweaver {

enum class Bottleneck : uint8_t {
  kNobody,           // a log has messages, and no worker reads it
  kNothing,          // nothing is left to do
  kLater,            // all that is left is for later
  kPoliteness,       // all domains with requests wait for their delay
  kBlocks,           // all domains with requests are blocked
  kStrategyWorkers,  // the spider log grows before them
  kDbWorkers,        // the scoring log grows before them
  kSpiders,          // the feed is full
  kQueue,            // domains are ready, and the feed is empty
  kUnclear,          // no stage stands out
  kRest,             // a crawl on this machine that does not run
};
// "nobody", "nothing", "later", …
std::string_view BottleneckName(Bottleneck bottleneck);

struct Diagnosis {
  Bottleneck bottleneck = Bottleneck::kUnclear;
  std::string says;  // one sentence without a full stop: what limits it, and what to do
};

// `before` is an earlier look, from which the rates come. Counts of the queue are those of the
// store, some seconds old.
Diagnosis Diagnose(const FrontierStatus& before, const FrontierStatus& now);

// Of a folder whose crawl does not run.
Diagnosis DiagnoseAtRest(const FrontierStatus& now);

}  // namespace orbweaver
