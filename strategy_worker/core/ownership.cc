#include "strategy_worker/core/ownership.h"

#include <utility>

#include "common/base/log.h"
#include "common/base/status.h"

namespace orbweaver {

void Ownership::Assign(const AssignedPartition& partition) {
  pending_[partition.partition] = partition.position;
}

void Ownership::Release(PartitionId partition) {
  pending_.erase(partition);
  if (owned_.erase(partition) == 0) return;
  log_.Release(partition);
  metrics_.partitions.Set(static_cast<double>(owned_.size()));
}

absl::Status Ownership::TakeOver(Duration bus_timeout, Duration store_timeout) {
  if (pending_.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const auto topics, LoadTopicRecord(store_, store_timeout));
  if (!topics.has_value() || *topics != topics_) {
    return FatalError(
        "take over partition {}: the topics were made anew since this worker started. Start it "
        "again",
        pending_.begin()->first);
  }
  while (!pending_.empty()) {
    const auto [partition, position] = *pending_.begin();
    ASSIGN_OR_RETURN(OwnedPartition owned, Mark(partition, bus_timeout));
    owned.next_read = position;
    owned.known_end = position;
    Log(LogLevel::kInfo, "strategy", "owns partition {} from offset {}, epoch {}", partition,
        position, owned.epoch);
    owned_.insert_or_assign(partition, std::move(owned));
    pending_.erase(partition);
  }
  metrics_.partitions.Set(static_cast<double>(owned_.size()));
  return absl::OkStatus();
}

bool Ownership::ReserveVersions() {
  bool all = true;
  for (auto& [partition, owned] : owned_) {
    if (!owned.version.has_value()) owned.version = owned.versions.Next();
    all &= owned.version.has_value();
  }
  return all;
}

absl::Status Ownership::Renew(Duration bus_timeout) {
  for (auto& [partition, owned] : owned_) {
    if (owned.version.has_value()) continue;
    ASSIGN_OR_RETURN(const OwnedPartition fresh, Mark(partition, bus_timeout));
    owned.epoch = fresh.epoch;
    owned.versions = fresh.versions;
    owned.version = owned.versions.Next();
  }
  return absl::OkStatus();
}

absl::StatusOr<OwnedPartition> Ownership::Mark(PartitionId partition, Duration timeout) {
  ASSIGN_OR_RETURN(const Offset epoch, log_.TakeOver(partition, timeout));
  ASSIGN_OR_RETURN(VersionSequence versions, VersionSequence::Create(topics_.topic_epoch, epoch));
  metrics_.take_overs.Increment();
  return OwnedPartition{.epoch = epoch,
                        .versions = std::move(versions),
                        .version = std::nullopt,
                        .next_read = {},
                        .known_end = {},
                        .applied_to = std::nullopt};
}

std::vector<PartitionId> Ownership::Assigned() const {
  std::vector<PartitionId> assigned;
  for (const auto& [partition, position] : pending_) assigned.push_back(partition);
  for (const auto& [partition, owned] : owned_) assigned.push_back(partition);
  return assigned;
}

OwnedPartition* Ownership::Find(PartitionId partition) {
  const auto found = owned_.find(partition);
  return found == owned_.end() ? nullptr : &found->second;
}

}  // namespace orbweaver
