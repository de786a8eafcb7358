#include "common/bus/producer.h"

#include "common/base/status.h"

namespace orbweaver {

absl::StatusOr<size_t> Producer::SendMany(std::string_view topic, PartitionId partition,
                                          std::span<const KeyValue> records, uint64_t token) {
  size_t taken = 0;
  for (const KeyValue& record : records) {
    const absl::Status sent = Send(
        {.topic = topic, .partition = partition, .key = record.key, .value = record.value}, token);
    if (IsRetry(sent)) break;
    RETURN_IF_ERROR(sent);
    ++taken;
  }
  return taken;
}

}  // namespace orbweaver
