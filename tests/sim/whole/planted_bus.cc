#include "tests/sim/whole/planted_bus.h"

#include <deque>
#include <functional>
#include <map>
#include <utility>

#include "absl/synchronization/mutex.h"

#include "common/base/check.h"
#include "common/base/status.h"
#include "common/bus/topics.h"
#include "common/model/arena.h"
#include "common/model/encode_buffer.h"
#include "common/model/scoring_log.h"
#include "common/model/spider_feed.h"
#include "common/model/spider_log.h"
#include "common/protocol/owned_log.h"
#include "db_worker/dequeue/take_over.h"

namespace orbweaver::sim {
namespace {

constexpr Offset kLatestEpoch{int64_t{1} << 40};

class ForwardingConsumer : public Consumer {
 public:
  explicit ForwardingConsumer(std::unique_ptr<Consumer> consumer)
      : consumer_(std::move(consumer)) {}

  absl::Status Subscribe(std::string_view topic, RebalanceListener* listener) override {
    return consumer_->Subscribe(topic, listener);
  }
  absl::Status Assign(std::string_view topic, std::span<const AssignedPartition> from) override {
    return consumer_->Assign(topic, from);
  }
  absl::Status Poll(const PollLimits& limits, Duration timeout, MessageBatch* batch) override {
    return consumer_->Poll(limits, timeout, batch);
  }
  absl::Status SetPaused(PartitionId partition, bool paused) override {
    return consumer_->SetPaused(partition, paused);
  }
  absl::Status Commit(std::span<const OffsetCommit> commits, Duration timeout) override {
    return consumer_->Commit(commits, timeout);
  }
  void Close(Departure departure) override { consumer_->Close(departure); }

 private:
  const std::unique_ptr<Consumer> consumer_;
};

// Sees that there are messages, and nothing of them.
class SeesNothing : public ForwardingConsumer {
 public:
  using ForwardingConsumer::ForwardingConsumer;

  absl::Status Poll(const PollLimits& limits, Duration timeout, MessageBatch* batch) override {
    absl::Status status = ForwardingConsumer::Poll(limits, timeout, batch);
    std::vector<Message> messages;
    for (const Message& message : batch->messages()) {
      messages.push_back({.partition = message.partition, .offset = message.offset});
    }
    batch->Set(std::move(messages), nullptr);
    return status;
  }
};

struct Rewritten : MessageBatch::Memory {
  MessageBatch original;
  std::deque<std::string> values;
};

// Sees each message with another value.
class SeesOthers : public ForwardingConsumer {
 public:
  using Rewrite = std::function<std::string(const Message&)>;

  SeesOthers(std::unique_ptr<Consumer> consumer, Rewrite rewrite)
      : ForwardingConsumer(std::move(consumer)), rewrite_(std::move(rewrite)) {}

  absl::Status Poll(const PollLimits& limits, Duration timeout, MessageBatch* batch) override {
    auto memory = std::make_unique<Rewritten>();
    absl::Status status = ForwardingConsumer::Poll(limits, timeout, &memory->original);
    std::vector<Message> messages;
    for (const Message& message : memory->original.messages()) {
      memory->values.push_back(rewrite_(message));
      messages.push_back(message);
      messages.back().value = memory->values.back();
    }
    batch->Set(std::move(messages), std::move(memory));
    return status;
  }

 private:
  const Rewrite rewrite_;
};

// Changes one kind of entry; what is none of it stays.
template <typename Entry>
std::string Changed(std::string_view value, const std::function<void(Entry&)>& change) {
  Arena arena;
  Entry entry;
  if (!Decode(value, &arena, &entry).ok()) return std::string(value);
  change(entry);
  EncodeBuffer buffer;
  const auto encoded = Encode(entry, &buffer);
  CHECK_OK(encoded.status());
  return std::string(*encoded);
}

template <typename Entry>
std::string OfLatestEpoch(const Message& message) {
  return Changed<Entry>(message.value, [](Entry& entry) {
    if (!std::holds_alternative<Marker>(entry.entry)) entry.epoch = kLatestEpoch;
  });
}

// The group takes the commit although its member is no owner any more.
class CommitsUnfenced : public ForwardingConsumer {
 public:
  CommitsUnfenced(std::unique_ptr<Consumer> consumer, std::string group, MemoryBroker& broker)
      : ForwardingConsumer(std::move(consumer)), group_(std::move(group)), broker_(broker) {}

  absl::Status Subscribe(std::string_view topic, RebalanceListener* listener) override {
    topic_ = topic;
    return ForwardingConsumer::Subscribe(topic, listener);
  }
  absl::Status Commit(std::span<const OffsetCommit> commits, Duration timeout) override {
    absl::Status status = ForwardingConsumer::Commit(commits, timeout);
    if (!IsFenced(status)) return status;
    absl::MutexLock lock(&broker_.mutex);
    const auto group = broker_.Group(group_, topic_);
    for (const OffsetCommit& commit : commits) (*group)->Commit(commit);
    return absl::OkStatus();
  }

 private:
  const std::string group_;
  MemoryBroker& broker_;
  std::string topic_;
};

class CommitsAtOnce : public ForwardingConsumer {
 public:
  using ForwardingConsumer::ForwardingConsumer;

  absl::Status Poll(const PollLimits& limits, Duration timeout, MessageBatch* batch) override {
    absl::Status status = ForwardingConsumer::Poll(limits, timeout, batch);
    std::map<PartitionId, Offset> ends;
    for (const Message& message : batch->messages()) ends[message.partition] = message.offset + 1;
    std::vector<OffsetCommit> commits;
    for (const auto& [partition, end] : ends) {
      commits.push_back({.partition = partition, .offset = end, .metadata = {}});
    }
    if (!commits.empty()) Commit(commits, timeout).IgnoreError();
    return status;
  }
};

// Takes partitions over as if nobody had committed anything in them.
class TakesOverUnused : public ForwardingConsumer, private RebalanceListener {
 public:
  using ForwardingConsumer::ForwardingConsumer;

  absl::Status Subscribe(std::string_view topic, RebalanceListener* listener) override {
    listener_ = listener;
    return ForwardingConsumer::Subscribe(topic, this);
  }

 private:
  void OnAssigned(std::span<const AssignedPartition> partitions) override {
    std::vector<AssignedPartition> unused(partitions.begin(), partitions.end());
    for (AssignedPartition& partition : unused) partition.has_commit = false;
    listener_->OnAssigned(unused);
  }
  void OnRevoked(std::span<const PartitionId> partitions) override {
    listener_->OnRevoked(partitions);
  }
  void OnLost(std::span<const PartitionId> partitions) override { listener_->OnLost(partitions); }

  RebalanceListener* listener_ = nullptr;
};

class ForwardingProducer : public Producer {
 public:
  explicit ForwardingProducer(std::unique_ptr<Producer> producer)
      : producer_(std::move(producer)) {}

  absl::Status Send(const Record& record, uint64_t token) override {
    return producer_->Send(record, token);
  }
  void Poll(Duration timeout) override { producer_->Poll(timeout); }
  absl::Status Flush(Duration timeout) override { return producer_->Flush(timeout); }

 private:
  const std::unique_ptr<Producer> producer_;
};

// Of what is not a marker, in the logs that have owners.
class AwaitsNothing : public ForwardingProducer {
 public:
  using ForwardingProducer::ForwardingProducer;

  absl::Status Send(const Record& record, uint64_t token) override {
    awaits_ = record.key.empty() || record.topic == kSpiderLogTopic;
    return ForwardingProducer::Send(record, token);
  }
  absl::Status Flush(Duration timeout) override {
    return awaits_ ? ForwardingProducer::Flush(timeout) : absl::OkStatus();
  }

 private:
  bool awaits_ = true;  // for the acks of what was sent last
};

class SendsNoDeferred : public ForwardingProducer {
 public:
  using ForwardingProducer::ForwardingProducer;

  absl::Status Send(const Record& record, uint64_t token) override {
    if (record.topic != kSpiderLogTopic) return ForwardingProducer::Send(record, token);
    const std::string value = Changed<SpiderLogEntry>(record.value, [](SpiderLogEntry& entry) {
      if (std::holds_alternative<Deferred>(entry.event)) entry.event = Seeds{};
    });
    Record other = record;
    other.value = value;
    return ForwardingProducer::Send(other, token);
  }
};

class AddsForRaises : public ForwardingProducer {
 public:
  using ForwardingProducer::ForwardingProducer;

  absl::Status Send(const Record& record, uint64_t token) override {
    if (record.topic != kScoringLogTopic) return ForwardingProducer::Send(record, token);
    std::vector<ScheduledRequest> requests;
    const std::string value =
        Changed<ScoringLogEntry>(record.value, [&requests](ScoringLogEntry& entry) {
          auto* const schedule = std::get_if<ScheduleRequests>(&entry.entry);
          if (schedule == nullptr) return;
          requests.assign(schedule->requests.begin(), schedule->requests.end());
          for (ScheduledRequest& request : requests) {
            if (request.action == ScheduleAction::kRaise) request.action = ScheduleAction::kAdd;
          }
          schedule->requests = requests;
        });
    Record other = record;
    other.value = value;
    return ForwardingProducer::Send(other, token);
  }
};

}  // namespace

absl::StatusOr<std::unique_ptr<Producer>> PlantedBus::NewProducer(const ProducerOptions& options,
                                                                  AckHandler on_ack) {
  ASSIGN_OR_RETURN(auto producer, bus_.NewProducer(options, std::move(on_ack)));
  switch (fault_) {
    case PlantedFault::kNoAcksAwaited:
      return std::make_unique<AwaitsNothing>(std::move(producer));
    case PlantedFault::kDeferredDropped:
      return std::make_unique<SendsNoDeferred>(std::move(producer));
    case PlantedFault::kOrderAdds:
      return std::make_unique<AddsForRaises>(std::move(producer));
    default:
      return producer;
  }
}

absl::StatusOr<std::unique_ptr<Consumer>> PlantedBus::NewConsumer(const ConsumerOptions& options) {
  ASSIGN_OR_RETURN(auto consumer, bus_.NewConsumer(options));
  const bool schedules = options.group == kStrategyWorkerGroup;
  const bool queues = options.group == kDbWorkerGroup;
  const bool crawls = options.group == kSpiderGroup;
  const bool reads_back = options.group == kReadBackGroup;
  switch (fault_) {
    case PlantedFault::kNoScoringMarkers:
      if (!queues) break;
      return std::make_unique<SeesOthers>(std::move(consumer), OfLatestEpoch<ScoringLogEntry>);
    case PlantedFault::kNoFeedMarkers:
      if (!crawls && !reads_back) break;
      return std::make_unique<SeesOthers>(std::move(consumer), OfLatestEpoch<SpiderFeedEntry>);
    case PlantedFault::kNoOwnerCheck:
      if (options.group != kOwnerCheckGroup) break;
      return std::make_unique<SeesNothing>(std::move(consumer));
    case PlantedFault::kNoReadBack:
      if (!reads_back) break;
      return std::make_unique<SeesNothing>(std::move(consumer));
    case PlantedFault::kNoSourceWatermark:
      if (!queues) break;
      return std::make_unique<SeesOthers>(std::move(consumer), [this](const Message& message) {
        return Changed<ScoringLogEntry>(message.value, [this](ScoringLogEntry& entry) {
          auto* const schedule = std::get_if<ScheduleRequests>(&entry.entry);
          if (schedule == nullptr) return;
          schedule->source_offset = Offset(static_cast<int64_t>(++numbered_));
        });
      });
    case PlantedFault::kCommitFirst:
      if (!schedules && !queues) break;
      return std::make_unique<CommitsAtOnce>(std::move(consumer));
    case PlantedFault::kUnfencedCommits:
      if (!schedules) break;
      return std::make_unique<CommitsUnfenced>(std::move(consumer), options.group, broker_);
    case PlantedFault::kDelayForgotten:
      if (!crawls) break;
      return std::make_unique<TakesOverUnused>(std::move(consumer));
    default:
      break;
  }
  return consumer;
}

}  // namespace orbweaver::sim
