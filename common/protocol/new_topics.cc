#include "common/protocol/new_topics.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "fmt/format.h"

#include "common/base/status.h"
#include "common/bus/topics.h"

namespace orbweaver {
namespace {

struct Reading {
  std::string_view group;
  std::string_view topic;
};
constexpr Reading kReadings[] = {{kStrategyWorkerGroup, kSpiderLogTopic},
                                 {kPagesGroup, kSpiderLogTopic},
                                 {kDbWorkerGroup, kScoringLogTopic},
                                 {kSpiderGroup, kSpiderFeedTopic}};

std::vector<PartitionId> AllPartitions(const TopicRecord& record) {
  std::vector<PartitionId> partitions;
  for (int i = 0; i < record.partitions; ++i) partitions.emplace_back(i);
  return partitions;
}

bool Contains(std::span<const ForeignLog> foreign, std::string_view topic, PartitionId partition) {
  return std::any_of(foreign.begin(), foreign.end(), [&](const ForeignLog& log) {
    return log.topic == topic && log.partition == partition;
  });
}

// Where the group goes on: at the start of a foreign log, elsewhere where it stood.
absl::Status MoveGroup(Bus& bus, OffsetReader& offsets, const Reading& reading,
                       std::span<const PartitionId> partitions, std::span<const ForeignLog> foreign,
                       Duration timeout) {
  ASSIGN_OR_RETURN(const auto bounds, offsets.Bounds(reading.topic, partitions, timeout));
  ASSIGN_OR_RETURN(const auto committed,
                   offsets.Committed(reading.group, reading.topic, partitions, timeout));
  std::vector<AssignedPartition> from;
  std::vector<OffsetCommit> commits;
  for (size_t i = 0; i < partitions.size(); ++i) {
    OffsetCommit commit{.partition = partitions[i], .offset = bounds[i].start, .metadata = {}};
    if (!Contains(foreign, reading.topic, partitions[i])) {
      if (!committed[i].has_value()) continue;
      commit.offset = committed[i]->offset;
      commit.metadata = committed[i]->metadata;
    }
    from.push_back({.partition = commit.partition, .position = commit.offset});
    commits.push_back(std::move(commit));
  }
  if (commits.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const auto consumer, bus.NewConsumer({.group = std::string(reading.group)}));
  RETURN_IF_ERROR(consumer->Assign(reading.topic, from));
  absl::Status moved = consumer->Commit(commits, timeout);
  if (!IsFenced(moved)) return moved;
  return FencedError(
      "accept new topics: group '{}' has members. Stop all workers; one that was killed counts "
      "until worker.session_timeout is over",
      reading.group);
}

}  // namespace

absl::StatusOr<std::vector<ForeignLog>> FindAllForeignLogs(Store& store, Bus& bus,
                                                           const TopicRecord& record,
                                                           Duration timeout) {
  const std::vector<PartitionId> partitions = AllPartitions(record);
  std::vector<ForeignLog> all;
  for (const std::string_view topic : {kSpiderLogTopic, kScoringLogTopic, kSpiderFeedTopic}) {
    ASSIGN_OR_RETURN(auto foreign,
                     FindForeignLogs(store, bus, record.topic_epoch, topic, partitions, timeout));
    all.insert(all.end(), foreign.begin(), foreign.end());
  }
  ASSIGN_OR_RETURN(const auto offsets, bus.NewOffsetReader());
  for (const auto& [group, topic] : kReadings) {
    // In this order: what is committed by then is below the end.
    ASSIGN_OR_RETURN(const auto committed, offsets->Committed(group, topic, partitions, timeout));
    ASSIGN_OR_RETURN(const auto bounds, offsets->Bounds(topic, partitions, timeout));
    for (size_t i = 0; i < partitions.size(); ++i) {
      if (!committed[i].has_value() || committed[i]->offset <= bounds[i].end) continue;
      if (Contains(all, topic, partitions[i])) continue;
      all.push_back(
          {.topic = std::string(topic),
           .partition = partitions[i],
           .found = fmt::format("group '{}' has read up to offset {}; the log has offsets "
                                "{} to {}",
                                group, committed[i]->offset, bounds[i].start, bounds[i].end)});
    }
  }
  return all;
}

absl::StatusOr<TopicRecord> AcceptTopics(Store& store, Bus& bus, const TopicRecord& record,
                                         std::span<const ForeignLog> foreign, Duration timeout) {
  const std::vector<PartitionId> partitions = AllPartitions(record);
  ASSIGN_OR_RETURN(const auto offsets, bus.NewOffsetReader());
  // Before the epoch: until that is raised a worker that starts refuses the logs, and this can be
  // begun again.
  for (const Reading& reading : kReadings) {
    RETURN_IF_ERROR(MoveGroup(bus, *offsets, reading, partitions, foreign, timeout));
  }
  const TopicRecord next{.topic_epoch = record.topic_epoch + 1, .partitions = record.partitions};
  RETURN_IF_ERROR(SaveTopicRecord(store, next, timeout));
  return next;
}

}  // namespace orbweaver
