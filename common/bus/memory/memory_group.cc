#include "common/bus/memory/memory_group.h"

#include <algorithm>

namespace orbweaver {

MemoryGroup::MemberId MemoryGroup::Join(std::string_view name, SteadyTime alive_until) {
  const MemberId id = next_member_++;
  const auto namesake = std::find_if(members_.begin(), members_.end(), [&](const auto& member) {
    return !name.empty() && member.second.name == name;
  });
  if (namesake == members_.end()) {
    members_[id] = {std::string(name), alive_until};
    ShareOut();
    return id;
  }
  const MemberId earlier = namesake->first;
  members_.erase(namesake);
  fenced_.insert(earlier);
  members_[id] = {std::string(name), alive_until};
  for (Partition& partition : partitions_) {
    if (partition.meant_for == earlier) partition.meant_for = id;
    if (partition.owner == earlier) partition.owner = id;
  }
  return id;
}

void MemoryGroup::Leave(MemberId member) {
  if (members_.erase(member) == 0) return;
  for (Partition& partition : partitions_) {
    if (partition.owner == member) partition.owner.reset();
  }
  ShareOut();
}

void MemoryGroup::KeepAlive(MemberId member, SteadyTime alive_until) {
  const auto found = members_.find(member);
  if (found != members_.end()) found->second.alive_until = alive_until;
}

void MemoryGroup::Expire(SteadyTime now) {
  std::vector<MemberId> dead;
  for (const auto& [id, member] : members_) {
    if (member.alive_until <= now) dead.push_back(id);
  }
  for (const MemberId id : dead) Leave(id);
}

std::optional<SteadyTime> MemoryGroup::NextExpiry() const {
  std::optional<SteadyTime> next;
  for (const auto& [id, member] : members_) {
    next = std::min(next.value_or(member.alive_until), member.alive_until);
  }
  return next;
}

bool MemoryGroup::IsMeantFor(PartitionId partition, MemberId member) const {
  return partitions_[Index(partition)].meant_for == member;
}

bool MemoryGroup::IsOwner(PartitionId partition, MemberId member) const {
  return Index(partition) < partitions_.size() && partitions_[Index(partition)].owner == member;
}

std::vector<PartitionId> MemoryGroup::TakeMine(MemberId member) {
  std::vector<PartitionId> mine;
  for (size_t i = 0; i < partitions_.size(); ++i) {
    Partition& partition = partitions_[i];
    if (partition.meant_for != member || partition.owner.value_or(member) != member) continue;
    partition.owner = member;
    mine.push_back(PartitionId(static_cast<int32_t>(i)));
  }
  return mine;
}

void MemoryGroup::Release(PartitionId partition, MemberId member) {
  auto& owner = partitions_[Index(partition)].owner;
  if (owner == member) owner.reset();
}

void MemoryGroup::ShareOut() {
  std::vector<std::pair<std::string, MemberId>> order;
  for (const auto& [id, member] : members_) order.emplace_back(member.name, id);
  std::sort(order.begin(), order.end());
  for (size_t i = 0; i < partitions_.size(); ++i) {
    partitions_[i].meant_for.reset();
    if (order.empty()) continue;
    partitions_[i].meant_for = order[i * order.size() / partitions_.size()].second;
  }
}

void MemoryGroup::ShareOutAtRandom(Random* random) {
  if (members_.empty()) return;
  for (Partition& partition : partitions_) {
    partition.meant_for =
        std::next(members_.begin(), static_cast<ptrdiff_t>(random->Below(members_.size())))->first;
  }
}

}  // namespace orbweaver
