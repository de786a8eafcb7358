// How the work of each stage is spread over the partitions, so that a hot one stands out.
//
// Place: status_view.h shows it. Pure functions of two looks. A worker's time is not measured by
// partition: the messages that it has dealt with stand for its work.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/frontier/frontier_status.h"

namespace orbweaver {

struct PartitionLoad {
  double read_per_second = 0;
  std::optional<double> share;  // of what its group has read; nothing: it has read nothing
  bool is_hot = false;
};

struct GroupLoad {
  std::string_view group;
  std::vector<PartitionLoad> partitions;
};

struct PartitionLoads {
  std::vector<GroupLoad> groups;  // as the later look has them
  std::vector<std::string> says;  // of each group's hottest partition, without a full stop
};

// Between the looks. A partition is hot that has twice the mean or more, of at least two, where the
// group reads ten messages a second or more, and the queue has more than one domain.
PartitionLoads LoadsOf(const FrontierStatus& before, const FrontierStatus& now);

}  // namespace orbweaver
