#include "common/protocol/log_witness.h"

#include <map>
#include <memory>
#include <utility>

#include "fmt/format.h"

#include "common/base/big_endian.h"
#include "common/base/status.h"
#include "common/store/rows.h"
#include "common/url/fingerprint.h"

namespace orbweaver {
namespace {

// Reading a record joins no group and commits nothing, but a consumer must name one.
constexpr char kReadGroup[] = "orbweaver-witness";
constexpr char kFormat = 1;
constexpr size_t kHashBytes = 16;
constexpr size_t kBytes = 1 + 2 * sizeof(uint64_t) + kHashBytes;

std::string RowOf(PartitionId partition) {
  std::string row;
  AppendBigEndian(static_cast<uint16_t>(partition.value()), &row);
  return row;
}

std::string ColumnOf(std::string_view topic) { return fmt::format("witness:{}", topic); }

void AppendHash(const Fingerprint& hash, std::string* bytes) {
  AppendBigEndian(hash.high, bytes);
  AppendBigEndian(hash.low, bytes);
}

Fingerprint HashOf(std::string_view key, std::string_view value, int64_t time_ms) {
  std::string parts;
  AppendHash(FingerprintOf(key), &parts);
  AppendHash(FingerprintOf(value), &parts);
  AppendBigEndian(static_cast<uint64_t>(time_ms), &parts);
  return FingerprintOf(parts);
}

struct Stored {
  uint64_t topic_epoch;
  LogWitness witness;
};

std::string Encode(uint64_t topic_epoch, const LogWitness& witness) {
  std::string bytes(1, kFormat);
  AppendBigEndian(topic_epoch, &bytes);
  AppendBigEndian(static_cast<uint64_t>(witness.offset.value()), &bytes);
  AppendHash(witness.hash, &bytes);
  return bytes;
}

absl::StatusOr<Stored> Decode(PartitionId partition, std::string_view bytes) {
  if (bytes.size() != kBytes || bytes[0] != kFormat) {
    return FatalError(
        "witness of a log: {} bytes of format {}, {} of format {} are known. A newer version of "
        "Orbweaver wrote it",
        bytes.size(), bytes.empty() ? 0 : static_cast<int>(bytes[0]), kBytes,
        static_cast<int>(kFormat));
  }
  const auto number = [&](size_t index) {
    return LoadBigEndian<uint64_t>(bytes.data() + 1 + index * sizeof(uint64_t));
  };
  return Stored{.topic_epoch = number(0),
                .witness = {.partition = partition,
                            .offset = Offset(static_cast<int64_t>(number(1))),
                            .hash = {.high = number(2), .low = number(3)}}};
}

// Of this topic epoch.
absl::StatusOr<std::vector<LogWitness>> Load(Store& store, uint64_t topic_epoch,
                                             std::string_view topic,
                                             std::span<const PartitionId> partitions,
                                             Duration timeout) {
  const std::string column = ColumnOf(topic);
  const std::string_view columns[] = {column};
  std::vector<std::string> names;
  for (const PartitionId partition : partitions) names.push_back(RowOf(partition));
  std::vector<RowGet> gets;
  for (const std::string& name : names) gets.push_back({.row = name, .columns = columns});
  Rows rows;
  RETURN_IF_ERROR(Annotate(store.MultiGet(Table::kPartitions, gets, timeout, &rows),
                           "read the logs' witnesses"));
  std::vector<LogWitness> witnesses;
  for (size_t i = 0; i < partitions.size(); ++i) {
    const Cell* const cell = rows.Find(i, column);
    if (cell == nullptr) continue;
    ASSIGN_OR_RETURN(const Stored stored, Decode(partitions[i], cell->value));
    if (stored.topic_epoch == topic_epoch) witnesses.push_back(stored.witness);
  }
  return witnesses;
}

// Reads the record that stands now at the offset of each witness, or the first one behind it.
absl::StatusOr<std::map<PartitionId, LogWitness>> ReadAgain(Bus& bus, std::string_view topic,
                                                            std::span<const LogWitness> witnesses,
                                                            Duration timeout) {
  std::map<PartitionId, LogWitness> read;
  if (witnesses.empty()) return read;
  ASSIGN_OR_RETURN(const std::unique_ptr<Consumer> consumer,
                   bus.NewConsumer({.group = kReadGroup}));
  std::vector<AssignedPartition> from;
  for (const LogWitness& witness : witnesses) {
    from.push_back({.partition = witness.partition, .position = witness.offset});
  }
  RETURN_IF_ERROR(consumer->Assign(topic, from));
  MessageBatch batch;
  while (read.size() < witnesses.size()) {
    const absl::Status polled = consumer->Poll({}, timeout, &batch);
    // Retention was quicker: the next look finds the log's new start.
    if (absl::IsOutOfRange(polled)) return RetryError("{}", MessageOf(polled));
    RETURN_IF_ERROR(polled);
    if (batch.empty()) {
      return TimeoutError("read topic '{}' at the offsets of its witnesses: nothing came", topic);
    }
    for (const Message& message : batch.messages()) {
      if (read.contains(message.partition)) continue;
      read[message.partition] = WitnessOf(message);
      RETURN_IF_ERROR(consumer->SetPaused(message.partition, true));
    }
  }
  return read;
}

}  // namespace

LogWitness WitnessOf(const Message& message) {
  if (message.key.empty()) {
    return WitnessOfMarker(message.partition, message.offset, message.value);
  }
  return {.partition = message.partition,
          .offset = message.offset,
          .hash = HashOf(message.key, message.value, message.time.time_since_epoch().count())};
}

LogWitness WitnessOfMarker(PartitionId partition, Offset offset, std::string_view value) {
  return {.partition = partition, .offset = offset, .hash = HashOf({}, value, 0)};
}

absl::Status SaveWitnesses(Store& store, std::string_view topic, uint64_t topic_epoch,
                           std::span<const LogWitness> witnesses, std::span<const Version> versions,
                           Duration timeout) {
  if (witnesses.empty()) return absl::OkStatus();
  const std::string column = ColumnOf(topic);
  std::vector<std::string> rows;
  std::vector<std::string> values;
  for (const LogWitness& witness : witnesses) {
    rows.push_back(RowOf(witness.partition));
    values.push_back(Encode(topic_epoch, witness));
  }
  std::vector<CellPut> cells;
  for (const std::string& value : values) cells.push_back({.column = column, .value = value});
  std::vector<RowPut> puts;
  for (size_t i = 0; i < rows.size(); ++i) {
    puts.push_back({.row = rows[i], .version = versions[i], .cells = {&cells[i], 1}});
  }
  std::vector<uint32_t> remaining;
  return Annotate(store.Write(Table::kPartitions, puts, timeout, &remaining),
                  "write the logs' witnesses");
}

absl::StatusOr<std::vector<ForeignLog>> FindForeignLogs(Store& store, Bus& bus,
                                                        uint64_t topic_epoch,
                                                        std::string_view topic,
                                                        std::span<const PartitionId> partitions,
                                                        Duration timeout) {
  ASSIGN_OR_RETURN(const std::vector<LogWitness> witnesses,
                   Load(store, topic_epoch, topic, partitions, timeout));
  if (witnesses.empty()) return std::vector<ForeignLog>();
  std::vector<PartitionId> ids;
  for (const LogWitness& witness : witnesses) ids.push_back(witness.partition);
  ASSIGN_OR_RETURN(const auto offsets, bus.NewOffsetReader());
  ASSIGN_OR_RETURN(const std::vector<LogBounds> bounds, offsets->Bounds(topic, ids, timeout));
  std::vector<ForeignLog> foreign;
  std::vector<LogWitness> to_read;
  std::map<PartitionId, LogBounds> bounds_of;
  const auto add = [&](const LogWitness& witness, std::string_view what) {
    const auto& [start, end] = bounds_of.at(witness.partition);
    foreign.push_back(
        {.topic = std::string(topic),
         .partition = witness.partition,
         .found = fmt::format("the store knows a record at offset {}, {}; the log has "
                              "offsets {} to {}",
                              witness.offset, what, start, end)});
  };
  for (size_t i = 0; i < witnesses.size(); ++i) {
    bounds_of[ids[i]] = bounds[i];
    if (bounds[i].end <= witnesses[i].offset) {
      add(witnesses[i], "which is not in the log");
    } else if (bounds[i].start <= witnesses[i].offset) {
      to_read.push_back(witnesses[i]);
    }
  }
  ASSIGN_OR_RETURN(const auto read, ReadAgain(bus, topic, to_read, timeout));
  for (const LogWitness& witness : to_read) {
    if (read.at(witness.partition) != witness) add(witness, "where another one stands now");
  }
  return foreign;
}

absl::Status CheckWitnesses(Store& store, Bus& bus, uint64_t topic_epoch,
                            std::span<const std::string_view> topics,
                            std::span<const PartitionId> partitions, Duration timeout) {
  for (const std::string_view topic : topics) {
    ASSIGN_OR_RETURN(const std::vector<ForeignLog> foreign,
                     FindForeignLogs(store, bus, topic_epoch, topic, partitions, timeout));
    if (foreign.empty()) continue;
    return FatalError("take over topic '{}' partition {}: {}. {}", topic, foreign[0].partition,
                      foreign[0].found, kForeignLogHint);
  }
  return absl::OkStatus();
}

}  // namespace orbweaver
