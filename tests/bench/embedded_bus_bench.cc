// The embedded bus with messages of 200 bytes over 16 partitions, every group commit synced.
#include <string>
#include <vector>

#include "fmt/format.h"

#include "common/base/big_endian.h"
#include "common/base/random.h"
#include "common/base/status.h"
#include "common/bus/embedded/embedded_bus.h"
#include "common/bus/topics.h"
#include "common/store/rocksdb/database.h"
#include "tests/bench/bench.h"
#include "tests/support/scratch_folder.h"

namespace orbweaver {
namespace {

constexpr size_t kMessages = 2'000'000;
constexpr size_t kMessageBytes = 200;  // key and value
constexpr int kPartitions = 16;
constexpr Duration kTimeout = std::chrono::minutes(1);

// Like the entries of a feed: a domain, and a URL with numbers that do not compress.
std::string Value(Random& random, size_t bytes) {
  std::string value = "https://www.example-domain.com/articles/";
  while (value.size() < bytes) AppendBigEndian(random(), &value);
  value.resize(bytes);
  return value;
}

absl::Status Produce(EmbeddedBus& bus) {
  Random random(1);
  std::vector<std::string> keys(512);
  std::vector<std::string> values(512);
  for (size_t i = 0; i < keys.size(); ++i) {
    keys[i] = fmt::format("domain-{}.com", random.Below(1'000'000));
    values[i] = Value(random, kMessageBytes - keys[i].size());
  }
  size_t acked = 0;
  absl::Status failed;
  ASSIGN_OR_RETURN(const auto producer, bus.NewProducer({}, [&](const Ack& ack) {
    ++acked;
    failed.Update(ack.status);
  }));
  const Header header{"schema", "orbweaver.v1"};
  for (size_t i = 0; i < kMessages;) {
    const size_t which = random.Below(keys.size());
    const absl::Status sent =
        producer->Send({.topic = kSpiderFeedTopic,
                        .partition = PartitionId(static_cast<int32_t>(which % kPartitions)),
                        .key = keys[which],
                        .value = values[which],
                        .headers = {&header, 1}},
                       i);
    if (sent.ok()) ++i;
    if (!sent.ok() && !IsRetry(sent)) return sent;
    if (!sent.ok()) producer->Poll(kTimeout);
    if (i % 1000 == 0) producer->Poll({});
  }
  RETURN_IF_ERROR(producer->Flush(kTimeout));
  if (acked != kMessages) return FatalError("produce: {} of {} acked", acked, kMessages);
  return failed;
}

absl::Status Consume(EmbeddedBus& bus) {
  ASSIGN_OR_RETURN(const auto consumer, bus.NewConsumer({.group = "bench"}));
  std::vector<AssignedPartition> from;
  for (int32_t i = 0; i < kPartitions; ++i) from.push_back({PartitionId(i), Offset(0), "", false});
  RETURN_IF_ERROR(consumer->Assign(kSpiderFeedTopic, from));
  MessageBatch batch;
  size_t bytes = 0;
  std::vector<OffsetCommit> commits;
  for (size_t consumed = 0; consumed < kMessages; consumed += batch.messages().size()) {
    RETURN_IF_ERROR(consumer->Poll({}, kTimeout, &batch));
    if (batch.empty()) return FatalError("consume: {} of {}", consumed, kMessages);
    for (const Message& message : batch.messages()) {
      bytes += message.key.size() + message.value.size();
    }
    const Message& last = batch.messages().back();
    commits = {{last.partition, last.offset + 1, ""}};
    RETURN_IF_ERROR(consumer->Commit(commits, kTimeout));
  }
  if (bytes != kMessages * kMessageBytes) return FatalError("consume: {} bytes", bytes);
  return absl::OkStatus();
}

absl::Status Run(BenchReport& report) {
  const ScratchFolder folder;
  ASSIGN_OR_RETURN(const auto database, Database::Open({.folder = folder.path() / "data"}));
  ASSIGN_OR_RETURN(const auto bus, EmbeddedBus::Open(*database, SystemClock()));
  const TopicSpec topic{.name = std::string(kSpiderFeedTopic), .partitions = kPartitions};
  RETURN_IF_ERROR(bus->EnsureTopics({&topic, 1}, kTimeout).status());
  const CpuTimer produce;
  RETURN_IF_ERROR(Produce(*bus));
  report.AddRate("embedded_produce", kMessages, "messages/cpu_s", produce,
                 "CPU: copies into the log, LZ4 at flush");
  const CpuTimer consume;
  RETURN_IF_ERROR(Consume(*bus));
  report.AddRate("embedded_consume", kMessages, "messages/cpu_s", consume,
                 "CPU: reading and LZ4 of blob files");
  return absl::OkStatus();
}

void EmbeddedBusBench(BenchReport& report) {
  const absl::Status status = Run(report);
  if (!status.ok()) report.Fail("embedded", MessageOf(status));
}

}  // namespace

ORBWEAVER_BENCH("bus", EmbeddedBusBench);

}  // namespace orbweaver
