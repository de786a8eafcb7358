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
#include "common/bus/topics.h"
#include "common/store/memory/memory_store.h"
#include "common/url/partition.h"
#include "db_worker/queue/columns.h"
#include "db_worker/queue/head.h"
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
// Actions of processes between two single faults, at most.
constexpr uint64_t kMostBetweenFaults = 300;
constexpr int kDeepest = 2;  // zombies within zombies
constexpr std::string_view kTopics[] = {kSpiderLogTopic, kScoringLogTopic, kSpiderFeedTopic};

class Simulation {
 public:
  Simulation(uint64_t seed, const FaultPlan& plan)
      : allowed_(plan),
        run_(DrawShape(seed, plan)),
        random_(seed ^ 0x517cc1b727220a95u),
        faults_(seed ^ 0x2545f4914f6cdd1du),
        seed_(seed) {}

  SimReport Run() {
    report_.plan = shape().plan;
    AppendSeeds();
    HostileTime();
    CalmTime();
    for (const auto& process : processes_) process->Kill();
    processes_.clear();
    if (report_.failure.empty()) report_.failure = Audit(run_);
    report_.digest = DigestOf(run_);
    report_.visits = run_.server.visits();
    return std::move(report_);
  }

 private:
  const Shape& shape() const { return run_.shape; }
  ManualClock& clock() { return run_.world.clock; }
  bool failed() const { return !report_.failure.empty(); }

  // All, or those of a domain.
  void AppendSeeds(const std::optional<std::string>& only = {}) {
    for (const std::string& url : run_.server.Seeds()) {
      const std::string domain = run_.server.DomainOf(url);
      if (only.has_value() && domain != *only) continue;
      const Seed seed{.url = url};
      run_.world.Append({.domain = domain, .event = Seeds{.seeds = {&seed, 1}}});
    }
  }

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
    for (int round = 0; round < kHostileRounds && !failed(); ++round) {
      const uint64_t before = Activity();
      StartMissing();
      Operate();
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
      Operate();
      Round();
      const bool is_quiet = Activity() == before;
      wait = is_quiet ? std::min(2 * wait, kLongestCalmWait) : kFirstWait;
      quiet = is_quiet ? quiet + 1 : 0;
      if (quiet > 2 && IsAtRest()) return;
      clock().Advance(wait);
    }
    if (!failed()) report_.failure = "does not come to rest: " + Unrest();
  }

  // Each process once, in any order.
  void Round() {
    if (bus_back_at_ && clock().Now() >= *bus_back_at_) EndOutage();
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
      // It has left its group in the middle of its fetches, and whoever has their domains next does
      // not know of them (docs/status.md): they are not held against it.
      run_.server.Disconnect(process.number());
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
    const int64_t outstanding = MostOutstanding(run_);
    if (outstanding > shape().db_worker.feed.target_lag) {
      report_.failure = fmt::format("a feed has {} requests that no spider has done", outstanding);
    }
  }

  // Grows with everything that happens.
  uint64_t Activity() {
    uint64_t sum = run_.server.visits();
    absl::MutexLock lock(&run_.world.broker.mutex);
    for (const std::string_view topic : kTopics) {
      for (int p = 0; p < shape().partitions; ++p) {
        sum += static_cast<uint64_t>(
            (*run_.world.broker.log().Find(topic, PartitionId(p)))->bounds().end.value());
      }
    }
    return sum;
  }

  bool IsAtRest() {
    if (block_ || to_purge_ || url_order_ || bus_back_at_) return false;
    for (const auto& process : processes_) {
      if (process->stepping() || process->closing) return false;
      if (process->role() == Role::kDbWorker && !process->worker().IsDrained()) return false;
    }
    return Unrest().empty();
  }

  // Logs that are not read to their ends.
  std::string Unrest() {
    constexpr std::pair<std::string_view, std::string_view> kReaders[] = {
        {kStrategyWorkerGroup, kSpiderLogTopic},
        {kDbWorkerGroup, kScoringLogTopic},
        {kSpiderGroup, kSpiderFeedTopic}};
    std::string unrest;
    absl::MutexLock lock(&run_.world.broker.mutex);
    for (const auto& [group, topic] : kReaders) {
      for (int p = 0; p < shape().partitions; ++p) {
        const PartitionId partition(p);
        const Offset end = (*run_.world.broker.log().Find(topic, partition))->bounds().end;
        const auto& committed = (*run_.world.broker.Group(group, topic))->committed(partition);
        const Offset done = committed ? committed->offset : Offset(0);
        if (done == end) continue;
        unrest += fmt::format("{} {}: {} of {}; ", topic, p, done, end);
      }
    }
    return unrest;
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
      DrawBusFaults(random, &options.bus_faults);
      // A spider counts as dead only after a silence longer than a fetch: freezes and sleeps cause
      // that.
      if (role == Role::kSpider) options.bus_faults.eviction = 0;
      DrawStoreFaults(random, &options.store_faults);
      options.dies_at = [this, number = options.number](std::string_view point) {
        return AtPoint(number, point);
      };
    }
    processes_.push_back(std::make_unique<SimProcess>(
        SimSurroundings{.shape = shape(), .world = run_.world, .server = run_.server},
        std::move(options)));
  }

  void DrawBusFaults(Random& random, BusFaults* faults) const {
    const FaultPlan& plan = shape().plan;
    *faults = {.seed = random(),
               .max_append_delay = milliseconds(random.Below(300)),
               .max_ack_delay = milliseconds(random.Below(300)),
               .lost_record = random.Unit() * 0.004,
               .max_latency = milliseconds(random.Below(100)),
               .unavailable = random.Unit() * 0.03,
               .lost_answer = random.Unit() * 0.05,
               .rebalance = random.Unit() * 0.02,
               .eviction = random.Unit() * 0.01,
               .mix_partitions = random.Chance(0.5),
               .late_resume = random.Chance(0.5) ? 0.5 : 0};
    if (!plan.Has(FaultKind::kDelays)) {
      faults->max_append_delay = faults->max_ack_delay = faults->max_latency = {};
      faults->late_resume = 0;
    }
    if (!plan.Has(FaultKind::kLostRecords)) faults->lost_record = 0;
    if (!plan.Has(FaultKind::kBusErrors)) faults->unavailable = faults->lost_answer = 0;
    if (!plan.Has(FaultKind::kRebalances)) faults->rebalance = faults->eviction = 0;
  }

  void DrawStoreFaults(Random& random, StoreFaults* faults) const {
    const FaultPlan& plan = shape().plan;
    // With several partitions a take-over is thousands of scans.
    const double often = shape().partitions == 1 ? 1 : 0.01;
    *faults = {.seed = random(),
               .max_latency = milliseconds(random.Below(20)),
               .row_time = milliseconds(random.Chance(0.2) ? random.Below(300) : 0),
               .unavailable = random.Unit() * 0.03 * often,
               .lost_answer = random.Unit() * 0.05 * often,
               .shuffle_writes = true};
    if (!plan.Has(FaultKind::kDelays) || shape().partitions > 1) faults->max_latency = {};
    if (!plan.Has(FaultKind::kDelays)) faults->row_time = {};
    if (!plan.Has(FaultKind::kStoreErrors)) faults->unavailable = 0;
    if (!plan.Has(FaultKind::kPartialWrites)) {
      faults->lost_answer = 0;
      faults->shuffle_writes = false;
    }
  }

  // ---- Single faults.

  void DrawNextFault() { next_fault_in_ = 1 + faults_.Below(kMostBetweenFaults); }

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
      case FaultKind::kRobotsChange:
        tell(run_.server.ChangeRobots(random));
        return false;
      case FaultKind::kBlock: {
        if (block_) return false;
        const std::vector<std::string> domains = run_.server.Domains();
        block_.emplace(Block{.domain = domains[random.Below(domains.size())],
                             .lasts = seconds(5 + random.Below(120)),
                             .lifted_after = seconds(1 + random.Below(100))});
        tell(fmt::format("{} for {} s, lifted after {} s", block_->domain, block_->lasts.count(),
                         block_->lifted_after.count()));
        return false;
      }
      case FaultKind::kPurge: {
        const std::vector<std::string> domains = run_.server.Domains();
        to_purge_ = domains[random.Below(domains.size())];
        tell(*to_purge_);
        return false;
      }
      case FaultKind::kUrlOrder: {
        const synthetic::Place place{
            .host = static_cast<uint32_t>(random.Below(shape().web.hosts)),
            .number = static_cast<uint32_t>(random.Below(shape().web.pages_per_host)),
            .kind = synthetic::Place::Kind::kPage};
        url_order_.emplace(UrlToOrder{.url = run_.server.web().paths().UrlOf(place),
                                      .fetch_again = random.Chance(0.7),
                                      .after = seconds(random.Below(2) * random.Below(120))});
        tell(fmt::format("{} {} after {} s", url_order_->fetch_again ? "again" : "raise",
                         url_order_->url, url_order_->after.count()));
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
        const auto time = seconds(10 + random.Below(600));
        bus_back_at_ = clock().Now() + time;
        run_.world.broker.SetAvailable(false);
        tell(fmt::format("the bus is away for {} s", time.count()));
        return false;
      }
      default:
        return false;
    }
  }

  void EndOutage() {
    bus_back_at_.reset();
    run_.world.broker.SetAvailable(true);
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
    const size_t markers = Markers();
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
      if (till_succeeded && Markers() > markers && successors_rounds-- == 0) break;
      Round();
      clock().Advance(milliseconds(random.Below(1500)));
    }
    depth_ = depth;
    tell(fmt::format("{} goes on", process.Name()));
  }

  // How often a partition was taken over.
  size_t Markers() {
    size_t count = 0;
    absl::MutexLock lock(&run_.world.broker.mutex);
    for (const std::string_view topic : {kScoringLogTopic, kSpiderFeedTopic}) {
      for (int p = 0; p < shape().partitions; ++p) {
        const PartitionLog& log = **run_.world.broker.log().Find(topic, PartitionId(p));
        for (Offset offset(0); offset < log.bounds().end; ++offset) {
          if (log.At(offset)->key.empty()) ++count;
        }
      }
    }
    return count;
  }

  // ---- The operator.

  struct Block {
    std::string domain;
    seconds lasts;
    seconds lifted_after;
    // Once it was ordered.
    WallTime until{};
    SteadyTime lift_at{};
    // Once it is in the queue's row, the end of the scoring log then: a replaced owner may have put
    // it, so it holds when the group has read up to there.
    std::optional<Offset> in_row_at;
    // Once it holds: its place in SimRun::blocks.
    std::optional<size_t> index;
  };

  struct UrlToOrder {
    std::string url;
    bool fetch_again;
    seconds after;  // none: now
  };

  void Operate() {
    if (bus_back_at_) return;
    if (url_order_) OrderUrl();
    if (to_purge_) {
      Order(*to_purge_, {.purge = true});
      run_.purged.insert(*to_purge_);
      AppendSeeds(to_purge_);  // it is to be crawled after all
      to_purge_.reset();
    }
    if (!block_) return;
    const WallTime now = clock().Wall();
    if (block_->until == WallTime()) {
      block_->until = now + block_->lasts;
      block_->lift_at = clock().Now() + block_->lifted_after;
      Order(block_->domain, {.blocked_until = block_->until});
      return;
    }
    if (!block_->index && Holds()) {
      block_->index = run_.blocks.size();
      run_.blocks.push_back({.domain = block_->domain, .from = now, .until = block_->until});
    }
    if (!calm_ && clock().Now() < block_->lift_at) return;
    if (block_->index) {
      WallTime& until = run_.blocks[*block_->index].until;
      until = std::min(until, now);
    }
    Order(block_->domain, {.blocked_until = WallTime()});
    block_.reset();
  }

  void OrderUrl() {
    const std::string domain = run_.server.DomainOf(url_order_->url);
    const bool is_now = url_order_->after == seconds(0);
    run_.world.Append(
        {.domain = domain,
         .event =
             UrlOrder{.url = url_order_->url,
                      .score = 1,
                      .fetch_again = url_order_->fetch_again,
                      .not_before = is_now ? WallTime() : clock().Wall() + url_order_->after}});
    if (url_order_->fetch_again) ++run_.ordered[domain];
    url_order_.reset();
  }

  void Order(const std::string& domain, const DomainOrder& order) {
    run_.world.Append({.domain = domain, .event = order});
  }

  bool Holds() {
    const PartitionId partition = run_.world.PartitionOfDomain(block_->domain);
    if (!block_->in_row_at) {
      if (BlockedUntil(block_->domain) < block_->until) return false;
      block_->in_row_at = run_.world.EndOf(kScoringLogTopic, partition);
    }
    const auto offsets = *run_.world.bus.NewOffsetReader();
    const auto committed =
        *offsets->Committed(kDbWorkerGroup, kScoringLogTopic, {&partition, 1}, minutes(1));
    return committed[0].has_value() && committed[0]->offset >= *block_->in_row_at;
  }

  // As the queue's row says.
  WallTime BlockedUntil(const std::string& domain) {
    MemoryStore store(&run_.world.tables, {});
    const std::string row = DomainRow(domain);
    const std::string_view column = kHeadColumn;
    const RowGet get{.row = row, .columns = {&column, 1}};
    Rows rows;
    CHECK_OK(store.MultiGet(Table::kQueue, {&get, 1}, minutes(1), &rows));
    const Cell* const cell = rows.Find(0, kHeadColumn);
    Head head;
    if (cell != nullptr) CHECK_OK(DecodeHead(cell->value, &head));
    return head.rest.until;
  }

  const FaultPlan allowed_;
  SimRun run_;
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
  int depth_ = 0;               // of frozen processes
  std::optional<Block> block_;  // that an operator is to make, or has made
  std::optional<std::string> to_purge_;
  std::optional<UrlToOrder> url_order_;
  std::optional<SteadyTime> bus_back_at_;
};

}  // namespace

SimReport Simulate(uint64_t seed, const FaultPlan& plan) { return Simulation(seed, plan).Run(); }

}  // namespace orbweaver::sim
