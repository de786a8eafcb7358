// A report of the queue for operators.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/clock.h"
#include "common/base/ids.h"
#include "db_worker/options.h"
#include "db_worker/queue/head.h"
#include "db_worker/queue/partition.h"

namespace orbweaver {

struct PartitionReport {
  PartitionId partition;
  Offset epoch;
  bool paused = false;
  LagState lag_state = LagState::kUnknown;
  int64_t lag = 0;      // as of the last look
  int64_t backlog = 0;  // of the strategy workers; likewise
  uint64_t sent = 0;
  std::array<uint64_t, kBands> waiting{};  // requests
  uint64_t delayed = 0;                    // requests
  uint64_t domains = 0;
  uint64_t ready = 0;    // domains that may send now
  uint64_t paced = 0;    // domains that wait for their delay
  uint64_t blocked = 0;  // domains with requests that are blocked
  // Since when some domain's queue has not been empty; WallTime() when all are.
  WallTime oldest;
  // When the first of its requests may leave, those for later included: maybe in the past;
  // WallTime::max() when it has none.
  WallTime next_due = WallTime::max();
  size_t index_bytes = 0;
};

struct DomainReport {
  std::string domain;
  PartitionId partition;
  std::array<uint64_t, kBands> waiting{};
  uint64_t delayed = 0;
  WallTime next_delayed;  // when the first delayed bucket opens; WallTime() when there is none
  std::chrono::milliseconds delay{};
  WallTime blocked_until;
  WallTime paced_until;
  int back_offs = 0;
  WallTime waiting_since;
};

// "committed", "no-commit", …
std::string_view LagStateName(LagState state);

// 0 for WallTime(), which stands for never.
double SecondsSince(WallTime time, WallTime now);

// Adds what the queue of one domain comes down to: all but what the report says of the partition
// itself.
void CountDomain(const Head& head, WallTime now, PartitionReport* report);

PartitionReport ReportOf(const Partition& partition, WallTime now);
DomainReport ReportOf(PartitionId partition, std::string_view domain, const Head& head,
                      const PolitenessOptions& options);

}  // namespace orbweaver
