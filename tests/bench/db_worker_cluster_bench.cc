// The db worker on real Kafka and HBase: what it costs itself, and what it costs HBase.
//
// A million requests, ten a message, stand in the scoring log before the clock starts. The spiders
// are played by a process that commits the feed's ends.
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fmt/format.h"

#include "common/base/log.h"
#include "common/base/status.h"
#include "common/bus/topics.h"
#include "db_worker/db_worker_core.h"
#include "tests/bench/bench.h"
#include "tests/bench/bench_cluster.h"
#include "tests/bench/queue_workload.h"
#include "tests/bench/service_cpu.h"
#include "tests/bench/spider_process.h"

namespace orbweaver {
namespace {

constexpr int kPartitions = 8;
constexpr int kRequests = 1'000'000;
constexpr int kBatch = 2048;

// Topics and tables of this run, and a worker on them.
class QueueCluster {
 public:
  static absl::StatusOr<std::unique_ptr<QueueCluster>> Make(int domains, SpiderProcess& spiders) {
    ASSIGN_OR_RETURN(auto services, MakeBenchCluster(kPartitions, {Table::kQueue}));
    std::unique_ptr<QueueCluster> cluster(new QueueCluster(std::move(services), spiders));
    RETURN_IF_ERROR(
        AppendScoringLog(*cluster->services_.bus,
                         {.requests = kRequests, .domains = domains, .partitions = kPartitions}));
    return cluster;
  }

  // Drops the worker, and takes all partitions over with another; it has to wait for the others'
  // places in the group to become free, so its time is that of the take-overs alone.
  absl::Status Start(double* wall_seconds, double* cpu_seconds) {
    if (core_ != nullptr) core_->Close();
    core_.reset();
    DbWorkerOptions options;
    options.feed.low_lag = 1;
    options.feed.target_lag = kBatch;
    options.feed.interval = std::chrono::milliseconds(20);
    options.politeness.delay = std::chrono::milliseconds(0);
    ASSIGN_OR_RETURN(core_, DbWorkerCore::Create(*services_.bus, *services_.store, SystemClock(),
                                                 metrics_, {.options = options, .name = "bench"}));
    // Nothing is sent before the spiders' first commit: the markers are lag enough.
    // The step in which they come counts: where there is little to read, it takes them over as
    // well.
    const uint64_t before = metrics_.take_overs.value();
    std::optional<CpuTimer> timer;
    while (core_->coming() == 0 && metrics_.take_overs.value() == before) {
      timer.emplace();
      RETURN_IF_ERROR(core_->Step(std::chrono::milliseconds(10)));
    }
    while (metrics_.take_overs.value() < before + kPartitions) {
      RETURN_IF_ERROR(core_->Step(Duration::zero()));
    }
    *wall_seconds = timer->WallSeconds();
    *cpu_seconds = timer->CpuSeconds();
    return absl::OkStatus();
  }

  absl::Status Enqueue() {
    while (metrics_.requests_queued.value() < kRequests) {
      RETURN_IF_ERROR(core_->Step(std::chrono::milliseconds(10)));
    }
    return absl::OkStatus();
  }

  // Until all have left and what remains of them in the store is erased.
  absl::Status Dequeue() {
    uint64_t committed = UINT64_MAX;
    while (metrics_.requests_sent.value() < kRequests) {
      if (metrics_.requests_sent.value() != committed) {
        RETURN_IF_ERROR(spiders_.CommitEnds(services_.prefix, kPartitions));
      }
      committed = metrics_.requests_sent.value();
      RETURN_IF_ERROR(core_->Step(std::chrono::milliseconds(20)));
    }
    core_->Close();  // the last heads
    return absl::OkStatus();
  }

  const DbWorkerMetrics& metrics() const { return metrics_; }

 private:
  QueueCluster(BenchCluster services, SpiderProcess& spiders)
      : services_(std::move(services)), spiders_(spiders) {}

  MetricRegistry registry_;
  DbWorkerMetrics metrics_{registry_};
  const BenchCluster services_;
  SpiderProcess& spiders_;
  std::unique_ptr<DbWorkerCore> core_;
};

absl::Status Measure(int domains, const ServiceCpu& hbase, SpiderProcess& spiders,
                     BenchReport& report) {
  const std::string of = fmt::format("_{}_domains", domains);
  ASSIGN_OR_RETURN(const auto cluster, QueueCluster::Make(domains, spiders));
  double wall_s, cpu_s;
  RETURN_IF_ERROR(cluster->Start(&wall_s, &cpu_s));
  const double hbase_start = hbase.Seconds();
  const CpuTimer enqueue;
  RETURN_IF_ERROR(cluster->Enqueue());
  report.AddRate("cluster_enqueue" + of, kRequests, "requests/cpu_s", enqueue,
                 "CPU: librdkafka, decoding, Thrift");
  const double hbase_enqueue_s = hbase.Seconds() - hbase_start;

  RETURN_IF_ERROR(cluster->Start(&wall_s, &cpu_s));
  report.Add("cluster_take_over" + of, wall_s, "s", cpu_s, wall_s,
             "HBase: a scan for each run of slots");

  const double hbase_middle = hbase.Seconds();
  const CpuTimer dequeue;
  RETURN_IF_ERROR(cluster->Dequeue());
  report.AddRate("cluster_dequeue" + of, kRequests, "requests/cpu_s", dequeue,
                 "CPU: librdkafka, encoding, Thrift");
  const double hbase_s = hbase_enqueue_s + hbase.Seconds() - hbase_middle;
  report.Add("cluster_store_cpu" + of, hbase_s * 1e6 / kRequests, "HBase cpu_us/request", hbase_s,
             enqueue.WallSeconds(), "HBase: a put for each domain and batch, erasing");
  report.Add("cluster_store_cpu_enqueue" + of, hbase_enqueue_s * 1e6 / kRequests,
             "HBase cpu_us/request", hbase_enqueue_s, 0, "");
  const DbWorkerMetrics& metrics = cluster->metrics();
  report.Add("cluster_batch" + of,
             metrics.batch_seconds.Read().sum * 1000 / static_cast<double>(metrics.batches.value()),
             "ms", 0, 0, "wall time of a batch of up to 2,048, all that it waits for included");
  return absl::OkStatus();
}

// An HBase that has just been started spends three times as much until its code is compiled.
absl::Status WarmUp(SpiderProcess& spiders) {
  ASSIGN_OR_RETURN(const auto cluster, QueueCluster::Make(1000, spiders));
  double wall_s, cpu_s;
  RETURN_IF_ERROR(cluster->Start(&wall_s, &cpu_s));
  RETURN_IF_ERROR(cluster->Enqueue());
  return cluster->Dequeue();
}

void DbWorkerClusterBench(BenchReport& report) {
  ConfigureLog({.level = LogLevel::kWarning});
  const ServiceCpu hbase("hbase");
  SpiderProcess spiders;
  if (const absl::Status status = WarmUp(spiders); !status.ok()) {
    report.Fail("cluster", MessageOf(status));
    return;
  }
  for (const int domains : {1000, 100'000}) {
    if (const absl::Status status = Measure(domains, hbase, spiders, report); !status.ok()) {
      report.Fail(fmt::format("cluster_{}_domains", domains), MessageOf(status));
    }
  }
}

ORBWEAVER_BENCH("db_worker", DbWorkerClusterBench);

}  // namespace
}  // namespace orbweaver
