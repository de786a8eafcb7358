// The crash protocol with one of its rules switched off, from outside the worker: each part here
// stands between a core and its world and undoes one rule. They exist to show that the simulation
// would notice.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/bus/bus.h"
#include "common/bus/memory/memory_broker.h"
#include "common/store/store.h"
#include "strategy_worker/states/state_store.h"

namespace orbweaver {

// Without outboxes: a row that is loaded has lost what was not sent yet.
class WithoutOutbox : public StateStore {
 public:
  explicit WithoutOutbox(std::unique_ptr<StateStore> states) : states_(std::move(states)) {}

  absl::StatusOr<size_t> Load(std::span<const StateRequest> requests, Duration timeout) override;
  DomainStates* Find(std::string_view domain) override { return states_->Find(domain); }
  void Flush(PartitionId partition, Version version, std::vector<RowPut>* first,
             std::vector<RowPut>* second) override {
    states_->Flush(partition, version, first, second);
  }
  void Flushed() override { states_->Flushed(); }
  void TakeGarbage(std::vector<RowErase>* erases) override { states_->TakeGarbage(erases); }
  void Drop(PartitionId partition) override { states_->Drop(partition); }

 private:
  const std::unique_ptr<StateStore> states_;
};

// Without versions: whoever puts last wins, also one that was deposed.
class WithoutVersions : public Store {
 public:
  explicit WithoutVersions(Store& store, uint64_t* last_version)
      : store_(store), last_version_(*last_version) {}

  absl::Status MultiGet(Table table, std::span<const RowGet> gets, Duration timeout,
                        Rows* rows) override {
    return store_.MultiGet(table, gets, timeout, rows);
  }
  absl::Status Write(Table table, std::span<const RowPut> puts, Duration timeout,
                     std::vector<uint32_t>* remaining) override;
  absl::Status Erase(Table, std::span<const RowErase>, Duration) override {
    return absl::OkStatus();
  }
  absl::Status Scan(Table table, const ScanRange& range, Duration timeout,
                    Visitor visitor) override {
    return store_.Scan(table, range, timeout, visitor);
  }

 private:
  Store& store_;
  uint64_t& last_version_;  // of all workers
};

// Heads alone are called durable, and put only after the next checkpoint: the db worker's.
class HeadsAfterCheckpoint : public Store {
 public:
  explicit HeadsAfterCheckpoint(Store& store) : store_(store) {}

  absl::Status MultiGet(Table table, std::span<const RowGet> gets, Duration timeout,
                        Rows* rows) override {
    return store_.MultiGet(table, gets, timeout, rows);
  }
  absl::Status Write(Table table, std::span<const RowPut> puts, Duration timeout,
                     std::vector<uint32_t>* remaining) override;
  absl::Status Erase(Table table, std::span<const RowErase> erases, Duration timeout) override {
    return store_.Erase(table, erases, timeout);
  }
  absl::Status Scan(Table table, const ScanRange& range, Duration timeout,
                    Visitor visitor) override {
    return store_.Scan(table, range, timeout, visitor);
  }

 private:
  struct Held {
    std::string row;
    Version version;
    std::string column;
    std::string head;
  };

  Store& store_;
  std::vector<Held> held_;
};

// A bus whose clients break a rule.
class RuleBreakingBus : public Bus {
 public:
  struct Rules {
    bool commit_fencing = true;  // the group refuses commits of former owners
    bool still_owner = true;     // who looks for later markers sees them
    bool await_acks = true;      // acks are waited for; those of markers in any case
    bool commit_last = true;     // what was read is not committed at once
    bool epochs = true;          // db workers see of which epoch an entry is
    bool read_back = true;       // and what stands in a feed that they take over
    // When set: the scoring log's source offsets are replaced by this number, ever larger, so that
    // nothing that comes again is recognised.
    uint64_t* renumber = nullptr;
  };
  RuleBreakingBus(Bus& bus, MemoryBroker& broker, const Rules& rules)
      : bus_(bus), broker_(broker), rules_(rules) {}

  absl::StatusOr<std::unique_ptr<Producer>> NewProducer(const ProducerOptions& options,
                                                        AckHandler on_ack) override;
  absl::StatusOr<std::unique_ptr<Consumer>> NewConsumer(const ConsumerOptions& options) override;
  absl::StatusOr<std::unique_ptr<OffsetReader>> NewOffsetReader() override {
    return bus_.NewOffsetReader();
  }
  absl::StatusOr<std::vector<std::string>> EnsureTopics(std::span<const TopicSpec> topics,
                                                        Duration timeout) override {
    return bus_.EnsureTopics(topics, timeout);
  }
  absl::StatusOr<int> PartitionCount(std::string_view topic, Duration timeout) override {
    return bus_.PartitionCount(topic, timeout);
  }

 private:
  Bus& bus_;
  MemoryBroker& broker_;
  const Rules rules_;
};

}  // namespace orbweaver
