// How a crawl stands: how far each group has read, how fast, who reads, what waits in the queue.
//
// Place: `orbweaver status`. On the interfaces Bus and Store, so that a cluster and a folder are
// looked at alike.
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
};

struct FrontierStatus {
  SteadyTime at{};
  WallTime time{};
  std::vector<ReadTopic>
      reads;  // those of a group without members that never committed are left out
  QueueSample queue;
  int64_t dead_letters = 0;      // that the log still holds
  std::string suffix_list_date;  // of the public suffix list that is configured here
};

// Blocks for some calls to bus and store, of kLookTimeout at most each.
absl::StatusOr<FrontierStatus> LookAt(const Frontier& frontier, uint64_t max_domains);

// `before` is an earlier look, from which the rates come.
std::string StatusText(const FrontierStatus& before, const FrontierStatus& now);
std::string StatusJson(const FrontierStatus& before, const FrontierStatus& now);

}  // namespace orbweaver
