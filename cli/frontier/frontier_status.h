// How a crawl stands: how far each group has read, how fast, who reads, what waits in the queue.
//
// Place: status_view.h shows it. On the interfaces Bus and Store, so that a cluster and a folder
// are looked at alike.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/frontier/frontier.h"
#include "cli/frontier/queue_sample.h"

#include "common/base/clock.h"

namespace orbweaver {

// One partition of a topic, as one of its groups has it.
struct ReadPartition {
  int64_t end = 0;        // of the log
  int64_t committed = 0;  // what the group has dealt with; the log's start when it never committed
  std::string owner;      // empty: nobody, or not known

  int64_t lag() const { return end - committed; }
};

struct ReadTopic {
  std::string_view group;
  std::string_view topic;
  std::vector<ReadPartition> partitions;
  size_t members = 0;

  int64_t lag() const;  // over all partitions
};

struct FrontierStatus {
  SteadyTime at{};
  WallTime time{};
  std::vector<ReadTopic>
      reads;                   // those of a group without members that never committed are left out
  bool knows_members = false;  // false: `members` and owners say nothing
  QueueSample queue;
  int64_t dead_letters = 0;      // that the log still holds
  std::string suffix_list_date;  // of the public suffix list that is configured here
};

// Blocks for some calls to bus and store, of kLookTimeout at most each.
absl::StatusOr<FrontierStatus> LookAt(const Frontier& frontier, uint64_t max_domains);

// All but the queue.
absl::StatusOr<FrontierStatus> LookAtLogs(const Frontier& frontier);

// Messages a second, over all partitions.
struct MessageRates {
  double in = 0;
  double out = 0;
};
// Of `read`, a part of `now`, since the earlier look `before`; 0 where that look has none.
MessageRates RatesOf(const FrontierStatus& before, const FrontierStatus& now,
                     const ReadTopic& read);

// Over all partitions.
PartitionReport SumOf(const QueueSample& queue);
uint64_t WaitingIn(const PartitionReport& report);

}  // namespace orbweaver
