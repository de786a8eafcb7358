#include "tests/sim/strategy_worker_sim.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "common/base/random.h"
#include "common/base/simulated_process.h"
#include "common/base/status.h"
#include "common/bus/topics.h"
#include "common/runtime/step_loop.h"
#include "strategy_worker/states/packed_state_store.h"
#include "tests/sim/switched_off.h"
#include "tests/support/strategy_world.h"

namespace orbweaver {
namespace {

constexpr int kPartitions = 4;
constexpr int kWorkers = 2;
constexpr Duration kLong = std::chrono::minutes(1);

class Simulation {
 public:
  Simulation(uint64_t seed, SwitchedOff rule, SimCrawl& crawl)
      : seed_(seed), rule_(rule), random_(seed), crawl_(crawl), world_(kPartitions) {
    faults_left_ = 3 + static_cast<int>(random_.Below(8));
  }

  SimResult Run() {
    for (auto& worker : workers_) worker = StartWorker();
    int to_append = 90;
    for (int step = 0; to_append > 0 || step < 400; ++step) {
      if (to_append > 0 && random_.Chance(0.4)) --to_append, crawl_.Append(world_, random_);
      StepSomeone();
      if (random_.Chance(0.02)) world_.clock.Advance(std::chrono::seconds(random_.Below(60)));
    }
    faults_left_ = 0;
    for (auto& worker : workers_) Kill(worker);
    world_.clock.Advance(std::chrono::minutes(5));
    RunCleanWorker();
    if (result_.failure.empty()) {
      result_.failure = crawl_.Audit(world_, {.epochs = rule_ != SwitchedOff::kEpochs,
                                              .watermarks = rule_ != SwitchedOff::kWatermarks});
    }
    if (!result_.failure.empty()) {
      result_.failure = "seed " + std::to_string(seed_) + ", " + result_.failure;
    }
    result_.take_overs = static_cast<int>(Count("orbweaver_strategy_take_overs_total"));
    result_.resent = static_cast<int>(Count("orbweaver_strategy_resent_total"));
    result_.replayed = static_cast<int>(Count("orbweaver_strategy_replayed_total"));
    return result_;
  }

 private:
  struct Worker {
    int number = 0;
    std::unique_ptr<SimulatedProcess> process;
    std::unique_ptr<MemoryBus> memory_bus;
    std::unique_ptr<Bus> bus;
    std::unique_ptr<MemoryStore> memory_store;
    std::unique_ptr<Store> store;
    std::unique_ptr<Strategy> strategy;
    std::unique_ptr<StrategyCore> core;
    bool is_stepping = false;
  };

  std::unique_ptr<Worker> StartWorker() {
    auto worker = std::make_unique<Worker>();
    worker->number = next_number_++;
    Worker* const self = worker.get();
    worker->process = std::make_unique<SimulatedProcess>(
        [this, self](std::string_view) { return DiesHere(self); });
    const bool troubled = random_.Chance(0.7);
    worker->memory_bus = std::make_unique<MemoryBus>(
        &world_.broker,
        MemoryBusOptions{.process = worker->process.get(),
                         .faults = troubled ? DrawBusFaults() : BusFaults{.seed = random_()}});
    worker->memory_store = std::make_unique<MemoryStore>(
        &world_.tables, MemoryStoreOptions{.virtual_time = &world_.clock,
                                           .process = worker->process.get(),
                                           .faults = troubled ? DrawStoreFaults() : StoreFaults{}});
    worker->strategy = crawl_.NewStrategy(random_());
    BreakRule(worker.get());
    BuildCore(worker.get());
    return worker;
  }

  BusFaults DrawBusFaults() {
    return {.seed = random_(),
            .max_append_delay = std::chrono::milliseconds(random_.Below(300)),
            .max_ack_delay = std::chrono::milliseconds(random_.Below(300)),
            .lost_record = random_.Chance(0.3) ? 0.01 : 0,
            .max_latency = std::chrono::milliseconds(random_.Below(100)),
            .unavailable = random_.Chance(0.5) ? 0.03 : 0,
            .lost_answer = random_.Chance(0.5) ? 0.05 : 0,
            .rebalance = random_.Chance(0.5) ? 0.04 : 0,
            .eviction = random_.Chance(0.3) ? 0.03 : 0,
            .mix_partitions = random_.Chance(0.5)};
  }
  StoreFaults DrawStoreFaults() {
    return {.seed = random_(),
            .max_latency = std::chrono::milliseconds(random_.Below(100)),
            .unavailable = random_.Chance(0.5) ? 0.05 : 0,
            .lost_answer = random_.Chance(0.5) ? 0.05 : 0,
            .shuffle_writes = random_.Chance(0.5)};
  }

  void BreakRule(Worker* worker) {
    if (rule_ == SwitchedOff::kVersions) {
      worker->store = std::make_unique<WithoutVersions>(*worker->memory_store, &last_version_);
    }
    RuleBreakingBus::Rules rules;
    rules.commit_fencing = rule_ != SwitchedOff::kCommitFencing;
    rules.await_acks = rule_ != SwitchedOff::kAwaitAcks;
    rules.commit_last = rule_ != SwitchedOff::kCommitLast;
    worker->bus = std::make_unique<RuleBreakingBus>(*worker->memory_bus, world_.broker, rules);
  }

  void BuildCore(Worker* worker) {
    worker->core.reset();
    Store& store = worker->store != nullptr ? *worker->store : *worker->memory_store;
    StrategyWorld::Worker parts;
    parts.bus = worker->bus.get();
    parts.store = &store;
    parts.member = "";
    // Small enough that domains come and go.
    parts.state_options = {.cache_bytes = random_.Chance(0.5) ? uint64_t{2000} : uint64_t{1} << 20,
                           .inline_bytes = random_.Below(300),
                           .max_deltas = 1 + random_.Below(4),
                           .shard_urls = 4 + random_.Below(20)};
    parts.options.batch_events = 1 + random_.Below(12);
    parts.options.store_timeout = std::chrono::milliseconds(random_.Chance(0.3) ? 80 : 5000);
    parts.options.bus_timeout = std::chrono::milliseconds(random_.Chance(0.3) ? 200 : 5000);
    if (rule_ == SwitchedOff::kOutbox) {
      parts.states = std::make_unique<WithoutOutbox>(std::make_unique<PackedStateStore>(
          store, world_.clock, parts.state_options, world_.state_metrics));
    }
    parts.scope = crawl_.Scope(world_);
    worker->core = world_.NewCore(*worker->strategy, std::move(parts));
  }

  // At a crash point of `self`, in the middle of its step.
  bool DiesHere(Worker* self) {
    if (faults_left_ <= 0 || !random_.Chance(0.01)) return false;
    --faults_left_;
    if (random_.Chance(0.4)) {
      ++result_.kills;
      return true;
    }
    // Not dead, only slow: others go on, take its partitions, and then it continues as a zombie.
    ++result_.freezes;
    if (random_.Chance(0.8)) world_.clock.Advance(std::chrono::seconds(50));
    for (uint64_t steps = random_.Below(60); steps > 0; --steps) StepSomeone();
    // A worker that took over may be killed before it has done much.
    for (auto& worker : workers_) {
      if (worker != nullptr && !worker->is_stepping && random_.Chance(0.3)) Kill(worker);
    }
    return random_.Chance(0.2) || self->process->dead();
  }

  void StepSomeone() {
    auto& worker = workers_[random_.Below(kWorkers)];
    if (worker == nullptr) {
      worker = StartWorker();
    } else if (!worker->is_stepping) {
      StepOne(worker);
    }
  }

  void StepOne(std::unique_ptr<Worker>& slot) {
    Worker* const worker = slot.get();
    worker->is_stepping = true;
    bool dies = false;
    try {
      const auto worked = worker->core->Step(Duration::zero());
      const CoreFate fate = FateAfter(worked.status());
      if (fate == CoreFate::kWaits) {
        world_.clock.Advance(std::chrono::milliseconds(50));
      } else if (fate != CoreFate::kGoesOn) {
        if (fate == CoreFate::kEndsTheProcess) Suspect(worked.status());
        ++result_.rebuilds;
        BuildCore(worker);
      }
    } catch (const SimulatedCrash&) {
      dies = true;
    }
    worker->is_stepping = false;
    if (dies) Kill(slot);
  }

  // No fault of this world is one that a process may end for.
  void Suspect(const absl::Status& status) {
    if (rule_ == SwitchedOff::kNothing && result_.failure.empty()) {
      result_.failure = "fatal: " + std::string(MessageOf(status));
    }
  }

  void Kill(std::unique_ptr<Worker>& worker) {
    if (worker == nullptr) return;
    worker->process->Kill();
    worker.reset();
  }

  void RunCleanWorker() {
    const std::unique_ptr<Strategy> strategy = crawl_.NewStrategy(random_());
    const auto core = world_.NewCore(*strategy, {.member = "clean", .scope = crawl_.Scope(world_)});
    for (int round = 0; round < 100; ++round) {
      world_.clock.Advance(std::chrono::seconds(1));
      if (const absl::Status status = world_.RunUntilIdle(*core); !status.ok()) {
        result_.failure = "the clean worker failed: " + status.ToString();
        return;
      }
      if (IsAllCommitted()) break;
    }
    if (!IsAllCommitted()) result_.failure = "the clean worker did not finish";
  }

  bool IsAllCommitted() {
    auto offsets = *world_.bus.NewOffsetReader();
    for (int p = 0; p < kPartitions; ++p) {
      const PartitionId partition(p);
      const auto committed =
          offsets->Committed("strategy-workers", kSpiderLogTopic, {&partition, 1}, kLong);
      const Offset end = world_.EndOf(kSpiderLogTopic, partition);
      const bool none = !(*committed)[0].has_value();
      if (none ? end != Offset(0) : (*committed)[0]->offset != end) return false;
    }
    return true;
  }

  uint64_t Count(const char* counter) {
    return world_.metrics.AddCounter(counter, HelpOf(counter)).value();
  }
  // The registry insists on the same help.
  static const char* HelpOf(std::string_view counter) {
    if (counter.find("take_overs") != std::string_view::npos) {
      return "Partitions taken over by a marker";
    }
    return counter.find("resent") != std::string_view::npos
               ? "Messages of an earlier owner that were sent again"
               : "Events that were in their domain's row already";
  }

  const uint64_t seed_;
  const SwitchedOff rule_;
  Random random_;
  SimCrawl& crawl_;
  StrategyWorld world_;
  std::unique_ptr<Worker> workers_[kWorkers];
  int next_number_ = 0;
  int faults_left_ = 0;
  uint64_t last_version_ = 0;
  SimResult result_;
};

}  // namespace

SimResult SimulateStrategyWorkers(uint64_t seed, SimCrawl& crawl, SwitchedOff rule) {
  return Simulation(seed, rule, crawl).Run();
}

}  // namespace orbweaver
