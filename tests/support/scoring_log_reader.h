// The scoring log as a db worker takes it: what counts of it, by the rules of the crash protocol.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"

#include "common/base/clock.h"
#include "common/bus/bus.h"

namespace orbweaver {

struct ScoringLogContents {
  // How often each URL was scheduled, by entries that count.
  std::map<std::string, int> scheduled;
  uint64_t markers = 0;
  uint64_t entries = 0;        // that are no markers
  uint64_t of_old_epochs = 0;  // entries that do not count: a deposed worker's
  uint64_t repeated = 0;       // entries that do not count: their event was read already
};

// Reads all partitions from the first entry to the end that they have now. Entries that cannot be
// decoded are an error.
absl::Status ReadScoringLog(Bus& bus, int partitions, Duration timeout,
                            ScoringLogContents* contents);

}  // namespace orbweaver
