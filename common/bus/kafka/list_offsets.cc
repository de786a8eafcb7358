#include "common/bus/kafka/list_offsets.h"

#include <thread>

#include "common/base/status.h"

namespace orbweaver::kafka {
namespace {

// While a leader moves, a new topic's first one included, brokers refuse for some milliseconds.
constexpr Duration kRetryPause = std::chrono::milliseconds(20);

absl::StatusOr<std::vector<Offset>> Ask(rd_kafka_t* client, std::string_view topic,
                                        std::span<const PartitionId> partitions, OffsetKind kind,
                                        Duration timeout) {
  const PartitionList list = NewPartitionList(topic, partitions);
  // The request is a look-up by time, for which the protocol has two times of its own: earliest
  // (-2) and latest (-1).
  for (int i = 0; i < list->cnt; ++i) {
    list->elems[i].offset =
        kind == OffsetKind::kStart ? RD_KAFKA_OFFSET_BEGINNING : RD_KAFKA_OFFSET_END;
  }
  const std::string action = fmt::format("read the offsets of {}", topic);
  RETURN_IF_ERROR(
      ToStatus(rd_kafka_offsets_for_times(client, list.get(), Milliseconds(timeout)), action));
  std::vector<Offset> offsets;
  for (int i = 0; i < list->cnt; ++i) {
    const rd_kafka_topic_partition_t& entry = list->elems[i];
    RETURN_IF_ERROR(ToStatus(entry.err, fmt::format("{} partition {}", action, entry.partition)));
    offsets.emplace_back(entry.offset);
  }
  return offsets;
}

}  // namespace

absl::StatusOr<std::vector<Offset>> ListOffsets(rd_kafka_t* client, std::string_view topic,
                                                std::span<const PartitionId> partitions,
                                                OffsetKind kind, Duration timeout) {
  if (partitions.empty()) return std::vector<Offset>();
  const Deadline deadline(timeout);
  while (true) {
    auto offsets = Ask(client, topic, partitions, kind, deadline.Left());
    if (!IsRetry(offsets.status()) || deadline.Left() <= kRetryPause) return offsets;
    std::this_thread::sleep_for(kRetryPause);
  }
}

}  // namespace orbweaver::kafka
