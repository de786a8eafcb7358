#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"

#include "common/bus/kafka/client.h"
#include "common/bus/offset_reader.h"

namespace orbweaver::kafka {

// The clients that offsets are asked through: one for the logs' bounds and for topics, and one for
// each group asked for, since its name is a client's property. (librdkafka's administrative call
// takes any group, but in 2.0 an answer that comes after its timeout ends the process.)
//
// Place: one a bus, for all its readers: each client has three threads and connections of its own.
// Thread-safe, as librdkafka's clients are.
class OffsetClients {
 public:
  static absl::StatusOr<std::unique_ptr<OffsetClients>> Create(const KafkaOptions& kafka);

  const KafkaOptions& options() const { return options_; }
  // Waits until it has been connected to a broker once, as AwaitBroker does.
  absl::StatusOr<rd_kafka_t*> Any(Duration timeout);
  // Valid as long as this.
  absl::StatusOr<rd_kafka_t*> OfGroup(std::string_view group) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  OffsetClients(const KafkaOptions& options, Handle any)
      : options_(options), any_(std::move(any)) {}

  const KafkaOptions options_;
  const Handle any_;
  std::atomic<bool> was_connected_ = false;

  absl::Mutex mutex_;
  std::map<std::string, MemberHandle, std::less<>> groups_ ABSL_GUARDED_BY(mutex_);
};

class KafkaOffsetReader : public OffsetReader {
 public:
  explicit KafkaOffsetReader(OffsetClients& clients) : clients_(clients) {}

  absl::StatusOr<std::vector<LogBounds>> Bounds(std::string_view topic,
                                                std::span<const PartitionId> partitions,
                                                Duration timeout) override;
  absl::StatusOr<std::vector<std::optional<CommittedOffset>>> Committed(
      std::string_view group, std::string_view topic, std::span<const PartitionId> partitions,
      Duration timeout) override;

 private:
  OffsetClients& clients_;
};

}  // namespace orbweaver::kafka
