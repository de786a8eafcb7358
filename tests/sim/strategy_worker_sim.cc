#include "tests/sim/strategy_worker_sim.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "common/base/random.h"
#include "common/base/simulated_process.h"
#include "common/base/status.h"
#include "common/bus/topics.h"
#include "common/url/fingerprint.h"
#include "strategy_worker/states/packed_state_store.h"
#include "tests/sim/switched_off.h"
#include "tests/support/strategy_world.h"

namespace orbweaver {
namespace {

constexpr int kPartitions = 4;
constexpr int kWorkers = 2;
constexpr int kDomains = 6;
constexpr int kUrlsPerDomain = 12;
constexpr Duration kLong = std::chrono::minutes(1);

uint64_t Mix(uint64_t a, uint64_t b) {
  Random random(a * 0x9e3779b97f4a7c15u ^ b);
  return random();
}

std::string DomainName(uint64_t i) { return "d" + std::to_string(i) + ".test"; }
std::string UrlOf(const std::string& domain, uint64_t i) {
  return "https://" + domain + "/" + std::to_string(i);
}

// The strategy counts in each state how often it scheduled the URL, so that states alone tell what
// must stand in the log. It decides by event and URL alone, or by chance.
class CountingStrategy : public ScriptedStrategy {
 public:
  CountingStrategy(bool by_chance, uint64_t seed) : random_(seed) {
    on_event = [this, by_chance](Call call) {
      if (call.event.now_ms % 31 == 0) return PoisonError("strategy: does not like this event");
      for (size_t i = 0; i < call.links.size(); ++i) {
        const bool wants = by_chance ? random_.Chance(0.4)
                                     : Wants(call.event.now_ms, call.links[i].fingerprint_low);
        if (wants) Schedule(call.states[i], &call.decisions[i]);
      }
      if (call.event.kind == ORBWEAVER_PAGE) AskForExtra(call);
      return absl::OkStatus();
    };
  }

  static bool Wants(int64_t now_ms, uint64_t fingerprint) {
    return Mix(static_cast<uint64_t>(now_ms), fingerprint) % 10 < 6;
  }
  static uint32_t CountOf(const uint8_t* data) {
    uint32_t count;
    std::memcpy(&count, data, sizeof count);
    return count;
  }
  static std::string ExtraUrl(std::string_view domain, int64_t now_ms) {
    return "https://www." + std::string(domain) + "/extra/" + std::to_string(now_ms);
  }

 private:
  static void Schedule(const orbweaver_state& state, orbweaver_decision* decision) {
    decision->action = ORBWEAVER_SCHEDULE;
    decision->score = 0.5;
    decision->set_data = 1;
    const uint32_t count = CountOf(state.data) + 1;
    std::memcpy(decision->data, &count, sizeof count);
  }
  void AskForExtra(Call call) {
    extra_url_ = ExtraUrl(ToView(call.event.domain_view->name_view), call.event.now_ms);
    extra_ = {};
    extra_.url = ToText(extra_url_);
    Schedule({}, &extra_.decision);
    call.output->requests_kept = &extra_;
    call.output->request_count = 1;
  }

  Random random_;
  std::string extra_url_;
  orbweaver_request extra_;
};

// What must be true in the end, whatever happened.
struct Expected {
  uint64_t fetched = 0, failed = 0, deferred = 0;
  std::map<std::string, uint32_t> scheduled;  // by URL, of a strategy without chance
};

class Simulation {
 public:
  Simulation(uint64_t seed, SwitchedOff rule)
      : seed_(seed), rule_(rule), random_(seed), by_chance_(seed % 2 == 1), world_(kPartitions) {
    faults_left_ = 3 + static_cast<int>(random_.Below(8));
  }

  SimResult Run() {
    for (auto& worker : workers_) worker = StartWorker();
    int to_append = 90;
    for (int step = 0; to_append > 0 || step < 400; ++step) {
      if (to_append > 0 && random_.Chance(0.4)) --to_append, AppendEvent();
      StepSomeone();
      if (random_.Chance(0.02)) world_.clock.Advance(std::chrono::seconds(random_.Below(60)));
    }
    faults_left_ = 0;
    for (auto& worker : workers_) Kill(worker);
    world_.clock.Advance(std::chrono::minutes(5));
    RunCleanWorker();
    if (result_.failure.empty()) Audit();
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
    std::unique_ptr<CountingStrategy> strategy;
    std::unique_ptr<StrategyCore> core;
    bool is_stepping = false;
  };

  void AppendEvent() {
    world_.clock.Advance(std::chrono::milliseconds(1));
    const int64_t now_ms = world_.clock.Wall().time_since_epoch().count();
    const bool poison = now_ms % 31 == 0;
    const std::string domain = DomainName(random_.Below(kDomains));
    Expected& expected = expected_[domain];
    const std::string url = UrlOf(domain, random_.Below(kUrlsPerDomain));
    const Request request{.url = url, .domain = domain};
    const uint64_t kind = random_.Below(10);
    std::vector<std::string> urls = {url};
    bool decides = !poison;
    if (kind < 5) {
      for (uint64_t n = random_.Below(6); n > 0; --n) {
        urls.push_back(UrlOf(domain, random_.Below(kUrlsPerDomain)));
      }
      std::vector<Link> links;
      for (const std::string& link : urls) links.push_back({.url = link});
      world_.Append(
          {.domain = domain,
           .event = LinksFound{.source = {.url = "https://other.test/"}, .links = links}});
    } else if (kind < 6) {
      const Seed seed{.url = url};
      world_.Append({.domain = domain, .event = Seeds{.seeds = {&seed, 1}}});
    } else if (kind < 7) {
      world_.Append({.domain = domain, .event = PageFetched{.request = request, .status = 200}});
      if (!poison) {
        ++expected.fetched;
        ++expected.scheduled[CountingStrategy::ExtraUrl(domain, now_ms)];
      }
    } else if (kind < 8) {
      world_.Append({.domain = domain,
                     .event = FetchFailed{.request = request, .cause = FailureCause::kReset}});
      if (!poison) ++expected.failed;
    } else if (kind < 9) {
      world_.Append({.domain = domain, .event = Deferred{.request = request}});
      ++expected.deferred;
      decides = false;
    } else {
      world_.AppendRaw(world_.PartitionOfDomain(domain), domain, "no protobuf");
      decides = false;
    }
    if (!decides) return;
    for (const std::string& link : std::set(urls.begin(), urls.end())) {
      if (CountingStrategy::Wants(now_ms, FingerprintOf(link).low)) ++expected.scheduled[link];
    }
  }

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
    worker->strategy = std::make_unique<CountingStrategy>(by_chance_, random_());
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
    // Whoever took over may be gone before it has done much.
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
      if (IsRetry(worked.status())) {
        world_.clock.Advance(std::chrono::milliseconds(50));
      } else if (!worked.ok()) {
        if (!IsFenced(worked.status())) Suspect(worked.status());
        ++result_.rebuilds;
        BuildCore(worker);
      }
    } catch (const SimulatedCrash&) {
      dies = true;
    }
    worker->is_stepping = false;
    if (dies) Kill(slot);
  }

  // A fatal error that no fault of this world explains.
  void Suspect(const absl::Status& status) {
    for (const char* fault : {"lost", "given up"}) {
      if (MessageOf(status).find(fault) != std::string_view::npos) return;
    }
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
    CountingStrategy strategy(by_chance_, random_());
    const auto core = world_.NewCore(strategy, {.member = "clean"});
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

  void Audit() {
    std::map<std::string, std::map<std::string, uint32_t>> read;  // domain → URL → how often
    std::map<std::string, uint64_t> deferred;
    std::set<std::pair<std::string, int64_t>> once;
    const ReaderRules rules{.epochs = rule_ != SwitchedOff::kEpochs,
                            .watermarks = rule_ != SwitchedOff::kWatermarks};
    for (const ReadRequest& request : world_.ReadRequests(rules)) {
      if (!once.emplace(request.url, request.source_offset.value()).second) {
        Fail(request.url, "scheduled twice of one event");
      }
      if (request.score == 0) {
        ++deferred[request.domain];
      } else {
        ++read[request.domain][request.url];
      }
    }
    for (const auto& [domain, expected] : expected_) {
      AuditDomain(domain, expected, read[domain], deferred[domain]);
    }
  }

  void AuditDomain(const std::string& domain, const Expected& expected,
                   const std::map<std::string, uint32_t>& read, uint64_t deferred) {
    const DomainRecord record = world_.RecordOf(domain).value_or(DomainRecord());
    uint64_t total = 0;
    for (const auto& [url, times] : read) total += times;
    Compare(domain, "record.scheduled against the log", record.scheduled, total);
    Compare(domain, "pages", record.fetched, expected.fetched);
    Compare(domain, "failures", record.failed, expected.failed);
    Compare(domain, "handed back", deferred, expected.deferred);
    std::set<std::string> urls;
    for (uint64_t i = 0; i < kUrlsPerDomain; ++i) urls.insert(UrlOf(domain, i));
    for (const auto& [url, times] : read) urls.insert(url);
    for (const auto& [url, times] : expected.scheduled) urls.insert(url);
    for (const std::string& url : urls) {
      const LinkState state = world_.StateOf(domain, url).value_or(LinkState());
      const auto found = read.find(url);
      const uint32_t times = found == read.end() ? 0 : found->second;
      Compare(url, "the state's count against the log",
              CountingStrategy::CountOf(state.data.data()), times);
      if (by_chance_) continue;
      const auto wanted = expected.scheduled.find(url);
      Compare(url, "the log against what the events say", times,
              wanted == expected.scheduled.end() ? 0 : wanted->second);
    }
  }

  void Compare(const std::string& who, const std::string& what, uint64_t is, uint64_t should) {
    if (is == should) return;
    Fail(who, what + ": " + std::to_string(is) + ", not " + std::to_string(should));
  }
  void Fail(const std::string& who, const std::string& what) {
    if (result_.failure.empty()) {
      result_.failure = "seed " + std::to_string(seed_) + ", " + who + ": " + what;
    }
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
  const bool by_chance_;
  StrategyWorld world_;
  std::map<std::string, Expected> expected_;
  std::unique_ptr<Worker> workers_[kWorkers];
  int next_number_ = 0;
  int faults_left_ = 0;
  uint64_t last_version_ = 0;
  SimResult result_;
};

}  // namespace

SimResult SimulateStrategyWorkers(uint64_t seed, SwitchedOff rule) {
  return Simulation(seed, rule).Run();
}

}  // namespace orbweaver
