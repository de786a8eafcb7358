#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/bus/kafka/client.h"
#include "common/bus/offset_reader.h"

namespace orbweaver::kafka {

// One client for all look-ups; librdkafka's client is thread-safe, and so is this.
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
  KafkaOffsetReader(std::string prefix, Handle handle)
      : prefix_(std::move(prefix)), handle_(std::move(handle)) {}

  const std::string prefix_;
  const Handle handle_;
};

}  // namespace orbweaver::kafka
