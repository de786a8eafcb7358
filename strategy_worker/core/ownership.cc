#include "strategy_worker/core/ownership.h"

#include <utility>

#include "common/base/log.h"
#include "common/base/status.h"
#include "common/bus/topics.h"

namespace orbweaver {
namespace {

constexpr std::string_view kWitnessedTopics[] = {kSpiderLogTopic, kScoringLogTopic};
// Near enough to the log's end, and far below what a put costs.
constexpr Duration kWitnessInterval = std::chrono::seconds(10);

}  // namespace

void Ownership::Assign(const AssignedPartition& partition) {
  pending_[partition.partition] = partition.position;
}

void Ownership::Release(PartitionId partition) {
  pending_.erase(partition);
  markers_.erase(partition);
  events_.erase(partition);
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
  std::vector<PartitionId> coming;
  for (const auto& [partition, position] : pending_) coming.push_back(partition);
  RETURN_IF_ERROR(CheckWitnesses(store_, log_.bus(), topics_.topic_epoch, kWitnessedTopics, coming,
                                 bus_timeout));
  while (!pending_.empty()) {
    const auto [partition, position] = *pending_.begin();
    ASSIGN_OR_RETURN(OwnedPartition owned, Mark(partition, bus_timeout));
    owned.known_end = position;
    Log(LogLevel::kInfo, "strategy", "owns partition {} from offset {}, epoch {}", partition,
        position, owned.epoch);
    owned_.insert_or_assign(partition, owned);
    pending_.erase(partition);
  }
  metrics_.partitions.Set(static_cast<double>(owned_.size()));
  return absl::OkStatus();
}

void Ownership::Witness(const Message& message, SteadyTime now) {
  OwnedPartition& owned = owned_.at(message.partition);
  // The last one of a batch stays, of the batches in between none.
  if (events_.contains(message.partition)) {
    if (events_.at(message.partition).offset >= message.offset) return;
  } else if (now < owned.next_witness) {
    return;
  }
  owned.next_witness = now + kWitnessInterval;
  events_[message.partition] = WitnessOf(message);
}

void Ownership::SaveWitnesses(Duration store_timeout, SteadyTime now) {
  if (now < next_save_) return;
  for (auto& [topic, kept] :
       {std::pair(kScoringLogTopic, &markers_), std::pair(kSpiderLogTopic, &events_)}) {
    std::vector<LogWitness> witnesses;
    std::vector<Version> versions;
    for (const auto& [partition, witness] : *kept) {
      OwnedPartition* const owned = Find(partition);
      // Between two epochs there is none: next time.
      if (owned == nullptr || !owned->version.has_value()) continue;
      witnesses.push_back(witness);
      versions.push_back(*owned->version);
    }
    const absl::Status saved = orbweaver::SaveWitnesses(store_, topic, topics_.topic_epoch,
                                                        witnesses, versions, store_timeout);
    if (!saved.ok()) {
      Log(LogLevel::kWarning, "strategy", "{}", MessageOf(saved));
      next_save_ = now + kWitnessInterval;
      return;
    }
    for (const LogWitness& witness : witnesses) kept->erase(witness.partition);
  }
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
  ASSIGN_OR_RETURN(const VersionSequence versions,
                   VersionSequence::Create(topics_.topic_epoch, epoch));
  metrics_.take_overs.Increment();
  markers_[partition] = log_.MarkerOf(partition);
  return OwnedPartition{.epoch = epoch,
                        .versions = versions,
                        .version = std::nullopt,
                        .known_end = {},
                        .applied_to = std::nullopt,
                        .next_witness = {}};
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
