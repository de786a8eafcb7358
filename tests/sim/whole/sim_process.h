// One process of a simulation: a worker with its production core, its own connections to bus, store
// and web, and its own faults.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "common/base/clock.h"
#include "common/base/simulated_process.h"
#include "common/bus/memory/memory_bus.h"
#include "common/metrics/metric_registry.h"
#include "common/runtime/step_loop.h"
#include "common/store/memory/memory_store.h"
#include "tests/sim/whole/late_puts.h"
#include "tests/sim/whole/planted_bus.h"
#include "tests/sim/whole/planted_store.h"
#include "tests/sim/whole/shape.h"
#include "tests/sim/whole/sim_web.h"
#include "tests/support/strategy_world.h"

namespace orbweaver::sim {

enum class Role : uint8_t { kSpider, kStrategyWorker, kDbWorker };
inline constexpr Role kRoles[] = {Role::kSpider, Role::kStrategyWorker, Role::kDbWorker};
std::string_view NameOf(Role role);

// The machine's clock: moves with the simulation, and may be set.
class MachineClock : public Clock {
 public:
  explicit MachineClock(const Clock& time) : time_(time) {}
  SteadyTime Now() const override { return time_.Now(); }
  WallTime Wall() const override { return time_.Wall() + set_by_; }
  void Jump(std::chrono::milliseconds by) { set_by_ += by; }

 private:
  const Clock& time_;
  std::chrono::milliseconds set_by_{};
};

// The process's view of the world.
struct SimSurroundings {
  const Shape& shape;
  StrategyWorld& world;
  SimWeb& web;
  LatePuts& late_puts;
  uint64_t& numbered_messages;  // PlantedBus
};

struct SimProcessOptions {
  Role role = Role::kSpider;
  int number = 0;  // among all processes of the run
  int slot = 0;    // which of its role it is; a replacement has the same
  uint64_t seed = 0;
  BusFaults bus_faults;
  StoreFaults store_faults;
  double late_puts = 0;  // the chance of a write to be late
  StrategyOptions strategy;
  Duration session_timeout{};
  // Between any two of its actions: whether it dies there. May step other processes first.
  SimulatedProcess::Hook dies_at;
};

// The role's part of a process: its core.
class SimWorker {
 public:
  virtual ~SimWorker() = default;

  // Makes the core, as the worker's main does, and again after a fence.
  virtual absl::StatusOr<std::unique_ptr<Stepped>> Make() = 0;
  // Empty, or which of its bounds it has exceeded.
  virtual std::string ExceededBound() const { return {}; }
  // How often partitions went to another spider without a last word of what was done of them.
  virtual uint64_t lost_commits() const { return 0; }
  // Nothing waits in the queues that it owns. Only of a db worker with a core.
  virtual bool IsDrained() const { return true; }
};

class SimProcess {
 public:
  SimProcess(const SimSurroundings& around, SimProcessOptions options);
  // Dies without a word.
  ~SimProcess();

  // A step of its loop, or nothing while it waits. False: the process is gone; failure() says why,
  // when it ended by itself.
  bool Step();
  // As after SIGTERM. False while it has to be called again, in a while.
  bool Close();
  void Kill();

  Role role() const { return options_.role; }
  int slot() const { return options_.slot; }
  int number() const { return options_.number; }
  std::string Name() const;
  bool dead() const { return process_.dead(); }
  // In the middle of a step: frozen, while others are stepped.
  bool stepping() const { return stepping_; }
  bool has_core() const { return core_ != nullptr; }
  const SimWorker& worker() const { return *worker_; }
  MachineClock& clock() { return clock_; }
  const std::string& failure() const { return failure_; }

  SteadyTime asleep_until{};  // not scheduled until then
  bool closing = false;
  bool replaced = false;  // another process has its slot

 private:
  // Runs `action`; a crash in it is the end of the process.
  void Run(const std::function<absl::Status()>& action);
  absl::Status StepCore();

  const SimSurroundings around_;
  const SimProcessOptions options_;
  SimulatedProcess process_;
  MachineClock clock_;
  MemoryBus memory_bus_;
  PlantedBus bus_;
  MemoryStore memory_store_;
  LateStore late_store_;
  PlantedStore store_;
  MetricRegistry metrics_;
  std::unique_ptr<SimWorker> worker_;
  std::unique_ptr<Stepped> core_;
  SteadyTime waits_until_{};
  bool stepping_ = false;
  bool closed_ = false;
  std::string failure_;
};

// The objects from which a role makes its worker.
struct WorkerSurroundings {
  const SimSurroundings& around;
  const SimProcessOptions& options;
  SimulatedProcess& process;
  const Clock& clock;
  Bus& bus;
  Store& store;
  MetricRegistry& metrics;
};
std::unique_ptr<SimWorker> NewSimWorker(const WorkerSurroundings& surroundings);

}  // namespace orbweaver::sim
