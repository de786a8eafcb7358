#include "tests/sim/switched_off.h"

#include <map>

#include "absl/synchronization/mutex.h"

#include "common/base/status.h"

namespace orbweaver {
namespace {

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
  void Close() override { consumer_->Close(); }

 private:
  const std::unique_ptr<Consumer> consumer_;
};

class SeesNoMarkers : public ForwardingConsumer {
 public:
  using ForwardingConsumer::ForwardingConsumer;

  absl::Status Assign(std::string_view topic, std::span<const AssignedPartition> from) override {
    is_assigned_ = true;  // as who looks for markers does, and the worker itself does not
    return ForwardingConsumer::Assign(topic, from);
  }
  absl::Status Poll(const PollLimits& limits, Duration timeout, MessageBatch* batch) override {
    const absl::Status status = ForwardingConsumer::Poll(limits, timeout, batch);
    if (!is_assigned_) return status;
    std::vector<Message> messages;
    for (const Message& message : batch->messages()) {
      messages.push_back({.partition = message.partition, .offset = message.offset});
    }
    batch->Set(std::move(messages), nullptr);
    return status;
  }

 private:
  bool is_assigned_ = false;
};

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
    const absl::Status status = ForwardingConsumer::Commit(commits, timeout);
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
    const absl::Status status = ForwardingConsumer::Poll(limits, timeout, batch);
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

class WaitsForNothing : public Producer {
 public:
  explicit WaitsForNothing(std::unique_ptr<Producer> producer) : producer_(std::move(producer)) {}

  absl::Status Send(const Record& record, uint64_t token) override {
    is_marker_ = record.key.empty();
    return producer_->Send(record, token);
  }
  void Poll(Duration timeout) override { producer_->Poll(timeout); }
  absl::Status Flush(Duration timeout) override {
    return is_marker_ ? producer_->Flush(timeout) : absl::OkStatus();
  }

 private:
  const std::unique_ptr<Producer> producer_;
  bool is_marker_ = false;  // what was sent last
};

}  // namespace

absl::Status WithoutOutbox::Load(std::span<const StateRequest> requests, Duration timeout) {
  std::vector<std::string_view> absent;
  for (const StateRequest& request : requests) {
    if (states_->Find(request.domain) == nullptr) absent.push_back(request.domain);
  }
  const absl::Status status = states_->Load(requests, timeout);
  for (const std::string_view domain : absent) {
    if (DomainStates* const loaded = states_->Find(domain)) loaded->record().outbox.clear();
  }
  return status;
}

absl::Status WithoutVersions::Write(Table table, std::span<const RowPut> puts, Duration timeout,
                                    std::vector<uint32_t>* remaining) {
  std::vector<RowPut> later(puts.begin(), puts.end());
  for (RowPut& put : later) put.version = Version(++last_version_);
  return store_.Write(table, later, timeout, remaining);
}

absl::StatusOr<std::unique_ptr<Producer>> RuleBreakingBus::NewProducer(
    const ProducerOptions& options, AckHandler on_ack) {
  ASSIGN_OR_RETURN(auto producer, bus_.NewProducer(options, std::move(on_ack)));
  if (rules_.await_acks) return producer;
  return std::make_unique<WaitsForNothing>(std::move(producer));
}

absl::StatusOr<std::unique_ptr<Consumer>> RuleBreakingBus::NewConsumer(
    const ConsumerOptions& options) {
  ASSIGN_OR_RETURN(auto consumer, bus_.NewConsumer(options));
  if (!rules_.commit_fencing) {
    consumer = std::make_unique<CommitsUnfenced>(std::move(consumer), options.group, broker_);
  }
  if (!rules_.still_owner) consumer = std::make_unique<SeesNoMarkers>(std::move(consumer));
  if (!rules_.commit_last) consumer = std::make_unique<CommitsAtOnce>(std::move(consumer));
  return consumer;
}

}  // namespace orbweaver
