// A scoring log of a crawl in full swing: new URLs of many domains, in turn.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/status.h"

#include "common/bus/bus.h"

namespace orbweaver {

struct QueueWorkload {
  int requests = 1'000'000;
  int in_message = 10;
  int domains = 1000;
  int partitions = 1;
};

std::string QueueWorkloadDomain(int number);

// Appends it, and returns when all is acked.
absl::Status AppendScoringLog(Bus& bus, const QueueWorkload& workload);

}  // namespace orbweaver
