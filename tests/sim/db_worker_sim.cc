// Some 400 lines: the world, what must hold in it, and the workers in it make sense together only.
#include "tests/sim/db_worker_sim.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "common/base/random.h"
#include "common/base/simulated_process.h"
#include "common/base/status.h"
#include "common/bus/memory/memory_bus.h"
#include "common/bus/topics.h"
#include "common/model/scoring_log.h"
#include "common/model/spider_feed.h"
#include "common/protocol/epoch_filter.h"
#include "common/protocol/topic_record.h"
#include "common/runtime/step_loop.h"
#include "common/store/memory/memory_store.h"
#include "common/url/fingerprint.h"
#include "common/url/partition.h"
#include "db_worker/db_worker_core.h"
#include "tests/sim/switched_off.h"

namespace orbweaver {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Duration kLong = std::chrono::minutes(10);
constexpr int kDomains = 7;
constexpr int kMessages = 60;
constexpr milliseconds kSlowDelay = seconds(7);
// Reading all heads takes longer than a group waits for a silent member.
constexpr Duration kSlowRow = seconds(8);

DbWorkerOptions SmallOptions() {
  DbWorkerOptions options;
  options.feed = {.low_lag = 8,
                  .target_lag = 16,
                  .max_per_domain = 4,
                  .min_domains = 3,
                  .window = seconds(5),
                  .interval = milliseconds(100)};
  options.politeness.delay = seconds(2);
  options.checkpoint_interval = seconds(1);
  options.checkpoint_requests = 20;
  // So that most chunks are read, and some domains are forgotten.
  options.chunk_cache_bytes = 2000;
  options.index_bytes = 1;
  return options;
}

std::string DomainName(int i) { return "site" + std::to_string(i) + ".com"; }
bool IsSlow(int domain) { return domain == 1; }
milliseconds DelayOf(int domain) { return IsSlow(domain) ? kSlowDelay : seconds(2); }

// The world that outlives every worker.
struct World {
  explicit World(uint64_t seed)
      : random(seed),
        partitions(random.Chance(0.8) ? 1 : 2),
        row_time(random.Chance(0.1) ? kSlowRow : Duration::zero()) {
    EXPECT_TRUE(bus.EnsureTopics(*ProductTopics({.partitions = partitions}), kLong).ok());
    EXPECT_TRUE(SaveTopicRecord(store, {.topic_epoch = 1, .partitions = partitions}, kLong).ok());
    producer = *bus.NewProducer({}, [](const Ack& ack) { EXPECT_TRUE(ack.status.ok()); });
    for (int p = 0; p < partitions; ++p) NewStrategyWorker(PartitionId(p));
  }

  // ---- The strategy workers' side.

  Offset End(std::string_view topic, PartitionId partition) {
    return (*(*bus.NewOffsetReader())->Bounds(topic, {&partition, 1}, kLong))[0].end;
  }
  void Append(PartitionId partition, std::string_view key, const ScoringLogEntry& entry) {
    const auto value = Encode(entry, &buffer);
    ASSERT_TRUE(value.ok()) << value.status();
    ASSERT_TRUE(producer->Send({kScoringLogTopic, partition, key, *value, {}}, 0).ok());
    ASSERT_TRUE(producer->Flush(kLong).ok());
  }
  void NewStrategyWorker(PartitionId partition) {
    writers[partition].epoch = End(kScoringLogTopic, partition);
    Append(partition, {}, {.entry = Marker{.owner = "strategy"}});
  }

  struct Sent {
    std::string domain;
    uint64_t source_offset = 0;
    std::vector<ScheduledRequest> requests;
    std::optional<DomainUpdate> update;
  };
  void Send(const Sent& sent, Offset epoch) {
    const PartitionId partition = PartitionOf(SlotOf(sent.domain), partitions);
    Append(partition, sent.domain,
           {.epoch = epoch,
            .entry = ScheduleRequests{.source_topic_epoch = 1,
                                      .source_offset = Offset(int64_t(sent.source_offset)),
                                      .domain = sent.domain,
                                      .domain_update = sent.update,
                                      .requests = sent.requests}});
  }

  std::string_view NewUrl(const std::string& domain) {
    urls.push_back(
        std::make_unique<std::string>("http://" + domain + "/" + std::to_string(urls.size())));
    return *urls.back();
  }

  ScheduledRequest NewRequest(const std::string& domain) {
    ScheduledRequest request{.url = NewUrl(domain)};
    request.fingerprint = FingerprintOf(request.url);
    request.score = static_cast<float>(random.Unit());
    if (random.Chance(0.2)) {
      constexpr uint64_t kReaches_s[] = {5, 300, 20'000};
      const auto later_ms = random.Below(kReaches_s[random.Below(3)] * 1000);
      request.not_before = clock.Wall() + milliseconds(later_ms);
    }
    return request;
  }

  // One event of the spider log.
  void Schedule() {
    const int number = static_cast<int>(random.Below(kDomains));
    Sent sent{.domain = DomainName(number)};
    const PartitionId partition = PartitionOf(SlotOf(sent.domain), partitions);
    Writer& writer = writers[partition];
    sent.source_offset = writer.next_source++;
    const bool many = number == 0 && random.Chance(0.2);
    for (uint64_t n = many ? 150 : 1 + random.Below(6); n > 0; --n) {
      sent.requests.push_back(NewRequest(sent.domain));
      const ScheduledRequest& request = sent.requests.back();
      expected[std::string(request.url)] = {
          .least = 1, .most = 1, .not_before = request.not_before};
    }
    if (IsSlow(number)) sent.update.emplace().crawl_delay = kSlowDelay;
    if (number == 2 && random.Chance(0.2)) {
      sent.update.emplace().blocked_until = clock.Wall() + seconds(random.Below(60));
    }
    if (random.Chance(0.15)) Reschedule(&sent);
    Send(sent, writer.epoch);
    // As after a strategy worker's crash: its outbox once more, under a new epoch.
    if (random.Chance(0.1)) {
      const Offset replaced = writer.epoch;
      NewStrategyWorker(partition);
      Send(sent, writer.epoch);
      if (random.Chance(0.5)) {
        // One that does not know that it was replaced; what it decided has not happened.
        Sent stray{.domain = sent.domain, .source_offset = writer.next_source};
        stray.requests.push_back(NewRequest(sent.domain));
        expected[std::string(stray.requests.back().url)] = {.least = 0, .most = 0};
        Send(stray, replaced);
      }
    }
  }
  // Raises or deletes a URL that was scheduled before.
  void Reschedule(Sent* sent) {
    for (const auto& url : urls) {
      if (url->find("//" + sent->domain + "/") == std::string::npos) continue;
      Expected& known = expected[*url];
      if (known.most == 0 || !random.Chance(0.2)) continue;
      ScheduledRequest request{.url = *url, .fingerprint = FingerprintOf(*url), .score = 1};
      known.not_before = WallTime();
      if (random.Chance(0.5)) {
        request.action = ScheduleAction::kRaise;
      } else {
        request.action = ScheduleAction::kDelete;
        known.least = 0;
      }
      sent->requests.push_back(request);
      return;
    }
  }

  // ---- The spiders' side.

  void CommitFeed() {
    const auto consumer = *bus.NewConsumer({.group = "spiders"});
    std::vector<AssignedPartition> from;
    std::vector<OffsetCommit> commits;
    for (int p = 0; p < partitions; ++p) {
      const PartitionId partition(p);
      Offset& committed = spiders[partition];
      const Offset end = End(kSpiderFeedTopic, partition);
      committed = committed +
                  static_cast<int64_t>(random.Below(static_cast<uint64_t>(end - committed) + 1));
      from.push_back({.partition = partition, .position = committed});
      commits.push_back({.partition = partition, .offset = committed});
    }
    ASSERT_TRUE(consumer->Assign(kSpiderFeedTopic, from).ok());
    ASSERT_TRUE(consumer->Commit(commits, kLong).ok());
  }

  struct Accepted {
    std::string url;
    std::string domain;
    WallTime time;
    milliseconds delay;
  };
  // All of the feed that counts, in the order of the log.
  std::vector<Accepted> ReadFeed() {
    std::vector<Accepted> accepted;
    for (int p = 0; p < partitions; ++p) {
      const PartitionId partition(p);
      const Offset end = End(kSpiderFeedTopic, partition);
      const auto consumer = *bus.NewConsumer({.group = "test"});
      const AssignedPartition from{.partition = partition, .position = Offset(0)};
      EXPECT_TRUE(consumer->Assign(kSpiderFeedTopic, {&from, 1}).ok());
      EpochFilter filter;
      MessageBatch batch;
      for (Offset at(0); at < end;) {
        EXPECT_TRUE(consumer->Poll({}, kLong, &batch).ok());
        for (const Message& message : batch.messages()) {
          at = message.offset + 1;
          Arena arena;
          SpiderFeedEntry entry;
          EXPECT_TRUE(Decode(message.value, &arena, &entry).ok());
          if (std::holds_alternative<Marker>(entry.entry)) {
            filter.Pass(message.offset);
          } else if (filter.Accepts(entry.epoch)) {
            const auto& request = std::get<Request>(entry.entry);
            accepted.push_back({std::string(request.url), std::string(request.domain), message.time,
                                request.delay});
          }
        }
      }
    }
    return accepted;
  }

  // ---- Invariants. Each returns an empty text, or the breach.

  struct Expected {
    int least = 0;
    int most = 0;
    WallTime not_before;
  };

  bool AllLeft() {
    std::map<std::string, int> times;
    for (const Accepted& one : ReadFeed()) ++times[one.url];
    return std::all_of(expected.begin(), expected.end(),
                       [&](const auto& entry) { return times[entry.first] >= entry.second.least; });
  }

  std::string Complaint() {
    if (!ended.empty()) return ended;
    std::map<std::string, int> times;
    std::map<std::string, std::vector<WallTime>> of_domain;
    for (const Accepted& one : ReadFeed()) {
      ++times[one.url];
      of_domain[one.domain].push_back(one.time);
      const auto known = expected.find(one.url);
      if (known == expected.end()) return "never scheduled: " + one.url;
      if (one.time < known->second.not_before) return "left too early: " + one.url;
    }
    for (const auto& [url, wanted] : expected) {
      if (times[url] < wanted.least) return "lost: " + url;
      if (times[url] > wanted.most) {
        return url + " left " + std::to_string(times[url]) + " times";
      }
    }
    const FeedOptions options = SmallOptions().feed;
    for (int number = 0; number < kDomains; ++number) {
      const milliseconds delay = DelayOf(number);
      const int64_t cap = std::min<int64_t>(options.max_per_domain, 1 + options.window / delay);
      const std::vector<WallTime>& sent = of_domain[DomainName(number)];
      for (size_t i = 0; i < sent.size(); ++i) {
        for (size_t j = i; j < sent.size(); ++j) {
          if (static_cast<int64_t>(j - i + 1) <= cap + (sent[j] - sent[i]) / delay) continue;
          return DomainName(number) + ": " + std::to_string(j - i + 1) + " requests in " +
                 std::to_string((sent[j] - sent[i]).count()) + " ms";
        }
      }
    }
    return {};
  }

  struct Writer {
    Offset epoch;
    uint64_t next_source = 0;
  };

  Random random;
  const int partitions;
  const Duration row_time;
  ManualClock clock;
  MemoryBroker broker{&clock};
  MemoryTables tables;
  MemoryBus bus{&broker, {}};
  MemoryStore store{&tables, {.virtual_time = &clock}};
  std::unique_ptr<Producer> producer;
  EncodeBuffer buffer;
  std::map<PartitionId, Writer> writers;
  std::map<PartitionId, Offset> spiders;
  std::vector<std::unique_ptr<std::string>> urls;
  std::map<std::string, Expected, std::less<>> expected;
  uint64_t last_version = 0;  // of puts without versions
  uint64_t last_number = 0;   // of messages without watermarks
  std::string ended;          // which worker's process ended by itself, and why
};

class SimulatedWorker {
 public:
  // `hook` as SimulatedProcess's.
  SimulatedWorker(World& world, BrokenRule rule, bool faulty, SimulatedProcess::Hook hook)
      : world_(world), rule_(rule), process_(std::move(hook)) {
    const uint64_t seed = world.random();
    BusFaults bus_faults{.seed = seed};
    StoreFaults store_faults{.seed = seed + 1, .row_time = world.row_time, .shuffle_writes = true};
    if (faulty) {
      bus_faults.max_append_delay = bus_faults.max_ack_delay = milliseconds(300);
      bus_faults.lost_record = 0.0005;
      bus_faults.unavailable = 0.01;
      bus_faults.lost_answer = 0.01;
      bus_faults.rebalance = 0.005;
      bus_faults.eviction = 0.005;
      bus_faults.mix_partitions = true;
      bus_faults.late_resume = 0.5;
      store_faults.unavailable = world.partitions == 1 ? 0.01 : 0.0005;
      store_faults.lost_answer = world.partitions == 1 ? 0.01 : 0.0005;
      store_faults.max_latency = milliseconds(20);
    }
    memory_bus_ = std::make_unique<MemoryBus>(
        &world.broker, MemoryBusOptions{.process = &process_, .faults = bus_faults});
    memory_store_ = std::make_unique<MemoryStore>(
        &world.tables,
        MemoryStoreOptions{
            .virtual_time = &world.clock, .process = &process_, .faults = store_faults});
    Break(rule);
  }

  // False when it is dead.
  bool Step() {
    stepping_ = true;
    try {
      StepCore();
    } catch (const SimulatedCrash&) {
      core_.reset();
    }
    stepping_ = false;
    return !process_.dead();
  }
  bool stepping() const { return stepping_; }

 private:
  void Break(BrokenRule rule) {
    using enum BrokenRule;
    RuleBreakingBus::Rules rules{.still_owner = rule != kStillOwner,
                                 .await_acks = rule != kAwaitAcks,
                                 .commit_last = rule != kCommitLast,
                                 .epochs = rule != kEpochs,
                                 .read_back = rule != kReadBack};
    if (rule == kWatermarks) rules.renumber = &world_.last_number;
    bus_ = std::make_unique<RuleBreakingBus>(*memory_bus_, world_.broker, rules);
    if (rule == kVersions) {
      store_ = std::make_unique<WithoutVersions>(*memory_store_, &world_.last_version);
    } else if (rule == kHeadsFirst) {
      store_ = std::make_unique<HeadsAfterCheckpoint>(*memory_store_);
    } else {
      store_ = std::move(memory_store_);
    }
  }

  void StepCore() {
    absl::Status status;
    if (core_ == nullptr) {
      auto made = DbWorkerCore::Create(*bus_, *store_, world_.clock, metrics_,
                                       {.options = SmallOptions(), .name = "worker"});
      status = made.status();
      if (made.ok()) core_ = *std::move(made);
    } else {
      status = core_->Step(Duration::zero());
    }
    const CoreFate fate = FateAfter(status);
    if (fate == CoreFate::kIsMadeAnew || fate == CoreFate::kEndsTheProcess) core_.reset();
    // No fault of this world is one that a process may end for.
    if (fate == CoreFate::kEndsTheProcess && rule_ == BrokenRule::kNothing) {
      world_.ended = "a worker ends: " + std::string(MessageOf(status));
    }
  }

  World& world_;
  const BrokenRule rule_;
  SimulatedProcess process_;
  std::unique_ptr<MemoryBus> memory_bus_;
  std::unique_ptr<Store> memory_store_;  // null when nothing stands before it
  std::unique_ptr<Bus> bus_;
  std::unique_ptr<Store> store_;
  MetricRegistry registry_;
  DbWorkerMetrics metrics_{registry_};
  std::unique_ptr<DbWorkerCore> core_;
  bool stepping_ = false;
};

class Simulation {
 public:
  Simulation(uint64_t seed, BrokenRule rule) : world_(seed), rule_(rule) {}

  std::string Run() {
    Random& random = world_.random;
    faults_left_ = static_cast<int>(random.Below(8));
    int scheduled = 0;
    for (int step = 0; step < 600 || scheduled < kMessages; ++step) {
      if (scheduled < kMessages && random.Chance(0.15)) {
        world_.Schedule();
        ++scheduled;
      }
      if (random.Chance(0.1)) world_.CommitFeed();
      while (workers_.size() < 2) StartWorker(true);
      StepOne();
    }
    // Without faults everything has to come out, however long it was to wait.
    faults_left_ = 0;
    workers_.clear();
    StartWorker(false);
    for (int round = 0; round < 6000; ++round) {
      workers_.front()->Step();
      world_.CommitFeed();
      world_.clock.Advance(round % 20 == 19 ? Duration(std::chrono::minutes(15)) : seconds(4));
      if (round % 20 == 0 && world_.AllLeft()) break;
    }
    return world_.Complaint();
  }

 private:
  void StartWorker(bool faulty) {
    workers_.push_back(std::make_unique<SimulatedWorker>(
        world_, rule_, faulty, [this](std::string_view point) { return AtPoint(point); }));
  }

  void StepOne() {
    Random& random = world_.random;
    world_.clock.Advance(milliseconds(random.Below(300)));
    SimulatedWorker& worker = *workers_[random.Below(workers_.size())];
    if (worker.stepping() || worker.Step()) return;
    std::erase_if(workers_, [&](const auto& one) { return one.get() == &worker; });
  }

  // Between any two actions of a worker: whether it dies there. Or it stands still, while others
  // take over what was its.
  bool AtPoint(std::string_view point) {
    Random& random = world_.random;
    // Almost all points of a take-over of one among several partitions are scans.
    if (point.ends_with("scan") && !random.Chance(0.02)) return false;
    if (faults_left_ == 0 || depth_ == 2 || !random.Chance(0.01)) return false;
    --faults_left_;
    if (random.Chance(0.5)) return true;
    ++depth_;
    if (random.Chance(0.8)) world_.clock.Advance(std::chrono::minutes(1));
    StartWorker(true);
    for (uint64_t steps = 10 + random.Below(60); steps > 0; --steps) {
      if (random.Chance(0.1)) world_.CommitFeed();
      StepOne();
    }
    --depth_;
    return false;
  }

  World world_;
  const BrokenRule rule_;
  std::vector<std::unique_ptr<SimulatedWorker>> workers_;
  int faults_left_ = 0;
  int depth_ = 0;
};

}  // namespace

std::string SimulateDbWorkers(uint64_t seed, BrokenRule rule) {
  return Simulation(seed, rule).Run();
}

}  // namespace orbweaver
