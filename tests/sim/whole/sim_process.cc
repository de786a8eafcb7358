#include "tests/sim/whole/sim_process.h"

#include <utility>

#include "fmt/format.h"

#include "common/base/status.h"

namespace orbweaver::sim {
namespace {

// As the loop of a worker's process waits after an error that passes.
constexpr Duration kPause = std::chrono::milliseconds(100);

}  // namespace

std::string_view NameOf(Role role) {
  constexpr std::string_view kNames[] = {"spider", "strategy-worker", "db-worker"};
  return kNames[static_cast<size_t>(role)];
}

SimProcess::SimProcess(const SimSurroundings& around, SimProcessOptions options)
    : around_(around),
      options_(std::move(options)),
      process_(options_.dies_at),
      clock_(around.world.clock),
      memory_bus_(&around.world.broker, {.process = &process_, .faults = options_.bus_faults}),
      bus_(memory_bus_, around.world.broker, around.shape.plan.planted, around.numbered_messages),
      memory_store_(&around.world.tables, {.virtual_time = &around.world.clock,
                                           .process = &process_,
                                           .faults = options_.store_faults}),
      late_store_(memory_store_, around.late_puts, around.world.clock, options_.late_puts,
                  around.shape.session_timeout * 2, options_.seed),
      store_(late_store_, &around.world.tables, around.shape.plan.planted) {
  worker_ = NewSimWorker({.around = around_,
                          .options = options_,
                          .process = process_,
                          .clock = clock_,
                          .bus = bus_,
                          .store = store_,
                          .metrics = metrics_});
}

SimProcess::~SimProcess() { Kill(); }

std::string SimProcess::Name() const {
  return fmt::format("{}-{} (process {})", NameOf(options_.role), options_.slot, options_.number);
}

bool SimProcess::Step() {
  if (around_.world.clock.Now() < waits_until_) return true;
  Run([this] { return StepCore(); });
  return !dead();
}

absl::Status SimProcess::StepCore() {
  if (core_ != nullptr) return core_->Step();
  ASSIGN_OR_RETURN(core_, worker_->Make());
  return absl::OkStatus();
}

bool SimProcess::Close() {
  if (core_ == nullptr) return true;
  if (around_.world.clock.Now() < waits_until_) return false;
  Run([this] {
    const absl::Status status = core_->Close();
    closed_ = status.ok();
    return status;
  });
  return closed_ || dead();
}

void SimProcess::Run(const std::function<absl::Status()>& action) {
  stepping_ = true;
  try {
    const absl::Status status = action();
    switch (FateAfter(status)) {
      case CoreFate::kGoesOn:
        break;
      case CoreFate::kWaits:
        waits_until_ = around_.world.clock.Now() + kPause;
        break;
      case CoreFate::kIsMadeAnew:
        core_.reset();
        break;
      case CoreFate::kEndsTheProcess:
        // No fault of this world is one that a process may end for.
        failure_ = fmt::format("{} ends: {}", Name(), MessageOf(status));
        Kill();
    }
  } catch (const SimulatedCrash&) {
    Kill();
  }
  stepping_ = false;
}

void SimProcess::Kill() {
  process_.Kill();
  around_.web.Disconnect(options_.number);
}

}  // namespace orbweaver::sim
