// See OffsetReader.
#pragma once

#include "common/bus/memory/memory_client.h"
#include "common/bus/offset_reader.h"

namespace orbweaver {

// Place: made by MemoryBus.
class MemoryOffsetReader : public OffsetReader {
 public:
  explicit MemoryOffsetReader(MemoryClient* client) : client_(*client) {}

  absl::StatusOr<std::vector<LogBounds>> Bounds(std::string_view topic,
                                                std::span<const PartitionId> partitions,
                                                Duration timeout) override;
  absl::StatusOr<std::vector<std::optional<CommittedOffset>>> Committed(
      std::string_view group, std::string_view topic, std::span<const PartitionId> partitions,
      Duration timeout) override;

 private:
  MemoryClient& client_;
};

}  // namespace orbweaver
