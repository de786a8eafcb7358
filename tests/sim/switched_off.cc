#include "tests/sim/switched_off.h"

#include <algorithm>
#include <deque>
#include <map>

#include "absl/synchronization/mutex.h"

#include "common/base/check.h"
#include "common/base/status.h"
#include "common/bus/topics.h"
#include "common/model/arena.h"
#include "common/model/encode_buffer.h"
#include "common/model/scoring_log.h"
#include "common/model/spider_feed.h"
#include "db_worker/dequeue/take_over.h"
#include "db_worker/queue/columns.h"

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
  void Close(Departure departure) override { consumer_->Close(departure); }

 private:
  const std::unique_ptr<Consumer> consumer_;
};

// Also sees nothing else of what is in the log.
class SeesNoMarkers : public ForwardingConsumer {
 public:
  using ForwardingConsumer::ForwardingConsumer;

  absl::Status Assign(std::string_view topic, std::span<const AssignedPartition> from) override {
    is_assigned_ = true;  // as who looks for markers does, and the worker itself does not
    return ForwardingConsumer::Assign(topic, from);
  }
  absl::Status Poll(const PollLimits& limits, Duration timeout, MessageBatch* batch) override {
    absl::Status status = ForwardingConsumer::Poll(limits, timeout, batch);
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

struct Rewritten : MessageBatch::Memory {
  MessageBatch original;
  std::deque<std::string> values;
};

// A db worker's entries with other numbers.
class RewritesEntries : public ForwardingConsumer {
 public:
  RewritesEntries(std::unique_ptr<Consumer> consumer, bool of_feed, bool same_epoch,
                  uint64_t* renumber)
      : ForwardingConsumer(std::move(consumer)),
        of_feed_(of_feed),
        same_epoch_(same_epoch),
        renumber_(renumber) {}

  absl::Status Poll(const PollLimits& limits, Duration timeout, MessageBatch* batch) override {
    auto memory = std::make_unique<Rewritten>();
    absl::Status status = ForwardingConsumer::Poll(limits, timeout, &memory->original);
    std::vector<Message> messages;
    for (const Message& message : memory->original.messages()) {
      memory->values.push_back(of_feed_ ? RewriteFeed(message) : RewriteScoring(message));
      messages.push_back(message);
      messages.back().value = memory->values.back();
    }
    batch->Set(std::move(messages), std::move(memory));
    return status;
  }

 private:
  static constexpr Offset kLatest{int64_t{1} << 40};

  std::string RewriteFeed(const Message& message) {
    arena_.Reset();
    SpiderFeedEntry entry;
    CHECK_OK(Decode(message.value, &arena_, &entry));
    if (std::holds_alternative<Marker>(entry.entry) || !same_epoch_) {
      return std::string(message.value);
    }
    entry.epoch = kLatest;
    return std::string(*Encode(entry, &buffer_));
  }

  std::string RewriteScoring(const Message& message) {
    arena_.Reset();
    ScoringLogEntry entry;
    CHECK_OK(Decode(message.value, &arena_, &entry));
    auto* const schedule = std::get_if<ScheduleRequests>(&entry.entry);
    if (schedule == nullptr) return std::string(message.value);
    if (same_epoch_) entry.epoch = kLatest;
    if (renumber_ != nullptr) {
      schedule->source_offset = Offset(static_cast<int64_t>(++*renumber_));
    }
    return std::string(*Encode(entry, &buffer_));
  }

  const bool of_feed_;
  const bool same_epoch_;
  uint64_t* const renumber_;
  Arena arena_;
  EncodeBuffer buffer_;
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

absl::StatusOr<size_t> WithoutOutbox::Load(std::span<const StateRequest> requests,
                                           Duration timeout) {
  std::vector<std::string_view> absent;
  for (const StateRequest& request : requests) {
    if (states_->Find(request.domain) == nullptr) absent.push_back(request.domain);
  }
  const absl::StatusOr<size_t> loaded_to = states_->Load(requests, timeout);
  for (const std::string_view domain : absent) {
    if (DomainStates* const loaded = states_->Find(domain)) loaded->record().outbox.clear();
  }
  return loaded_to;
}

absl::Status WithoutVersions::Write(Table table, std::span<const RowPut> puts, Duration timeout,
                                    std::vector<uint32_t>* remaining) {
  std::vector<RowPut> later(puts.begin(), puts.end());
  for (RowPut& put : later) put.version = Version(++last_version_);
  return store_.Write(table, later, timeout, remaining);
}

absl::Status HeadsAfterCheckpoint::Write(Table table, std::span<const RowPut> puts,
                                         Duration timeout, std::vector<uint32_t>* remaining) {
  const bool only_heads =
      table == Table::kQueue && std::all_of(puts.begin(), puts.end(), [](const RowPut& put) {
        return put.cells.size() == 1 && put.cells[0].column == kHeadColumn;
      });
  if (only_heads) {
    for (const RowPut& put : puts) {
      held_.push_back({.row = std::string(put.row),
                       .version = put.version,
                       .column = std::string(put.cells[0].column),
                       .head = std::string(put.cells[0].value)});
    }
    remaining->clear();
    return absl::OkStatus();
  }
  RETURN_IF_ERROR(store_.Write(table, puts, timeout, remaining));
  if (table != Table::kPartitions) return absl::OkStatus();
  std::vector<CellPut> cells;
  for (const Held& held : held_) cells.push_back({held.column, held.head});
  std::vector<RowPut> heads;
  for (size_t i = 0; i < held_.size(); ++i) {
    heads.push_back({held_[i].row, held_[i].version, {&cells[i], 1}});
  }
  std::vector<uint32_t> heads_left;
  const absl::Status written = store_.Write(Table::kQueue, heads, timeout, &heads_left);
  if (written.ok()) held_.clear();
  return absl::OkStatus();
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
  const bool reads_back = options.group == kReadBackGroup;
  if (!rules_.still_owner && !reads_back)
    consumer = std::make_unique<SeesNoMarkers>(std::move(consumer));
  if (!rules_.commit_last) consumer = std::make_unique<CommitsAtOnce>(std::move(consumer));
  if (!rules_.read_back && reads_back) {
    consumer = std::make_unique<SeesNoMarkers>(std::move(consumer));
  }
  const bool is_rewritten = !rules_.epochs || rules_.renumber != nullptr;
  if (is_rewritten && (reads_back || options.group == kDbWorkerGroup)) {
    consumer = std::make_unique<RewritesEntries>(std::move(consumer), reads_back, !rules_.epochs,
                                                 rules_.renumber);
  }
  return consumer;
}

}  // namespace orbweaver
