// Past 400 lines: the driver's time, its processes and what it does to them make sense together
// only.
#include "tests/sim/whole/simulation.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "fmt/format.h"

#include "common/base/check.h"
#include "common/base/random.h"
#include "common/base/status.h"
#include "tests/sim/whole/call_faults.h"
#include "tests/sim/whole/scene.h"
#include "tests/sim/whole/sim_logs.h"
#include "tests/sim/whole/sim_process.h"
#include "tests/sim/whole/sim_run.h"

namespace orbweaver::sim {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

// Rounds in which faults may happen, and those after which a run without them must be at rest.
constexpr int kHostileRounds = 250;
constexpr int kCalmRounds = 6000;
// When nothing happens time runs faster, and faster; not so fast that members of a group are taken
// for dead.
constexpr Duration kFirstWait = milliseconds(20);
constexpr Duration kLongestHostileWait = seconds(8);
constexpr Duration kLongestCalmWait = minutes(10);
constexpr int kDeepest = 2;  // zombies within zombies

std::unique_ptr<Scene> NewScene(SimRun& run, uint64_t seed) {
  switch (run.shape.plan.component) {
    case Component::kWhole:
      return NewWholeScene(run);
    case Component::kStrategy:
      return NewStrategyScene(run, seed);
    case Component::kQueue:
      return NewQueueScene(run, seed);
    case Component::kSpider:
      return NewSpiderScene(run, seed);
  }
  return nullptr;
}

class Simulation {
 public:
  Simulation(uint64_t seed, const FaultPlan& plan)
      : allowed_(plan),
        run_(DrawShape(seed, plan)),
        scene_(NewScene(run_, seed ^ 0x9e3779b97f4a7c15u)),
        random_(seed ^ 0x517cc1b727220a95u),
        faults_(seed ^ 0x2545f4914f6cdd1du),
        seed_(seed) {}

  SimReport Run() {
    report_.plan = shape().plan;
    HostileTime();
    CalmTime();
    for (const auto& process : processes_) process->Kill();
    processes_.clear();
    if (report_.failure.empty()) report_.failure = scene_->Audit();
    report_.digest = DigestOf(run_);
    report_.records = RecordsOf(run_);
    report_.visits = scene_->Visits();
    return std::move(report_);
  }

 private:
  const Shape& shape() const { return run_.shape; }
  ManualClock& clock() { return run_.world.clock; }
  bool failed() const { return !report_.failure.empty(); }

  // ---- Time.

  void HostileTime() {
    for (size_t i = 0; i < kSingleFaultKinds; ++i) {
      const auto kind = static_cast<FaultKind>(i);
      if (shape().plan.Has(kind)) single_kinds_.push_back(kind);
    }
    faults_left_ = single_kinds_.empty() ? 0 : shape().faults;
    DrawNextFault();
    Duration wait = kFirstWait;
    int quiet = 0;
    for (int round = 0; (round < kHostileRounds || scene_->HasMore()) && !failed(); ++round) {
      const uint64_t before = Activity();
      StartMissing();
      Round();
      const bool is_quiet = Activity() == before;
      wait = is_quiet ? std::min(2 * wait, kLongestHostileWait) : kFirstWait;
      quiet = is_quiet ? quiet + 1 : 0;
      if (quiet > 2 && IsAtRest()) break;
      clock().Advance(
          Duration(static_cast<int64_t>(random_.Below(static_cast<uint64_t>(wait.count())) + 1)));
    }
    faults_left_ = 0;
  }

  // All faults are over: what is left is done, and then nothing moves any more.
  void CalmTime() {
    calm_ = true;
    if (bus_back_at_) EndOutage();
    for (const auto& process : processes_) {
      if (process->role() == Role::kSpider && process->has_core()) run_.SpiderLost();
      process->Kill();
    }
    processes_.clear();
    clock().Advance(shape().session_timeout * 2);
    Duration wait = kFirstWait;
    int quiet = 0;
    for (int round = 0; round < kCalmRounds && !failed(); ++round) {
      const uint64_t before = Activity();
      StartMissing();
      Round();
      const bool is_quiet = Activity() == before;
      wait = is_quiet ? std::min(2 * wait, kLongestCalmWait) : kFirstWait;
      quiet = is_quiet ? quiet + 1 : 0;
      if (quiet > 2 && IsAtRest()) return;
      clock().Advance(wait);
    }
    if (!failed()) report_.failure = "does not come to rest: " + UnreadOf(run_);
  }

  // Each process once, in any order.
  void Round() {
    if (bus_back_at_ && clock().Now() >= *bus_back_at_) EndOutage();
    run_.late_puts.Land(clock().Now(), &run_.world.tables);
    // An operator waits until nobody stands still.
    const bool acts = depth_ == 0 || shape().plan.component != Component::kWhole;
    if (acts && !bus_back_at_) scene_->Act(calm_);
    std::vector<int> numbers;
    for (const auto& process : processes_) numbers.push_back(process->number());
    for (size_t i = numbers.size(); i > 1; --i) {
      std::swap(numbers[i - 1], numbers[random_.Below(i)]);
    }
    for (const int number : numbers) {
      if (failed()) return;
      if (SimProcess* const process = Find(number)) StepOne(*process);
    }
  }

  SimProcess* Find(int number) {
    for (const auto& process : processes_) {
      if (process->number() == number) return process.get();
    }
    return nullptr;
  }

  void StepOne(SimProcess& process) {
    if (process.stepping() || clock().Now() < process.asleep_until) return;
    ++report_.steps;
    if (!calm_) clock().Advance(milliseconds(random_.Below(20)));
    const bool had_core = process.has_core();
    const uint64_t lost_commits = process.worker().lost_commits();
    const bool stays = process.closing ? !process.Close() : process.Step();
    for (uint64_t i = lost_commits; i < process.worker().lost_commits(); ++i) run_.SpiderLost();
    if (process.role() == Role::kSpider && had_core && !process.has_core()) {
      run_.SpiderLost();
      scene_->SpiderLeft(process.number());
    }
    CheckBounds(process);
    // A zombie that has learnt that it was replaced.
    const bool is_spare = process.replaced && had_core && !process.has_core();
    if (!stays || is_spare) Bury(process);
  }

  void Bury(SimProcess& process) {
    if (!process.failure().empty() && !failed()) report_.failure = process.failure();
    if (process.role() == Role::kSpider) run_.SpiderLost();
    std::erase_if(processes_, [&](const auto& one) { return one.get() == &process; });
  }

  void CheckBounds(SimProcess& process) {
    if (failed()) return;
    if (!process.dead()) report_.failure = process.worker().ExceededBound();
    if (failed()) return;
    report_.failure = scene_->Breach();
  }

  // Grows with everything that happens.
  uint64_t Activity() { return scene_->Visits() + RecordsOf(run_); }

  bool IsAtRest() {
    if (bus_back_at_ || scene_->HasMore() || !run_.late_puts.empty()) return false;
    for (const auto& process : processes_) {
      if (process->stepping() || process->closing) return false;
      if (process->role() == Role::kDbWorker && !process->worker().IsDrained()) return false;
    }
    return UnreadOf(run_).empty();
  }

  // ---- Processes.

  int Wanted(Role role) const {
    switch (role) {
      case Role::kSpider:
        return shape().spiders;
      case Role::kStrategyWorker:
        return shape().strategy_workers;
      case Role::kDbWorker:
        return shape().db_workers;
    }
    return 0;
  }

  // A frozen process is not replaced: nobody but the simulation knows that it is frozen.
  void StartMissing() {
    for (const Role role : kRoles) {
      for (int slot = 0; slot < Wanted(role); ++slot) {
        const bool is_there =
            std::any_of(processes_.begin(), processes_.end(), [&](const auto& process) {
              return process->role() == role && process->slot() == slot;
            });
        if (!is_there && (calm_ || random_.Chance(0.5))) Start(role, slot);
      }
    }
  }

  void Start(Role role, int slot) {
    SimProcessOptions options{.role = role,
                              .number = next_number_++,
                              .slot = slot,
                              .strategy = swapped_ ? shape().next_strategy : shape().strategy};
    // Of its own, so that what one process does changes no other's faults.
    Random random(synthetic::Mix(seed_, static_cast<uint64_t>(options.number)));
    options.seed = random();
    if (calm_) {
      options.session_timeout = hours(24);
    } else {
      options.session_timeout = shape().session_timeout;
      DrawCallFaults(shape(), random, &options);
      options.dies_at = [this, number = options.number](std::string_view point) {
        return AtPoint(number, point);
      };
    }
    processes_.push_back(
        std::make_unique<SimProcess>(SimSurroundings{.shape = shape(),
                                                     .world = run_.world,
                                                     .web = scene_->web(),
                                                     .late_puts = run_.late_puts,
                                                     .numbered_messages = run_.numbered_messages},
                                     std::move(options)));
  }

  // ---- Single faults.

  void DrawNextFault() { next_fault_in_ = 1 + faults_.Below(shape().most_between_faults); }

  // Between any two actions of a process: whether it dies there.
  bool AtPoint(int number, std::string_view point) {
    // Almost all points of a take-over of one among several partitions are scans.
    if (calm_ || depth_ == kDeepest || faults_left_ == 0) return false;
    if (shape().partitions > 1 && point.ends_with("scan") && !random_.Chance(0.01)) return false;
    if (--next_fault_in_ > 0) return false;
    DrawNextFault();
    SimProcess* const process = Find(number);
    if (process == nullptr) return false;  // it is being made
    const FaultKind kind = single_kinds_[faults_.Below(single_kinds_.size())];
    const uint64_t detail = faults_();
    --faults_left_;
    const int fault = next_fault_++;
    if (allowed_.skipped.contains(fault)) return false;
    ++report_.faults;
    Random random(detail);
    return Happen(kind, fault, *process, point, random);
  }

  bool Happen(FaultKind kind, int fault, SimProcess& process, std::string_view point,
              Random& random) {
    const auto tell = [&](std::string text) {
      report_.trace.push_back(
          {.number = fault,
           .text = fmt::format("{:9.3f} s  #{:<3} {}: {}", Seconds(), fault, NameOf(kind), text)});
    };
    switch (kind) {
      case FaultKind::kKill:
        tell(fmt::format("{} dies {}", process.Name(), point));
        return true;
      case FaultKind::kFreeze:
        Freeze(process, point, random, tell);
        return process.dead();
      case FaultKind::kSleep: {
        const auto time = seconds(5 + random.Below(90));
        process.asleep_until = clock().Now() + time;
        if (process.role() == Role::kSpider) NoteZombieSpider();
        tell(fmt::format("{} is not scheduled for {} s after this step", process.Name(),
                         time.count()));
        return false;
      }
      case FaultKind::kRestart:
        process.closing = true;
        tell(fmt::format("{} is stopped", process.Name()));
        return false;
      case FaultKind::kClockJump: {
        const auto by = milliseconds(static_cast<int64_t>(random.Below(600'000)) - 300'000);
        process.clock().Jump(by);
        run_.clocks_jumped = true;
        tell(fmt::format("the clock of {} is set by {} ms", process.Name(), by.count()));
        return false;
      }
      case FaultKind::kStrategySwap:
        if (swapped_) return false;
        swapped_ = run_.strategy_swapped = true;
        for (const auto& one : processes_) {
          one->closing |= one->role() == Role::kStrategyWorker;
        }
        tell(fmt::format("from {} to {}", shape().strategy.name, shape().next_strategy.name));
        return false;
      case FaultKind::kOutage: {
        if (bus_back_at_) return false;
        const auto longest = static_cast<uint64_t>(
            std::chrono::duration_cast<seconds>(shape().longest_outage).count());
        const auto time = seconds(10 + random.Below(longest - 10));
        bus_back_at_ = clock().Now() + time;
        run_.world.broker.SetAvailable(false);
        tell(fmt::format("the bus is away for {} s", time.count()));
        return false;
      }
      default:
        scene_->Happen(kind, random, tell);
        return false;
    }
  }

  void EndOutage() {
    bus_back_at_.reset();
    run_.world.broker.SetAvailable(true);
    if (shape().longest_outage < shape().session_timeout) return;
    // Their group has heard of none of them.
    for (const auto& process : processes_) {
      if (process->role() == Role::kSpider && process->has_core()) run_.SpiderLost();
    }
  }

  double Seconds() {
    return std::chrono::duration<double>(clock().Now().time_since_epoch()).count();
  }

  void NoteZombieSpider() {
    run_.zombie_spiders = true;
    run_.SpiderLost();
  }

  // It is not dead, only slow: another one does its work meanwhile, and then it goes on.
  void Freeze(SimProcess& process, std::string_view point, Random& random,
              const std::function<void(std::string)>& tell) {
    const int depth = depth_;
    // A spider that is frozen between its last check and the request itself sends the request in
    // any case: so not for long, and nobody else is frozen for long meanwhile.
    const bool is_asking = point == "before fetch";
    depth_ = is_asking ? kDeepest : depth + 1;
    const bool for_long = random.Chance(0.8) && !is_asking;
    const uint64_t rounds = is_asking ? 1 : 1 + random.Below(25);
    // Often it goes on when its successor has only just begun.
    const bool till_succeeded = for_long && random.Chance(0.6);
    uint64_t successors_rounds = random.Below(3);
    const size_t markers = MarkersOf(run_);
    if (process.role() == Role::kSpider) NoteZombieSpider();
    tell(fmt::format("{} stands still {}{}, for {} rounds", process.Name(), point,
                     for_long ? ", and is taken for dead" : "", rounds));
    if (for_long) {
      clock().Advance(shape().session_timeout + seconds(5));
      // Nobody else was heard of either.
      for (const auto& one : processes_) {
        if (one->role() == Role::kSpider && one->has_core()) run_.SpiderLost();
      }
    }
    // Two living spiders of one name take their domains from each other in the middle of fetches.
    const bool may_be_replaced = process.role() != Role::kSpider || !shape().named_members;
    if (random.Chance(0.7) && !is_asking && may_be_replaced) {
      process.replaced = true;
      Start(process.role(), process.slot());
    }
    for (uint64_t round = 0; round < rounds && !failed(); ++round) {
      if (till_succeeded && MarkersOf(run_) > markers && successors_rounds-- == 0) break;
      Round();
      clock().Advance(milliseconds(random.Below(1500)));
    }
    depth_ = depth;
    // Often those who took over have not done much, and may die of it.
    if (for_long && process.role() != Role::kSpider) KillSome(process.role(), random);
    if (for_long && random.Chance(0.2)) process.Kill();
    tell(fmt::format("{} {}", process.Name(), process.dead() ? "dies" : "goes on"));
  }

  void KillSome(Role role, Random& random) {
    std::erase_if(processes_, [&](const auto& one) {
      return one->role() == role && !one->stepping() && random.Chance(0.3);
    });
  }

  const FaultPlan allowed_;
  SimRun run_;
  const std::unique_ptr<Scene> scene_;
  Random random_;  // who runs when
  Random faults_;  // what goes wrong
  const uint64_t seed_;
  SimReport report_;

  std::vector<std::unique_ptr<SimProcess>> processes_;
  int next_number_ = 0;
  bool calm_ = false;
  bool swapped_ = false;
  std::vector<FaultKind> single_kinds_;
  int faults_left_ = 0;
  uint64_t next_fault_in_ = 0;
  int next_fault_ = 0;
  int depth_ = 0;  // of frozen processes
  std::optional<SteadyTime> bus_back_at_;
};

}  // namespace

SimReport Simulate(uint64_t seed, const FaultPlan& plan) { return Simulation(seed, plan).Run(); }

}  // namespace orbweaver::sim
