// State shared by the parts of one simulated process: its broker, its faults, its death.
#pragma once

#include <cstdint>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"

#include "common/base/random.h"
#include "common/base/simulated_process.h"
#include "common/bus/memory/memory_broker.h"

namespace orbweaver {

// Faults between one process and the broker. The same seed and the same calls give the same faults;
// everything is off by default.
struct BusFaults {
  uint64_t seed = 0;
  // A record reaches its log so long after Send, at most, and its ack comes so long after that. In
  // order within a partition, in any order between them.
  Duration max_append_delay{};
  Duration max_ack_delay{};
  // Chance for each record that the producer loses it for good, and fails: the record is in the log
  // or not, those behind it likewise.
  double lost_record = 0;
  // Every call with a timeout but a Poll takes so long, at most.
  Duration max_latency{};
  // Chance that such a call or a consumer's Poll fails before it did anything: Unavailable.
  double unavailable = 0;
  // Chance for each Commit that it happens and its answer is lost: DeadlineExceeded.
  double lost_answer = 0;
  // Chance for each Poll of a subscribed consumer that its group is shared out anew, at random, and
  // its own partitions are all revoked first; or that it was taken for dead.
  double rebalance = 0;
  double eviction = 0;
  // A Poll returns a part of what there is, of partitions in any order.
  bool mix_partitions = false;
  // Chance that a partition which was paused and is not any more gives nothing at first: the next
  // Polls, up to four, return without its messages, as long as the real consumer fetches them anew.
  double late_resume = 0;
};

struct MemoryBusOptions {
  // Crash points: "before" and "after" each "send", "poll" of a consumer, "commit", "bounds" and
  // "committed". Null: none.
  SimulatedProcess* process = nullptr;
  BusFaults faults;
};

// Thread-safe, but deterministic only when the process is one thread.
class MemoryClient {
 public:
  MemoryClient(MemoryBroker* used, const MemoryBusOptions& options)
      : broker(*used), options_(options), random_(options.faults.seed) {}

  MemoryBroker& broker;

  const BusFaults& faults() const { return options_.faults; }
  Random& random() ABSL_EXCLUSIVE_LOCKS_REQUIRED(broker.mutex) { return random_; }

  bool dead() const { return options_.process != nullptr && options_.process->dead(); }
  void Reach(std::string_view point) const {
    if (options_.process != nullptr) options_.process->Reach(point);
  }

  // Spends the call's latency. Fails when the process is dead, when the seed says that this call
  // fails, or when the broker is away until the deadline.
  absl::Status Begin(std::string_view action, Duration timeout)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(broker.mutex);
  absl::Status CheckAlive(std::string_view action) const;

  // Uniform in [0, most].
  Duration Draw(Duration most) ABSL_EXCLUSIVE_LOCKS_REQUIRED(broker.mutex);

 private:
  const MemoryBusOptions options_;

  Random random_ ABSL_GUARDED_BY(broker.mutex);
};

}  // namespace orbweaver
