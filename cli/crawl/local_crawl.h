// All workers of a crawl in one process, on the embedded bus and store.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "cli/crawl/crawl_summary.h"
#include "cli/product_options.h"

#include "common/bus/embedded/embedded_bus.h"
#include "common/metrics/metric_registry.h"
#include "common/runtime/admin_site.h"
#include "common/runtime/step_loop.h"
#include "common/runtime/stop_request.h"
#include "common/scope/crawl_scope.h"
#include "common/store/rocksdb/database.h"
#include "common/store/rocksdb/rocksdb_store.h"
#include "common/url/domain.h"
#include "db_worker/admin/queue_admin.h"
#include "db_worker/metrics.h"
#include "spider/crawl/crawl_metrics.h"
#include "spider/crawl/spider_core.h"
#include "strategy_worker/host/strategy.h"
#include "strategy_worker/states/state_metrics.h"

namespace orbweaver {

// Defaults that suit one machine better than a cluster's: fewer partitions, smaller caches, batches
// at once.
void SetLocalDefaults(ProductOptions* options);

// The same of a strategy's parameters: a crawl of one dead host is over within two minutes, and a
// site that is being restarted is met again. As far as the strategy has such parameters.
void RetrySoon(StrategyOptions* options);

// Place: `orbweaver crawl`. The workers are those of a cluster, a thread each (the spider's
// spider.threads beside); they meet on the bus alone. Stop, or a kill -9: the same folder goes on
// where it stood.
class LocalCrawl {
 public:
  // Opens the folder, making it when it is new, with topics.partitions partitions. Errors are
  // fatal and say what to do.
  static absl::StatusOr<std::unique_ptr<LocalCrawl>> Open(const ProductOptions& options,
                                                          const std::filesystem::path& folder);
  // Stops at once what was not stopped.
  ~LocalCrawl();

  int partitions() const { return partitions_; }
  Bus& bus() { return *bus_; }
  const PublicSuffixes& suffixes() const { return *suffixes_; }
  Store& store() { return store_; }
  // Its workers' metrics, and what they show and do of themselves.
  MetricRegistry& metrics() { return metrics_; }
  AdminSite& admin_site() { return admin_; }
  EmbeddedBus& embedded_bus() { return *bus_; }

  void Start();

  // Requested when a worker has ended by itself, which only a failure makes it do.
  const StopRequest& failed() const { return failed_; }

  // Lets the workers finish what is in hand, the spider first; what failed, if anything did.
  absl::Status Stop();

  // The strategy does not come back from a call, and its thread cannot be ended. Stop leaves it
  // alone, and the process is to end without destroying this.
  bool is_stuck() const { return is_stuck_; }

  // Links and seeds of this run that the scope left out, each as often as it was found.
  OutOfScopeCounts out_of_scope() const;

  QueueSnapshot Queue() const { return queue_admin_.Snapshot(); }
  // Requests being fetched, and requests whose outcome is not in the log yet.
  uint64_t fetching() const;
  uint64_t held() const;
  std::vector<std::pair<std::string, Duration>> SlowestDomains() const;
  // Why nothing at all can be fetched now; nullopt: it can.
  std::optional<WayOut::Closed> NoWayOut() const { return spider_->no_way_out(); }

 private:
  LocalCrawl(const ProductOptions& options, std::unique_ptr<Database> database,
             std::unique_ptr<const PublicSuffixes> suffixes);

  absl::Status OpenBus();
  // Around a worker whose steps may wait while the spider has enough to do.
  std::unique_ptr<Stepped> Paced(std::unique_ptr<Stepped> worker, const StopRequest& stop) const;
  void RunStrategyWorker();
  void RunDbWorker();
  void RunSpider();
  void Ended(const absl::Status& status) ABSL_LOCKS_EXCLUDED(mutex_);

  const ProductOptions options_;
  const std::unique_ptr<Database> database_;
  RocksdbStore store_;
  std::unique_ptr<EmbeddedBus> bus_;
  const std::unique_ptr<const PublicSuffixes> suffixes_;
  std::unique_ptr<Strategy> strategy_;
  CrawlScope scope_;
  int partitions_ = 0;

  MetricRegistry metrics_;
  StateMetrics state_metrics_{metrics_};
  AdminSite admin_;
  DbWorkerMetrics db_metrics_{metrics_};
  QueueAdmin queue_admin_{admin_, metrics_, SystemClock(), options_.spider.url, *suffixes_};
  CrawlMetrics crawl_metrics_{metrics_};
  std::unique_ptr<SpiderCore> spider_;

  StopRequest stop_spider_, stop_strategy_, stop_db_, failed_;
  std::thread spider_thread_, strategy_thread_, db_thread_;
  std::atomic<bool> is_stuck_ = false;

  mutable absl::Mutex mutex_;
  absl::Status result_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace orbweaver
