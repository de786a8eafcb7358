// The queue of all domains, counted from their heads in the store.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"

#include "common/base/clock.h"
#include "common/store/store.h"
#include "db_worker/report.h"

namespace orbweaver {

// By partition. Heads reach the store some seconds after what they tell of.
struct QueueSample {
  std::vector<PartitionReport> partitions;  // counts only
  uint64_t domains_read = 0;
  // Of the slots, how many were read. Domains stand in slots by a hash, so that what the first
  // slots hold is a fair sample of all: the counts are multiplied by 1 / share.
  double share = 1;

  bool exact() const { return share == 1; }
};

// Reads at most about `max_domains` heads; 0: all. Fatal when a head cannot be decoded.
absl::StatusOr<QueueSample> SampleQueue(Store& store, int partitions, uint64_t max_domains,
                                        WallTime now, Duration timeout);

}  // namespace orbweaver
