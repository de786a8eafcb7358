// The cases that every bus in this process is measured by: messages of 200 bytes over 16
// partitions.
#pragma once

#include <string_view>

#include "absl/status/status.h"

#include "common/bus/bus.h"
#include "tests/bench/bench.h"

namespace orbweaver {

struct BusLimits {
  std::string_view produce;
  std::string_view consume;
};

// Reports PREFIX_produce and PREFIX_consume. The topic must not exist yet.
absl::Status BenchBus(Bus& bus, std::string_view prefix, size_t messages, const BusLimits& limits,
                      BenchReport& report);

}  // namespace orbweaver
