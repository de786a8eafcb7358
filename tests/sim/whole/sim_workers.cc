// The three roles: each core put together as its worker's main does, on the simulation's parts.
#include <functional>
#include <utility>

#include "fmt/format.h"

#include "common/base/random.h"
#include "common/base/status.h"
#include "common/bus/topics.h"
#include "db_worker/db_worker_core.h"
#include "spider/crawl/lane.h"
#include "spider/crawl/spider_core.h"
#include "strategy_worker/worker.h"
#include "tests/sim/whole/sim_process.h"
#include "tests/sim/whole/sim_strategy.h"
#include "tests/support/simulated_fetcher.h"

namespace orbweaver::sim {
namespace {

// Beyond a bound by one outcome: what it is held against is looked at before it grows.
constexpr double kOneOutcomeBytes = 64 << 10;
// The last file that was read is kept whatever its size.
constexpr size_t kHugeRobotsBytes = size_t{2} << 20;

std::string MemberOf(const WorkerSurroundings& s) {
  return s.around.shape.named_members ? fmt::format("{}-{}", NameOf(s.options.role), s.options.slot)
                                      : std::string();
}

GroupMembership MembershipOf(const WorkerSurroundings& s) {
  return {.member = MemberOf(s), .session_timeout = s.options.session_timeout};
}

class SimSpider : public SimWorker {
 public:
  explicit SimSpider(const WorkerSurroundings& s)
      : shape_(s.around.shape), crawl_metrics_(s.metrics) {
    SimWeb& web = s.around.web;
    SimulatedProcess& process = s.process;
    auto fetcher = std::make_unique<SimulatedFetcher>(
        s.around.world.clock,
        [&web, &process, number = s.options.number](FetchId id, std::string_view url) {
          process.Reach("before fetch");
          return web.Begin(number, id, url);
        },
        [&web](FetchId id) { web.End(id); });
    auto lane = std::make_unique<Lane>(
        LaneParts{.fetcher = std::move(fetcher),
                  .archive = std::make_unique<Archive>(ArchiveOptions(), "", "", s.clock),
                  .suffixes = *s.around.world.suffixes,
                  .clock = s.clock,
                  .metrics = crawl_metrics_.fetchers,
                  .urls = {},
                  .parse = {},
                  .publish = {}});
    core_ = std::make_unique<SpiderCore>(
        SpiderCoreParts{.bus = s.bus,
                        .clock = s.clock,
                        .suffixes = *s.around.world.suffixes,
                        .metrics = crawl_metrics_,
                        .lanes = std::move(lane),
                        .partitions = shape_.partitions,
                        .membership = MembershipOf(s),
                        .options = shape_.crawl,
                        .flow = {.urls = {},
                                 .politeness = shape_.politeness,
                                 .robots = shape_.robots,
                                 .publish = {},
                                 .max_fetches = shape_.crawl.max_fetches,
                                 .fetch_timeout = shape_.fetch_timeout}});
  }

  absl::StatusOr<std::unique_ptr<Stepped>> Make() override { return JoinSpiders(*core_); }

  uint64_t lost_commits() const override { return core_->lost_commits(); }

  std::string ExceededBound() const override {
    if (crawl_metrics_.held.value() > static_cast<double>(shape_.crawl.max_requests)) {
      return fmt::format("a spider holds {} requests", crawl_metrics_.held.value());
    }
    const RequestFlow& flow = core_->flow();
    if (flow.robots_fetches() > shape_.crawl.max_requests) {
      return fmt::format("a spider fetches {} files of robots.txt", flow.robots_fetches());
    }
    if (flow.politeness().domains() > shape_.most_known_domains) {
      return fmt::format("a spider remembers {} domains", flow.politeness().domains());
    }
    if (flow.robots().held_bytes() > shape_.robots.cache_bytes + kHugeRobotsBytes) {
      return fmt::format("a spider keeps {} bytes of robots.txt", flow.robots().held_bytes());
    }
    if (crawl_metrics_.fetching.value() > static_cast<double>(shape_.crawl.max_fetches)) {
      return fmt::format("a spider has {} fetches under way", crawl_metrics_.fetching.value());
    }
    const double bytes = static_cast<double>(shape_.crawl.max_queued_bytes) +
                         kOneOutcomeBytes * static_cast<double>(shape_.crawl.max_fetches);
    if (crawl_metrics_.queued_bytes.value() > bytes) {
      return fmt::format("a spider's log has {} bytes queued", crawl_metrics_.queued_bytes.value());
    }
    return {};
  }

 private:
  const Shape& shape_;
  CrawlMetrics crawl_metrics_;
  std::unique_ptr<SpiderCore> core_;
};

// The store's write as a thread of its own does it: some time between its start and its end.
class SimWrite : public BackgroundWrite {
 public:
  explicit SimWrite(uint64_t seed) : random_(seed) {}

  void Start(std::function<absl::Status()> write) override {
    write_ = std::move(write);
    if (random_.Chance(0.5)) Run();
  }
  absl::Status Await() override {
    Run();
    return std::exchange(result_, absl::OkStatus());
  }
  // The process has not come to it.
  void Drop() { write_ = nullptr; }

 private:
  void Run() {
    if (const auto write = std::exchange(write_, nullptr)) result_ = write();
  }

  Random random_;
  std::function<absl::Status()> write_;
  absl::Status result_;
};

class SteppedStrategyCore : public Stepped {
 public:
  explicit SteppedStrategyCore(uint64_t seed) : write(seed) {}
  ~SteppedStrategyCore() override { write.Drop(); }

  absl::Status Step() override { return core->Step(Duration::zero()).status(); }
  absl::Status Close() override { return core->Stop(); }

  SimWrite write;  // outlives the core, which may still wait for it
  std::unique_ptr<StrategyCore> core;
};

class SimStrategyWorker : public SimWorker {
 public:
  explicit SimStrategyWorker(const WorkerSurroundings& s)
      : shape_(s.around.shape),
        suffixes_(*s.around.world.suffixes),
        clock_(s.clock),
        bus_(s.bus),
        store_(s.store),
        metrics_(s.metrics),
        id_(fmt::format("strategy-{}", s.options.number)),
        membership_(MembershipOf(s)),
        seed_(s.options.seed) {
    strategy_ = NewSimStrategy(shape_, s.options.strategy, s.options.seed);
  }

  absl::StatusOr<std::unique_ptr<Stepped>> Make() override {
    ASSIGN_OR_RETURN(CrawlScope scope, CrawlScope::Make(shape_.scope, suffixes_));
    auto stepped = std::make_unique<SteppedStrategyCore>(seed_);
    ASSIGN_OR_RETURN(stepped->core, StartStrategyCore({.bus = bus_,
                                                       .store = store_,
                                                       .strategy = *strategy_,
                                                       .suffixes = suffixes_,
                                                       .metrics = metrics_,
                                                       .state_metrics = state_metrics_,
                                                       .options = shape_.strategy_worker,
                                                       .states = shape_.states,
                                                       .urls = {},
                                                       .scope = std::move(scope),
                                                       .id = id_,
                                                       .membership = membership_},
                                                      clock_, stepped->write));
    return stepped;
  }

 private:
  const Shape& shape_;
  const PublicSuffixes& suffixes_;
  const Clock& clock_;
  Bus& bus_;
  Store& store_;
  MetricRegistry& metrics_;
  const std::string id_;
  const GroupMembership membership_;
  const uint64_t seed_;
  StateMetrics state_metrics_{metrics_};
  std::unique_ptr<Strategy> strategy_;
};

DbWorkerOptions OptionsOf(const Shape& shape) {
  DbWorkerOptions options = shape.db_worker;
  if (shape.plan.planted == PlantedFault::kCapOffByOne) {
    ++options.feed.max_per_domain;
    options.feed.window += std::chrono::ceil<std::chrono::milliseconds>(shape.politeness.delay);
  }
  return options;
}

class SimDbWorker : public SimWorker {
 public:
  explicit SimDbWorker(const WorkerSurroundings& s)
      : bus_(s.bus),
        store_(s.store),
        clock_(s.clock),
        metrics_(s.metrics),
        setup_{.options = OptionsOf(s.around.shape),
               .name = fmt::format("db-{}", s.options.number),
               .membership = MembershipOf(s)} {}

  absl::StatusOr<std::unique_ptr<Stepped>> Make() override {
    ASSIGN_OR_RETURN(auto core, DbWorkerCore::Create(bus_, store_, clock_, metrics_, setup_));
    auto stepped = std::make_unique<SteppedDbWorker>(*this, std::move(core));
    core_ = stepped.get();
    return stepped;
  }
  bool IsDrained() const override {
    if (core_ == nullptr || core_->core().coming() > 0) return false;
    for (const PartitionReport& report : core_->core().Report()) {
      if (report.delayed > 0) return false;
      for (const uint64_t waiting : report.waiting) {
        if (waiting > 0) return false;
      }
    }
    return true;
  }

 private:
  class SteppedDbWorker : public Stepped {
   public:
    SteppedDbWorker(SimDbWorker& worker, std::unique_ptr<DbWorkerCore> core)
        : worker_(worker), core_(std::move(core)) {}
    ~SteppedDbWorker() override { worker_.core_ = nullptr; }

    absl::Status Step() override { return core_->Step(Duration::zero()); }
    absl::Status Close() override {
      core_->Close();
      return absl::OkStatus();
    }
    DbWorkerCore& core() { return *core_; }

   private:
    SimDbWorker& worker_;
    const std::unique_ptr<DbWorkerCore> core_;
  };

  Bus& bus_;
  Store& store_;
  const Clock& clock_;
  DbWorkerMetrics metrics_;
  const DbWorkerSetup setup_;
  SteppedDbWorker* core_ = nullptr;
};

}  // namespace

std::unique_ptr<SimWorker> NewSimWorker(const WorkerSurroundings& surroundings) {
  switch (surroundings.options.role) {
    case Role::kSpider:
      return std::make_unique<SimSpider>(surroundings);
    case Role::kStrategyWorker:
      return std::make_unique<SimStrategyWorker>(surroundings);
    case Role::kDbWorker:
      return std::make_unique<SimDbWorker>(surroundings);
  }
  return nullptr;
}

}  // namespace orbweaver::sim
