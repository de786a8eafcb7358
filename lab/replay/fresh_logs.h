// The logs of a replay, before anything is in them.
#pragma once

#include "absl/status/status.h"

#include "common/base/clock.h"
#include "common/bus/bus.h"
#include "common/store/store.h"

namespace orbweaver::lab {

// Makes the topics of a crawl on `bus`, and the record by which workers know them in `store`.
absl::Status MakeLogs(Bus& bus, Store& store, int partitions, Duration timeout);

}  // namespace orbweaver::lab
