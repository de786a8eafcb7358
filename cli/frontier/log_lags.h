// How many messages of each log of the loop its readers have not dealt with.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

#include "common/base/clock.h"
#include "common/bus/bus.h"

namespace orbweaver {

struct LogLags {
  int64_t spider_log = 0;
  int64_t scoring_log = 0;
  int64_t feed = 0;
};

// Place: the console's sampler, every few seconds; frontier_status.h tells more and costs more.
// Keeps its connection. Not thread-safe.
class LogLagReader {
 public:
  // `bus` must outlive it.
  explicit LogLagReader(Bus& bus) : bus_(bus) {}

  // Over all partitions. Waits at most `timeout` for each call to the bus; errors as the bus's.
  absl::StatusOr<LogLags> Read(Duration timeout);

 private:
  absl::StatusOr<int64_t> LagOf(std::string_view group, std::string_view topic, Duration timeout);

  Bus& bus_;
  std::unique_ptr<OffsetReader> offsets_;
  std::vector<PartitionId> partitions_;
};

}  // namespace orbweaver
