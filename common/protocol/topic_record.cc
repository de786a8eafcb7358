#include "common/protocol/topic_record.h"

#include <string>
#include <string_view>
#include <vector>

#include "common/base/big_endian.h"
#include "common/base/status.h"
#include "common/bus/topics.h"
#include "common/store/rows.h"

namespace orbweaver {
namespace {

// Rows of the table are partitions, 2 bytes big endian; this one sorts behind partition 0's.
constexpr std::string_view kRow("\0\0topics", 8);
constexpr std::string_view kColumn = "record";
constexpr std::string_view kLoopTopics[] = {kSpiderLogTopic, kScoringLogTopic, kSpiderFeedTopic};
constexpr size_t kBytes = 1 + 8 + 4;

}  // namespace

absl::StatusOr<std::optional<TopicRecord>> LoadTopicRecord(Store& store, Duration timeout) {
  const std::string_view column = kColumn;
  const RowGet get{.row = kRow, .columns = {&column, 1}};
  Rows rows;
  RETURN_IF_ERROR(Annotate(store.MultiGet(Table::kPartitions, {&get, 1}, timeout, &rows),
                           "read the record of the topics"));
  const Cell* const cell = rows.Find(0, kColumn);
  if (cell == nullptr) return std::nullopt;
  const auto format = cell->value.empty() ? uint8_t{0} : static_cast<uint8_t>(cell->value[0]);
  if (format != kStoreFormat) {
    return FatalError(
        "check the store: its format is {}, this version reads format {}. Use the version of "
        "Orbweaver that wrote it, or one after it whose changelog says that it reads it",
        format, kStoreFormat);
  }
  if (cell->value.size() != kBytes) {
    return FatalError("read the record of the topics: {} bytes, not {}", cell->value.size(),
                      kBytes);
  }
  TopicRecord record;
  record.topic_epoch = LoadBigEndian<uint64_t>(cell->value.data() + 1);
  record.partitions = static_cast<int>(LoadBigEndian<uint32_t>(cell->value.data() + 9));
  return record;
}

absl::Status SaveTopicRecord(Store& store, const TopicRecord& record, Duration timeout) {
  std::string value(1, static_cast<char>(kStoreFormat));
  AppendBigEndian(record.topic_epoch, &value);
  AppendBigEndian(static_cast<uint32_t>(record.partitions), &value);
  const CellPut cell{.column = kColumn, .value = value};
  const RowPut put{.row = kRow, .version = Version(record.topic_epoch), .cells = {&cell, 1}};
  std::vector<uint32_t> remaining;
  return Annotate(store.Write(Table::kPartitions, {&put, 1}, timeout, &remaining),
                  "write the record of the topics");
}

absl::StatusOr<TopicRecord> NextTopicRecord(Store& store, Bus& bus, int partitions,
                                            Duration timeout) {
  ASSIGN_OR_RETURN(const std::optional<TopicRecord> record, LoadTopicRecord(store, timeout));
  bool missing = false;
  int existing = partitions;
  for (const std::string_view topic : kLoopTopics) {
    ASSIGN_OR_RETURN(const int found, bus.PartitionCount(topic, timeout));
    if (found == 0) missing = true;
    if (found != 0) existing = found;
  }
  if (!record.has_value()) return TopicRecord{.topic_epoch = 1, .partitions = existing};
  if (!missing && record->partitions == existing) return *record;
  return TopicRecord{.topic_epoch = record->topic_epoch + 1, .partitions = existing};
}

absl::StatusOr<TopicRecord> CheckTopics(Store& store, Bus& bus, Duration timeout) {
  ASSIGN_OR_RETURN(const std::optional<TopicRecord> record, LoadTopicRecord(store, timeout));
  if (!record.has_value()) {
    return FatalError("check the topics: the store has no record of them. Run `orbweaver init`");
  }
  for (const std::string_view topic : kLoopTopics) {
    ASSIGN_OR_RETURN(const int partitions, bus.PartitionCount(topic, timeout));
    if (partitions == record->partitions) continue;
    return FatalError(
        "check the topics: '{}' has {} partitions, the store knows {}. Stop all workers and run "
        "`orbweaver init`",
        topic, partitions, record->partitions);
  }
  return *record;
}

}  // namespace orbweaver
