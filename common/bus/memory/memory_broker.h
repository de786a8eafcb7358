// The simulated broker: what outlives every process that uses it.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"

#include "common/base/clock.h"
#include "common/bus/consumer_group.h"
#include "common/bus/memory/memory_log.h"
#include "common/bus/memory/memory_wire.h"

namespace orbweaver {

// Place: below MemoryBus; several buses on one broker are several worker processes. Holds the logs,
// the groups, and what is on the wire.
//
// Time: with a ManualClock whoever waits moves the clock, to the next moment at which something
// happens (a delayed record or ack arrives, a silent member expires) or to the end of its wait. So
// a wait takes no real time, and a caller that only looks passes a timeout of zero.
//
// The first part is thread-safe; the second is for this folder and needs the lock.
class MemoryBroker {
 public:
  // Null: the system's clocks, and real waits. `virtual_time` must outlive the broker, and only one
  // thread may use the broker then.
  explicit MemoryBroker(ManualClock* virtual_time = nullptr) : virtual_time_(virtual_time) {}

  // Puts a record at the end of its log, as if a producer had sent it and had its ack. For those
  // who lay out a log and have no faults to suffer. Fatal as Producer::Send.
  absl::Status Append(const Record& record, RecordBytes bytes) ABSL_LOCKS_EXCLUDED(mutex);

  // Drops what is below `start`, as retention does. Fatal when there is no such partition.
  absl::Status CutLog(std::string_view topic, PartitionId partition, Offset start)
      ABSL_LOCKS_EXCLUDED(mutex);

  // Begins the topic's logs anew and empty, with as many partitions. The groups' commits stay, as
  // after a restore of the logs alone.
  absl::Status MakeAnew(std::string_view topic) ABSL_LOCKS_EXCLUDED(mutex);

  // While not available nothing reaches the broker: calls fail, records wait on the wire. Nothing
  // is lost.
  void SetAvailable(bool available) ABSL_LOCKS_EXCLUDED(mutex);

  absl::Mutex mutex;

  WallTime Wall() const;
  // Lets happen what is due by now, and returns now. Every call begins with it.
  SteadyTime Tick() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex);
  // Waits until `ready`, at most until `deadline`; ticks meanwhile. The last answer of `ready`.
  bool Await(SteadyTime deadline, absl::FunctionRef<bool()> ready)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex);
  // Wakes those who wait: to be called after every change that they may wait for.
  void Changed() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex) { changed_.SignalAll(); }

  bool available() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex) { return available_; }
  MemoryLog& log() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex) { return log_; }
  // Made on first use; fatal when the topic does not exist.
  absl::StatusOr<ConsumerGroup*> Group(std::string_view group, std::string_view topic)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex);
  // Moved on by Tick until it is abandoned and empty.
  std::shared_ptr<MemoryWire> NewWire() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex);

 private:
  SteadyTime Now() const;

  ManualClock* const virtual_time_;

  absl::CondVar changed_;
  bool available_ ABSL_GUARDED_BY(mutex) = true;
  MemoryLog log_ ABSL_GUARDED_BY(mutex);
  std::map<std::pair<std::string, std::string>, ConsumerGroup> groups_ ABSL_GUARDED_BY(mutex);
  std::vector<std::shared_ptr<MemoryWire>> wires_ ABSL_GUARDED_BY(mutex);
};

}  // namespace orbweaver
