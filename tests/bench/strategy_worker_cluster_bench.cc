// The strategy worker on real Kafka and HBase: what it costs itself, and what it costs HBase.
//
// 1000 hosts with 100 known URLs each, pages of 60 links to their own host, 54 of them known and 6
// new. The spider log stands in Kafka before the clock starts.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/base/log.h"
#include "common/base/status.h"
#include "common/bus/topics.h"
#include "common/metrics/metric_registry.h"
#include "common/protocol/owned_log.h"
#include "common/url/domain.h"
#include "common/url/partition.h"
#include "strategy_worker/core/background_write.h"
#include "strategy_worker/core/strategy_core.h"
#include "strategy_worker/host/loader.h"
#include "strategy_worker/states/packed_state_store.h"
#include "strategy_worker/states/state_metrics.h"
#include "strategy_worker/states/state_options.h"
#include "tests/bench/bench.h"
#include "tests/bench/bench_cluster.h"
#include "tests/bench/service_cpu.h"
#include "tests/support/page_workload.h"

namespace orbweaver {
namespace {

constexpr int kPartitions = 8;
constexpr int kPages = 20'000;
constexpr int kLinks = 60;
constexpr Duration kTimeout = std::chrono::minutes(2);

// Topics and tables of this run, and workers on them.
class Cluster {
 public:
  static absl::StatusOr<std::unique_ptr<Cluster>> Make() {
    ASSIGN_OR_RETURN(auto services, MakeBenchCluster(kPartitions, {Table::kDomains}));
    std::unique_ptr<Cluster> cluster(new Cluster(std::move(services)));
    ASSIGN_OR_RETURN(cluster->suffixes_, PublicSuffixes::Load({}));
    ASSIGN_OR_RETURN(cluster->strategy_, LoadStrategy({}, /*seed=*/1));
    cluster->background_ = NewThreadWrite();
    return cluster;
  }

  absl::Status Append(const std::vector<PageWorkload::Entry>& entries) {
    absl::Status failure;
    ASSIGN_OR_RETURN(
        const auto producer,
        services_.bus->NewProducer({}, [&failure](const Ack& ack) { failure.Update(ack.status); }));
    for (const PageWorkload::Entry& entry : entries) {
      const Record record{.topic = kSpiderLogTopic,
                          .partition = PartitionOf(SlotOf(entry.domain), kPartitions),
                          .key = entry.domain,
                          .value = entry.value};
      absl::Status sent = producer->Send(record, 0);
      for (; IsRetry(sent); sent = producer->Send(record, 0)) producer->Poll(kTimeout);
      RETURN_IF_ERROR(sent);
    }
    RETURN_IF_ERROR(producer->Flush(kTimeout));
    return failure;
  }

  // A worker with an empty cache.
  absl::StatusOr<std::unique_ptr<StrategyCore>> NewCore(uint64_t cache_bytes) {
    ASSIGN_OR_RETURN(auto spider_log, NewSpiderLogSession(*services_.bus, SystemClock(), {}, {}));
    ASSIGN_OR_RETURN(auto scoring_log,
                     OwnedLog::Create(*services_.bus, SystemClock(),
                                      {.topic = std::string(kScoringLogTopic), .owner = "bench"}));
    StateOptions states;
    states.cache_bytes = cache_bytes;
    auto core = std::make_unique<StrategyCore>(
        StrategyCoreParts{.spider_log = std::move(spider_log),
                          .scoring_log = std::move(scoring_log),
                          .states = std::make_unique<PackedStateStore>(
                              *services_.store, SystemClock(), states, state_metrics_),
                          .store = *services_.store,
                          .strategy = *strategy_,
                          .background = *background_,
                          .clock = SystemClock(),
                          .suffixes = *suffixes_,
                          .metrics = metrics_,
                          .topics = services_.topics,
                          .urls = {},
                          .options = {}});
    RETURN_IF_ERROR(core->Start());
    return core;
  }

  // Steps until everything in the spider log is committed.
  absl::Status RunToTheEnd(StrategyCore& core) {
    ASSIGN_OR_RETURN(const auto offsets, services_.bus->NewOffsetReader());
    const std::vector<PartitionId>& partitions = services_.partitions;
    const SteadyTime deadline = SystemClock().Now() + 5 * kTimeout;
    while (SystemClock().Now() < deadline) {
      ASSIGN_OR_RETURN(const bool busy, core.Step(std::chrono::milliseconds(50)));
      if (busy) continue;
      ASSIGN_OR_RETURN(const auto bounds, offsets->Bounds(kSpiderLogTopic, partitions, kTimeout));
      ASSIGN_OR_RETURN(
          const auto committed,
          offsets->Committed(kStrategyWorkerGroup, kSpiderLogTopic, partitions, kTimeout));
      bool at_end = true;
      for (size_t p = 0; p < partitions.size(); ++p) {
        at_end &= committed[p].has_value() && committed[p]->offset == bounds[p].end;
      }
      if (at_end) return absl::OkStatus();
    }
    return TimeoutError("the spider log was not read to its end");
  }

 private:
  explicit Cluster(BenchCluster services) : services_(std::move(services)) {}

  const BenchCluster services_;
  MetricRegistry metrics_;
  StateMetrics state_metrics_{metrics_};
  std::unique_ptr<const PublicSuffixes> suffixes_;
  std::unique_ptr<Strategy> strategy_;
  std::unique_ptr<BackgroundWrite> background_;
};

std::vector<PageWorkload::Entry> Pages(PageWorkload* workload) {
  std::vector<PageWorkload::Entry> entries;
  for (int i = 0; i < kPages; ++i) {
    for (PageWorkload::Entry& entry : workload->NextPage()) entries.push_back(std::move(entry));
  }
  return entries;
}

absl::Status Measure(BenchReport& report) {
  const ServiceCpu hbase("hbase");
  PageWorkload workload({.links = kLinks});
  ASSIGN_OR_RETURN(const std::unique_ptr<Cluster> cluster, Cluster::Make());
  RETURN_IF_ERROR(cluster->Append(workload.Seeds()));
  struct Case {
    const char* rate;   // empty: not reported
    const char* store;  // likewise
    uint64_t cache_bytes;
  };
  // Cold: every batch reads the states of all its domains. The first rounds are for an HBase that
  // has only just been started: it spends many times as much until its code is compiled.
  constexpr Case kWarmUp{"", "", 0};
  for (const Case& one : {kWarmUp, kWarmUp, kWarmUp,
                          Case{"cluster_breadth_first", "cluster_store_cpu", uint64_t{256} << 20},
                          Case{"", "cluster_store_cpu_cold", 0}}) {
    ASSIGN_OR_RETURN(const auto core, cluster->NewCore(one.cache_bytes));
    RETURN_IF_ERROR(cluster->RunToTheEnd(*core));
    RETURN_IF_ERROR(cluster->Append(Pages(&workload)));
    const double hbase_start = hbase.Seconds();
    const CpuTimer timer;
    RETURN_IF_ERROR(cluster->RunToTheEnd(*core));
    const double hbase_s = hbase.Seconds() - hbase_start;
    if (*one.rate != '\0') {
      report.AddRate(one.rate, double{kPages} * kLinks, "links/cpu_s", timer,
                     "CPU: canonical URLs, librdkafka, Thrift");
    }
    if (*one.store != '\0') {
      report.Add(one.store, hbase_s * 1000 / kPages, "HBase cpu_s/1000 pages", timer.CpuSeconds(),
                 timer.WallSeconds(), "HBase: a get or put a domain and batch");
    }
    RETURN_IF_ERROR(core->Stop());
  }
  return absl::OkStatus();
}

void StrategyWorkerClusterBench(BenchReport& report) {
  ConfigureLog({.level = LogLevel::kWarning});
  if (const absl::Status status = Measure(report); !status.ok()) {
    report.Fail("cluster_breadth_first", MessageOf(status));
  }
}

ORBWEAVER_BENCH("strategy_worker", StrategyWorkerClusterBench);

}  // namespace
}  // namespace orbweaver
