#include "db_worker/dequeue/checkpoint.h"

#include "common/base/big_endian.h"
#include "common/base/status.h"

namespace orbweaver {
namespace {

constexpr char kFormat = 1;
constexpr size_t kBytes = 1 + 3 * sizeof(uint64_t);

}  // namespace

std::string CheckpointRow(PartitionId partition) {
  std::string row;
  AppendBigEndian(static_cast<uint16_t>(partition.value()), &row);
  return row;
}

std::string EncodeCheckpoint(const Checkpoint& checkpoint) {
  std::string bytes(1, kFormat);
  AppendBigEndian(checkpoint.topic_epoch, &bytes);
  AppendBigEndian(static_cast<uint64_t>(checkpoint.offset.value()), &bytes);
  AppendBigEndian(static_cast<uint64_t>(checkpoint.epoch.value()), &bytes);
  return bytes;
}

absl::StatusOr<Checkpoint> DecodeCheckpoint(std::string_view bytes) {
  if (bytes.size() != kBytes || bytes[0] != kFormat) {
    return FatalError(
        "feed checkpoint: {} bytes of format {}, {} of format {} are known. A newer version of "
        "Orbweaver wrote it",
        bytes.size(), bytes.empty() ? 0 : static_cast<int>(bytes[0]), kBytes,
        static_cast<int>(kFormat));
  }
  const auto number = [&bytes](size_t index) {
    return LoadBigEndian<uint64_t>(bytes.data() + 1 + index * sizeof(uint64_t));
  };
  return Checkpoint{.topic_epoch = number(0),
                    .offset = Offset(static_cast<int64_t>(number(1))),
                    .epoch = Offset(static_cast<int64_t>(number(2)))};
}

absl::StatusOr<std::optional<Checkpoint>> LoadCheckpoint(Store& store, PartitionId partition,
                                                         Duration timeout) {
  const std::string row = CheckpointRow(partition);
  const std::string_view column = kCheckpointColumn;
  const RowGet get{.row = row, .columns = {&column, 1}};
  Rows rows;
  RETURN_IF_ERROR(Annotate(store.MultiGet(Table::kPartitions, {&get, 1}, timeout, &rows),
                           "read a feed checkpoint"));
  const Cell* const cell = rows.Find(0, kCheckpointColumn);
  if (cell == nullptr) return std::nullopt;
  ASSIGN_OR_RETURN(const Checkpoint checkpoint, DecodeCheckpoint(cell->value));
  return checkpoint;
}

}  // namespace orbweaver
