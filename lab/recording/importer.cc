#include "lab/recording/importer.h"

#include <algorithm>
#include <memory>

#include "common/base/status.h"
#include "common/bus/topics.h"

namespace orbweaver::lab {
namespace {

constexpr char kGroup[] = "orbweaver-import";
constexpr int kAskEvery = 1000;  // records

bool AreSame(const Message& a, const Message& b) {
  return a.key == b.key && a.value == b.value &&
         std::ranges::equal(a.headers, b.headers, [](const Header& x, const Header& y) {
           return x.name == y.name && x.value == y.value;
         });
}

}  // namespace

absl::Status Importer::Import(const std::string& topic, absl::FunctionRef<bool()> go_on) {
  const auto partitions = recording_.manifest().Partitions(topic);
  ASSIGN_OR_RETURN(const int count, bus_.PartitionCount(topic, options_.timeout));
  if (partitions.empty()) {
    return FatalError("import topic {}: it is not in {}", topic, recording_.path().string());
  }
  // A recording of single partitions is not one of a topic, and domains would be elsewhere.
  if (partitions.size() != static_cast<size_t>(count)) {
    return FatalError(
        "import topic {}: it has {} partitions, and {} were recorded. `orbweaver init "
        "--set topics.partitions={}` makes topics in a cluster that has none",
        topic, count, partitions.size(), partitions.size());
  }
  for (const PartitionId partition : partitions) {
    RETURN_IF_ERROR(ImportPartition(topic, partition, go_on));
    if (!go_on()) break;
  }
  return absl::OkStatus();
}

absl::Status Importer::ImportPartition(const std::string& topic, PartitionId partition,
                                       absl::FunctionRef<bool()> go_on) {
  ASSIGN_OR_RETURN(const auto offsets, bus_.NewOffsetReader());
  ASSIGN_OR_RETURN(const auto bounds, offsets->Bounds(topic, {&partition, 1}, options_.timeout));
  if (bounds[0].start.value() != 0) {
    return FatalError(
        "import topic {} partition {}: its log begins at offset {}. Import into new "
        "topics, or a new folder",
        topic, partition, bounds[0].start);
  }
  const auto records = recording_.Read(topic, partition, options_.skip_damaged);
  RETURN_IF_ERROR(
      PassOver(topic, partition, static_cast<uint64_t>(bounds[0].end.value()), records.get()));
  absl::Status failed;
  ASSIGN_OR_RETURN(const auto producer,
                   bus_.NewProducer({}, [&failed](const Ack& ack) { failed.Update(ack.status); }));
  Message message;
  for (uint64_t sent = 0; failed.ok(); ++sent) {
    if (sent % kAskEvery == 0) {
      producer->Poll(Duration::zero());
      if (!go_on()) break;
    }
    ASSIGN_OR_RETURN(const bool is_there, records->Next(&message));
    if (!is_there) break;
    const Record record{.topic = topic,
                        .partition = partition,
                        .key = message.key,
                        .value = message.value,
                        .headers = message.headers};
    if (options_.clock != nullptr) options_.clock->Set(message.time);
    absl::Status status = producer->Send(record, 0);
    while (absl::IsResourceExhausted(status) && failed.ok()) {
      producer->Poll(options_.timeout);
      status = producer->Send(record, 0);
    }
    RETURN_IF_ERROR(status);
    ++records_;
    raw_bytes_ += message.key.size() + message.value.size();
  }
  const absl::Status flushed = producer->Flush(options_.timeout);
  if (options_.clock != nullptr) options_.clock->Release();
  RETURN_IF_ERROR(flushed);
  left_out_.files += records->left_out().files;
  left_out_.records += records->left_out().records;
  left_out_.why.insert(left_out_.why.end(), records->left_out().why.begin(),
                       records->left_out().why.end());
  return failed;
}

absl::Status Importer::PassOver(const std::string& topic, PartitionId partition, uint64_t count,
                                RecordReader* records) {
  if (count == 0) return absl::OkStatus();
  ASSIGN_OR_RETURN(const auto consumer, bus_.NewConsumer({.group = kGroup}));
  const AssignedPartition from{.partition = partition, .position = Offset(0)};
  RETURN_IF_ERROR(consumer->Assign(topic, {&from, 1}));
  MessageBatch batch;
  Message recorded;
  for (uint64_t seen = 0; seen < count;) {
    RETURN_IF_ERROR(consumer->Poll({}, options_.timeout, &batch));
    if (batch.empty()) {
      return TimeoutError("read topic {} partition {}: nothing comes", topic, partition);
    }
    for (const Message& message : batch.messages()) {
      if (seen++ == count) break;
      ASSIGN_OR_RETURN(const bool is_there, records->Next(&recorded));
      if (is_there && AreSame(message, recorded)) continue;
      return FatalError(
          "import topic {} partition {}: at offset {} stands another record than in "
          "{}. Import into new topics, or a new folder",
          topic, partition, message.offset, recording_.path().string());
    }
  }
  before_ += count;
  return absl::OkStatus();
}

}  // namespace orbweaver::lab
