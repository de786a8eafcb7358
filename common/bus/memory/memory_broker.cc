#include "common/bus/memory/memory_broker.h"

#include <algorithm>

#include "absl/time/time.h"

#include "common/base/status.h"
#include "common/bus/limits.h"

namespace orbweaver {

absl::Status MemoryBroker::Append(const Record& record, RecordBytes bytes) {
  RETURN_IF_ERROR(CheckRecord(record));
  absl::MutexLock lock(&mutex);
  ASSIGN_OR_RETURN(PartitionLog* const log, log_.Find(record.topic, record.partition));
  log->Append(std::make_shared<StoredRecord>(record, Wall(), bytes));
  Changed();
  return absl::OkStatus();
}

absl::Status MemoryBroker::CutLog(std::string_view topic, PartitionId partition, Offset start) {
  absl::MutexLock lock(&mutex);
  ASSIGN_OR_RETURN(PartitionLog* const log, log_.Find(topic, partition));
  log->Cut(start);
  Changed();
  return absl::OkStatus();
}

absl::Status MemoryBroker::MakeAnew(std::string_view topic) {
  absl::MutexLock lock(&mutex);
  const int partitions = log_.PartitionCount(topic);
  for (int i = 0; i < partitions; ++i) {
    ASSIGN_OR_RETURN(PartitionLog* const log, log_.Find(topic, PartitionId(i)));
    *log = PartitionLog();
  }
  Changed();
  return absl::OkStatus();
}

void MemoryBroker::SetAvailable(bool available) {
  absl::MutexLock lock(&mutex);
  available_ = available;
  Changed();
}

SteadyTime MemoryBroker::Now() const {
  return virtual_time_ != nullptr ? virtual_time_->Now() : SystemClock().Now();
}

WallTime MemoryBroker::Wall() const {
  return virtual_time_ != nullptr ? virtual_time_->Wall() : SystemClock().Wall();
}

SteadyTime MemoryBroker::Tick() {
  const SteadyTime now = Now();
  for (const auto& wire : wires_) wire->Advance(now, available_);
  std::erase_if(wires_, [](const auto& wire) { return wire->IsAbandonedAndEmpty(); });
  // A broker that nobody reaches cannot tell silence from its own absence.
  if (available_) {
    for (auto& [name, group] : groups_) group.Expire(now);
  }
  return now;
}

bool MemoryBroker::Await(SteadyTime deadline, absl::FunctionRef<bool()> ready) {
  for (;;) {
    const SteadyTime now = Tick();
    if (ready()) return true;
    if (now >= deadline) return false;
    SteadyTime until = deadline;
    for (const auto& wire : wires_) until = std::min(until, wire->NextEvent(now).value_or(until));
    for (const auto& [name, group] : groups_) {
      const SteadyTime expiry = group.NextExpiry().value_or(until);
      if (expiry > now) until = std::min(until, expiry);
    }
    if (virtual_time_ != nullptr) {
      virtual_time_->Advance(until - now);
    } else {
      changed_.WaitWithTimeout(&mutex, absl::FromChrono(until - now));
    }
  }
}

absl::StatusOr<ConsumerGroup*> MemoryBroker::Group(std::string_view group, std::string_view topic) {
  const int partitions = log_.PartitionCount(topic);
  if (partitions == 0) {
    return FatalError("topic '{}': it does not exist. Run `orbweaver init`.", topic);
  }
  return &groups_.try_emplace({std::string(group), std::string(topic)}, partitions).first->second;
}

std::shared_ptr<MemoryWire> MemoryBroker::NewWire() {
  return wires_.emplace_back(std::make_shared<MemoryWire>());
}

}  // namespace orbweaver
