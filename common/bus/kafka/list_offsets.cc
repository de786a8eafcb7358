#include "common/bus/kafka/list_offsets.h"

#include <algorithm>
#include <thread>

#include "common/base/status.h"
#include "common/bus/kafka/topics.h"

namespace orbweaver::kafka {
namespace {

// While a leader moves, a new topic's first one included, brokers refuse for some milliseconds.
constexpr Duration kRetryPause = std::chrono::milliseconds(20);
// A broker that has just started may not know its topics yet.
constexpr Duration kUnknownPatience = std::chrono::seconds(5);

// `unknown`: whether this client does not know of some partition.
absl::StatusOr<std::vector<Offset>> Ask(rd_kafka_t* client, std::string_view topic,
                                        std::span<const PartitionId> partitions, OffsetKind kind,
                                        Duration timeout, bool* unknown) {
  const PartitionList list = NewPartitionList(topic, partitions);
  // The request is a look-up by time, for which the protocol has two times of its own: earliest
  // (-2) and latest (-1).
  for (int i = 0; i < list->cnt; ++i) {
    list->elems[i].offset =
        kind == OffsetKind::kStart ? RD_KAFKA_OFFSET_BEGINNING : RD_KAFKA_OFFSET_END;
  }
  const std::string action = fmt::format("read the offsets of {}", topic);
  const rd_kafka_resp_err_t error =
      rd_kafka_offsets_for_times(client, list.get(), Milliseconds(timeout));
  *unknown = error == RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION;
  RETURN_IF_ERROR(ToStatus(error, action));
  std::vector<Offset> offsets;
  for (int i = 0; i < list->cnt; ++i) {
    const rd_kafka_topic_partition_t& entry = list->elems[i];
    *unknown = entry.err == RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION;
    RETURN_IF_ERROR(ToStatus(entry.err, fmt::format("{} partition {}", action, entry.partition)));
    offsets.emplace_back(entry.offset);
  }
  return offsets;
}

// Whether the brokers say too that a partition is missing. A client whose metadata is old or cut
// short, as while the brokers are away, takes one for missing that is there. Errors: retry.
absl::StatusOr<bool> IsMissing(rd_kafka_t* client, std::string_view topic,
                               std::span<const PartitionId> partitions, Duration timeout) {
  ASSIGN_OR_RETURN(const int count, PartitionCount(client, topic, timeout));
  return std::ranges::any_of(partitions, [count](PartitionId p) { return p.value() >= count; });
}

}  // namespace

absl::StatusOr<std::vector<Offset>> ListOffsets(rd_kafka_t* client, std::string_view topic,
                                                std::span<const PartitionId> partitions,
                                                OffsetKind kind, Duration timeout) {
  if (partitions.empty()) return std::vector<Offset>();
  const Deadline deadline(timeout);
  const Deadline unknown_deadline(std::min(timeout, kUnknownPatience));
  while (true) {
    bool unknown = false;
    auto offsets = Ask(client, topic, partitions, kind, deadline.Left(), &unknown);
    bool is_missing = false;
    if (unknown) {
      const auto missing = IsMissing(client, topic, partitions, deadline.Left());
      is_missing = missing.ok() && *missing;
      if (!missing.ok())
        offsets = missing.status();
      else if (!is_missing)
        offsets = RetryError("{}", MessageOf(offsets.status()));
    }
    const Duration left = is_missing ? unknown_deadline.Left() : deadline.Left();
    if (!(is_missing || IsRetry(offsets.status())) || left <= kRetryPause) {
      if (IsRetry(offsets.status())) RemindOfBrokers(client);
      return offsets;
    }
    std::this_thread::sleep_for(kRetryPause);
  }
}

}  // namespace orbweaver::kafka
