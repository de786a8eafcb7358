// The world around strategy workers in memory: logs, tables, time; what spiders write into it, and
// what a db worker would read out of it.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/clock.h"
#include "common/bus/memory/memory_bus.h"
#include "common/model/scoring_log.h"
#include "common/model/spider_log.h"
#include "common/protocol/topic_record.h"
#include "common/store/memory/memory_store.h"
#include "common/store/memory/memory_tables.h"
#include "common/url/domain.h"
#include "strategy_worker/core/strategy_core.h"
#include "strategy_worker/host/strategy.h"
#include "strategy_worker/states/state_metrics.h"
#include "strategy_worker/states/state_options.h"

namespace orbweaver {

// A strategy made of functions, in this process. A function that is not set does nothing. Refuses
// decisions as a LoadedStrategy does.
class ScriptedStrategy : public Strategy {
 public:
  struct Call {
    const orbweaver_event& event;
    std::span<const orbweaver_link> links;
    std::span<const orbweaver_state> states;
    std::span<orbweaver_decision> decisions;
    orbweaver_output* output;
  };

  std::string_view name() const override { return name_; }
  uint32_t version() const override { return 1; }
  absl::Status Filter(const orbweaver_event& event, std::span<const orbweaver_link> links,
                      std::span<uint8_t> keep) override {
    return filter ? filter(event, links, keep) : absl::OkStatus();
  }
  absl::Status OnEvent(const orbweaver_event& event, std::span<const orbweaver_link> links,
                       std::span<const orbweaver_state> states,
                       std::span<orbweaver_decision> decisions, orbweaver_output* output) override;
  absl::StatusOr<std::string> Adopt(std::string_view from_name, uint32_t from_version,
                                    std::string_view data) override {
    return adopt ? adopt(from_name, from_version, data) : std::string();
  }
  absl::StatusOr<bool> Finished() override { return false; }

  std::function<absl::Status(const orbweaver_event&, std::span<const orbweaver_link>,
                             std::span<uint8_t>)>
      filter;
  std::function<absl::Status(Call)> on_event;
  std::function<absl::StatusOr<std::string>(std::string_view, uint32_t, std::string_view)> adopt;
  std::string name_ = "scripted";
};

// A request as a db worker reads it, with the event that it came of.
struct ReadRequest {
  std::string domain;
  Offset source_offset;
  std::string url;
  uint32_t depth = 0;
  float score = 0;
  uint32_t attempt = 0;
  int64_t not_before_ms = 0;
  ScheduleAction action = ScheduleAction::kAdd;
  std::string etag, last_modified;
  std::map<std::string, std::string> meta;
  std::string referrer;
};
struct ReadSchedule {
  PartitionId partition;
  std::string domain;
  Offset source_offset;
  uint32_t part = 0;
  std::optional<DomainUpdate> update;
  std::vector<ReadRequest> requests;
};

// The rules by which a scoring log is read; one is not kept only to show that it is needed.
struct ReaderRules {
  bool epochs = true;
  bool watermarks = true;
};

class StrategyWorld {
 public:
  explicit StrategyWorld(int partitions = 1);

  // Appends an entry as a spider would; `key` instead of the entry's domain, where it is given.
  Offset Append(const SpiderLogEntry& entry, std::optional<std::string_view> key = std::nullopt);
  Offset AppendRaw(PartitionId partition, std::string_view key, std::string_view value,
                   std::string_view schema = "orbweaver.v1");
  PartitionId PartitionOfDomain(std::string_view domain) const;

  // Entries of the scoring log that count, in order.
  std::vector<ReadSchedule> ReadScoringLog(const ReaderRules& rules = {});
  std::vector<ReadRequest> ReadRequests(const ReaderRules& rules = {});
  // How many messages stand in a partition.
  Offset EndOf(std::string_view topic, PartitionId partition);
  std::vector<std::string> DeadLetterCauses();

  // A worker of this world; null parts are the world's own.
  struct Worker {
    Bus* bus = nullptr;
    Store* store = nullptr;
    BackgroundWrite* background = nullptr;
    std::string member = "worker";
    StateOptions state_options;
    StrategyWorkerOptions options;
    CrawlScope scope = {};
    Duration session_timeout = ConsumerOptions().session_timeout;
    OnCutLog on_cut_log = OnCutLog::kStop;
  };
  std::unique_ptr<StrategyCore> NewCore(Strategy& strategy, Worker worker);
  // Steps `core` until there is nothing left to do; the first error otherwise.
  absl::Status RunUntilIdle(StrategyCore& core);

  // The store's record and states of a domain.
  std::optional<DomainRecord> RecordOf(std::string_view domain);
  std::optional<LinkState> StateOf(std::string_view domain, std::string_view url);

  ManualClock clock;
  MemoryBroker broker{&clock};
  MemoryBus bus{&broker, {}};
  MemoryTables tables;
  MemoryStore store{&tables, {.virtual_time = &clock}};
  MetricRegistry metrics;
  StateMetrics state_metrics{metrics};
  const std::shared_ptr<const PublicSuffixes> suffixes;  // of all worlds
  TopicRecord topics;

 private:
  std::unique_ptr<StateStore> StatesOf(std::string_view domain, std::string_view url);
  std::unique_ptr<Producer> producer_;
  std::vector<std::unique_ptr<DirectWrite>> writes_;  // one a core
};

}  // namespace orbweaver
