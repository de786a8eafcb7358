#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"

#include "common/bus/kafka/client.h"
#include "common/bus/offset_reader.h"

namespace orbweaver::kafka {

// One client for the logs' bounds, and one for each group asked for, since its name is a client's
// property. (librdkafka's administrative call takes any group, but in 2.0 an answer that comes
// after its timeout ends the process.) librdkafka's clients are thread-safe, and so is this.
class KafkaOffsetReader : public OffsetReader {
 public:
  static absl::StatusOr<std::unique_ptr<OffsetReader>> Create(const KafkaOptions& kafka);

  absl::StatusOr<std::vector<LogBounds>> Bounds(std::string_view topic,
                                                std::span<const PartitionId> partitions,
                                                Duration timeout) override;
  absl::StatusOr<std::vector<std::optional<CommittedOffset>>> Committed(
      std::string_view group, std::string_view topic, std::span<const PartitionId> partitions,
      Duration timeout) override;

 private:
  KafkaOffsetReader(const KafkaOptions& kafka, Handle handle)
      : kafka_(kafka), handle_(std::move(handle)) {}

  // Valid as long as this.
  absl::StatusOr<rd_kafka_t*> ClientOf(std::string_view group) ABSL_LOCKS_EXCLUDED(mutex_);

  const KafkaOptions kafka_;
  const Handle handle_;

  absl::Mutex mutex_;
  std::map<std::string, MemberHandle, std::less<>> groups_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace orbweaver::kafka
