#include "cli/frontier/partition_load.h"

#include <algorithm>
#include <chrono>

#include "cli/amounts.h"
#include "fmt/format.h"

#include "common/bus/topics.h"

namespace orbweaver {
namespace {

constexpr double kHotTimes = 2;
// Of less nobody wants to hear who has most of it.
constexpr double kFewestPerSecond = 10;

std::string_view NameOf(std::string_view group) {
  if (group == kStrategyWorkerGroup) return "strategy workers";
  if (group == kDbWorkerGroup) return "db workers";
  return group;
}

GroupLoad LoadOf(const FrontierStatus& before, const ReadTopic& read, double seconds,
                 bool may_be_hot) {
  GroupLoad load{.group = read.group,
                 .partitions = std::vector<PartitionLoad>(read.partitions.size())};
  const auto earlier = std::ranges::find(before.reads, read.group, &ReadTopic::group);
  if (seconds <= 0 || earlier == before.reads.end()) return load;
  double sum = 0;
  const size_t count = std::min(read.partitions.size(), earlier->partitions.size());
  for (size_t i = 0; i < count; ++i) {
    // An offset that was set back is no work undone.
    const int64_t dealt_with =
        std::max<int64_t>(0, read.partitions[i].committed - earlier->partitions[i].committed);
    load.partitions[i].read_per_second = static_cast<double>(dealt_with) / seconds;
    sum += load.partitions[i].read_per_second;
  }
  if (sum <= 0) return load;
  const double hot = kHotTimes * sum / static_cast<double>(read.partitions.size());
  for (PartitionLoad& partition : load.partitions) {
    partition.share = partition.read_per_second / sum;
    partition.is_hot = may_be_hot && read.partitions.size() > 1 && sum >= kFewestPerSecond &&
                       partition.read_per_second >= hot;
  }
  return load;
}

// Nothing of a group without a hot partition.
std::string SayOf(const GroupLoad& load, const ReadTopic& read) {
  const auto hottest =
      std::ranges::max_element(load.partitions, {}, &PartitionLoad::read_per_second);
  if (hottest == load.partitions.end() || !hottest->is_hot) return {};
  const auto partition = static_cast<size_t>(hottest - load.partitions.begin());
  const double times = *hottest->share * static_cast<double>(load.partitions.size());
  std::string says =
      fmt::format("partition {} has {:.0f} % of what the {} read, {:.1f} times the mean", partition,
                  *hottest->share * 100, NameOf(load.group), times);
  const int64_t unread = read.partitions[partition].lag();
  if (unread > 0) {
    says += fmt::format(", and {} of the {} unread", Count(static_cast<uint64_t>(unread)),
                        Count(static_cast<uint64_t>(read.lag()), "message"));
  }
  return says;
}

}  // namespace

PartitionLoads LoadsOf(const FrontierStatus& before, const FrontierStatus& now) {
  const double seconds = std::chrono::duration<double>(now.at - before.at).count();
  // A single domain has to be somewhere.
  const bool may_be_hot = SumOf(now.queue).domains > 1;
  PartitionLoads loads;
  for (const ReadTopic& read : now.reads) {
    loads.groups.push_back(LoadOf(before, read, seconds, may_be_hot));
    std::string says = SayOf(loads.groups.back(), read);
    if (!says.empty()) loads.says.push_back(std::move(says));
  }
  return loads;
}

}  // namespace orbweaver
