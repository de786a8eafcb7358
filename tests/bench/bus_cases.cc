#include "tests/bench/bus_cases.h"

#include <string>
#include <vector>

#include "fmt/format.h"

#include "common/base/big_endian.h"
#include "common/base/random.h"
#include "common/base/status.h"
#include "common/bus/topics.h"

namespace orbweaver {
namespace {

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

absl::Status Produce(Bus& bus, size_t messages) {
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
  for (size_t i = 0; i < messages;) {
    const size_t which = random.Below(keys.size());
    const absl::Status sent =
        producer->Send({.topic = kSpiderFeedTopic,
                        .partition = PartitionId(static_cast<int32_t>(which % kPartitions)),
                        .key = keys[which],
                        .value = values[which]},
                       i);
    if (sent.ok()) ++i;
    if (!sent.ok() && !IsRetry(sent)) return sent;
    if (!sent.ok()) producer->Poll(kTimeout);
    if (i % 1000 == 0) producer->Poll({});
  }
  RETURN_IF_ERROR(producer->Flush(kTimeout));
  if (acked != messages) return FatalError("produce: {} of {} acked", acked, messages);
  return failed;
}

absl::Status Consume(Bus& bus, size_t messages) {
  ASSIGN_OR_RETURN(const auto consumer, bus.NewConsumer({.group = "bench"}));
  std::vector<AssignedPartition> from;
  for (int32_t i = 0; i < kPartitions; ++i) from.push_back({PartitionId(i), Offset(0), "", false});
  RETURN_IF_ERROR(consumer->Assign(kSpiderFeedTopic, from));
  MessageBatch batch;
  size_t bytes = 0;
  std::vector<OffsetCommit> commits;
  for (size_t consumed = 0; consumed < messages; consumed += batch.messages().size()) {
    RETURN_IF_ERROR(consumer->Poll({}, kTimeout, &batch));
    if (batch.empty()) return FatalError("consume: {} of {}", consumed, messages);
    for (const Message& message : batch.messages()) {
      bytes += message.key.size() + message.value.size();
    }
    const Message& last = batch.messages().back();
    commits = {{last.partition, last.offset + 1, ""}};
    RETURN_IF_ERROR(consumer->Commit(commits, kTimeout));
  }
  if (bytes != messages * kMessageBytes) return FatalError("consume: {} bytes", bytes);
  return absl::OkStatus();
}

}  // namespace

absl::Status BenchBus(Bus& bus, std::string_view prefix, size_t messages, const BusLimits& limits,
                      BenchReport& report) {
  const TopicSpec topic{.name = std::string(kSpiderFeedTopic), .partitions = kPartitions};
  RETURN_IF_ERROR(bus.EnsureTopics({&topic, 1}, kTimeout).status());
  const auto work = static_cast<double>(messages);
  const CpuTimer produce;
  RETURN_IF_ERROR(Produce(bus, messages));
  report.AddRate(fmt::format("{}_produce", prefix), work, "messages/cpu_s", produce,
                 limits.produce);
  const CpuTimer consume;
  RETURN_IF_ERROR(Consume(bus, messages));
  report.AddRate(fmt::format("{}_consume", prefix), work, "messages/cpu_s", consume,
                 limits.consume);
  return absl::OkStatus();
}

}  // namespace orbweaver
