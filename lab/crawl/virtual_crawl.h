// A whole crawl in virtual time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "common/base/clock.h"
#include "common/bus/memory/memory_broker.h"
#include "common/bus/memory/memory_bus.h"
#include "common/metrics/metric_registry.h"
#include "common/store/memory/memory_store.h"
#include "common/store/memory/memory_tables.h"
#include "db_worker/db_worker_core.h"
#include "lab/crawl/crawl_source.h"
#include "lab/crawl/crawl_trace.h"
#include "spider/crawl/crawl_metrics.h"
#include "spider/crawl/spider_core.h"
#include "strategy_worker/core/background_write.h"
#include "strategy_worker/core/strategy_core.h"
#include "strategy_worker/host/strategy.h"
#include "strategy_worker/states/state_metrics.h"
#include "strategy_worker/states/state_options.h"

namespace orbweaver::lab {

struct VirtualCrawlSetup {
  // These must outlive the crawl.
  CrawlSource& source;
  Strategy& strategy;
  const PublicSuffixes& suffixes;

  int partitions = 1;
  int spiders = 1;
  // The end: so many fetches, so much virtual time; 0: none.
  uint64_t budget = 0;
  Duration time{};

  // Logs are not cut as they are read.
  bool keeps_logs = false;

  StrategyWorkerOptions strategy_worker;
  StateOptions states;
  DbWorkerOptions db_worker;
  CrawlOptions crawl;
  RequestFlowOptions flow;
};

// One strategy worker, one db worker and the spiders, with the cores that ship, on logs and tables
// in memory, on one thread and one clock. Time goes to the next thing that is due. The same setup
// gives the same trace.
//
// Memory: link states, the queue, and the trace; logs are cut as they are read. Not thread-safe;
// crawls on several threads share nothing but the web.
class VirtualCrawl {
 public:
  // Fatal when there are no seeds, or the setup makes no sense.
  static absl::StatusOr<std::unique_ptr<VirtualCrawl>> Create(const VirtualCrawlSetup& setup);
  ~VirtualCrawl();
  VirtualCrawl(const VirtualCrawl&) = delete;
  VirtualCrawl& operator=(const VirtualCrawl&) = delete;

  // Crawls to the end, once. `go_on` is asked now and then, with the trace so far; when it says
  // false, the trace ends there. Fatal: a worker failed, or the recorded pages cannot be read.
  absl::StatusOr<CrawlTrace> Run(absl::FunctionRef<bool(const CrawlTrace& so_far)> go_on);

  // Its logs; whole with VirtualCrawlSetup::keeps_logs.
  Bus& bus() { return bus_; }

 private:
  struct Spider;

  explicit VirtualCrawl(const VirtualCrawlSetup& setup);
  absl::Status Start();
  absl::Status StepSpiders();
  absl::Status StepWorkers();
  // There is something in the logs: they look soon.
  void WakeWorkers();
  absl::Status SendSeeds();
  absl::Status CutLogs();
  // Grows with everything that happens.
  uint64_t Happened();
  Offset EndOf(std::string_view topic, int partition);
  // The end that is reached, if any. Looks at all domains of the queue when nothing is under way.
  std::optional<CrawlEnd> End();
  bool IsIdle() const;
  void MoveTime();
  // When a spider has something to do.
  SteadyTime SpidersDue() const;
  void NoteIdle(Duration passes);
  void FinishTrace(CrawlEnd end);

  const VirtualCrawlSetup setup_;
  CrawlTrace trace_;
  ManualClock clock_;
  const SteadyTime began_;
  MemoryBroker broker_{&clock_};
  MemoryBus bus_{&broker_, {}};
  MemoryTables tables_;
  MemoryStore store_{&tables_, {.virtual_time = &clock_}};
  MetricRegistry metrics_;
  StateMetrics state_metrics_{metrics_};
  DbWorkerMetrics db_metrics_{metrics_};
  DirectWrite write_;
  std::unique_ptr<Producer> producer_;
  std::unique_ptr<StrategyCore> strategy_;
  std::unique_ptr<DbWorkerCore> queue_;
  std::vector<std::unique_ptr<Spider>> spiders_;

  size_t seeds_sent_ = 0;
  uint64_t told_ = 0;  // entries of the spider log, by spiders
  uint64_t happened_ = 0;
  uint64_t rounds_ = 0;        // of the workers
  uint64_t rounds_quiet_ = 0;  // since something happened
  Duration workers_wait_;      // between two of their steps
  SteadyTime workers_due_{};
  std::optional<SteadyTime> wakes_;          // nothing is to be done before
  std::chrono::nanoseconds spiders_idle_{};  // their sum
};

}  // namespace orbweaver::lab
