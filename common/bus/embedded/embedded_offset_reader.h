// Offsets of the folder's log, as readers outside a group see them.
#pragma once

#include "common/bus/embedded/message_log.h"
#include "common/bus/offset_reader.h"
#include "common/store/rocksdb/database.h"

namespace orbweaver {

// Thread-safe. Never waits.
class EmbeddedOffsetReader : public OffsetReader {
 public:
  EmbeddedOffsetReader(const MessageLog& log, const Database& database)
      : log_(log), database_(database) {}

  absl::StatusOr<std::vector<LogBounds>> Bounds(std::string_view topic,
                                                std::span<const PartitionId> partitions,
                                                Duration timeout) override;
  absl::StatusOr<std::vector<std::optional<CommittedOffset>>> Committed(
      std::string_view group, std::string_view topic, std::span<const PartitionId> partitions,
      Duration timeout) override;

 private:
  const MessageLog& log_;
  const Database& database_;
};

}  // namespace orbweaver
