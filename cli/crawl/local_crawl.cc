#include "cli/crawl/local_crawl.h"

#include <pthread.h>
#include <random>
#include <utility>

#include "cli/crawl/paced_steps.h"
#include "cli/crawl/sharing_memory.h"

#include "common/base/log.h"
#include "common/base/status.h"
#include "common/bus/topics.h"
#include "common/protocol/topic_record.h"
#include "common/runtime/step_loop.h"
#include "db_worker/worker.h"
#include "spider/crawl/http_spider.h"
#include "spider/crawl/spider_core.h"
#include "strategy_worker/host/call_watchdog.h"
#include "strategy_worker/host/loader.h"
#include "strategy_worker/worker.h"

namespace orbweaver {
namespace {

constexpr Duration kTimeout = std::chrono::seconds(20);
constexpr char kWorkerId[] = "crawl";
constexpr int kRetries = 2;
constexpr std::chrono::seconds kRetryDelay{30};
// The operating system caches the same files once more, and has the rest of the memory for it.
constexpr size_t kBlockCacheBytes = size_t{32} << 20;
constexpr size_t kWriteBufferBytes = size_t{32} << 20;
constexpr size_t kLogBufferBytes = size_t{64} << 20;

// Of a worker's step for messages: the bus ends it when something comes, or when it is to stop.
constexpr Duration kWait = std::chrono::seconds(1);
// A strategy worker and a db worker that nobody waits for take so much at once.
constexpr Duration kPace = std::chrono::milliseconds(100);
// The spider has enough to do while so many requests wait for their turn.
constexpr uint64_t kEnoughWaiting = 500;

// For `top -H` and profilers.
void NameThread(const char* name) { pthread_setname_np(pthread_self(), name); }

}  // namespace

void RetrySoon(StrategyOptions* options) {
  const auto library = OpenStrategy(*options);
  if (!library.ok()) return;  // making it says why
  const orbweaver_strategy& strategy = library->strategy();
  for (size_t i = 0; i < strategy.parameter_count; ++i) {
    const std::string name(strategy.parameters[i].name);
    if (name == "retries") options->params.try_emplace(name, std::to_string(kRetries));
    if (name != "retry_delay_s") continue;
    options->params.try_emplace(name, std::to_string(kRetryDelay.count()));
  }
}

void SetLocalDefaults(ProductOptions* options) {
  // A seed's site, and not the web.
  options->spider.scope.kind = ScopeKind::kDomain;
  // Enough for the threads of one machine, and few enough that batches stay large.
  options->topics.partitions = 4;
  // Batches cost little where no server is asked, and a site of few pages is crawled sooner.
  options->db_worker.feed.interval = std::chrono::milliseconds(20);
  options->db_worker.chunk_cache_bytes = int64_t{32} << 20;
  // Without delays the spider's threads are faster than the strategy worker's one. Its backlog
  // would be written to table files, and read from them again.
  options->db_worker.feed.max_backlog = 10'000;
  options->db_worker.feed.target_lag = 2048;
  // A put costs little too. Large enough that a slow disk's fsyncs do not hold it up, and small
  // enough that what a batch touches does not take much memory.
  options->strategy_worker.batch_events = 12000;
  options->states.cache_bytes = size_t{192} << 20;
  // Cells cost little to read where no server is asked, and bases much to write again and again.
  options->states.max_deltas = 256;
  // Somebody waits for the end: see also RetrySoon.
  options->spider.robots.retry_min = kRetryDelay / 2;
  options->strategy_worker.dns_failure_rest = kRetryDelay;
  options->strategy_worker.own_retries = kRetries;
  options->strategy_worker.own_retry_delay = kRetryDelay;
  // The person at the terminal is the strategy's author, or wants to know of its errors.
  options->strategy_worker.on_strategy_error = OnStrategyError::kStop;
  options->strategy_worker.after_strategy_error =
      "mend the strategy and go on with the same command, or give --keep-going: such events are "
      "then kept in dead-letter, and `orbweaver log requeue dead-letter` puts them back";
}

LocalCrawl::LocalCrawl(const ProductOptions& options, std::unique_ptr<Database> database,
                       std::unique_ptr<const PublicSuffixes> suffixes)
    : options_(options),
      database_(std::move(database)),
      store_(*database_),
      suffixes_(std::move(suffixes)),
      admin_(options.process.admin.token) {}

absl::StatusOr<std::unique_ptr<LocalCrawl>> LocalCrawl::Open(const ProductOptions& options,
                                                             const std::filesystem::path& folder) {
  // Errors of the configuration show before anything is made.
  StrategyOptions of_strategy = options.strategy;
  RetrySoon(&of_strategy);
  ASSIGN_OR_RETURN(auto strategy, LoadStrategy(of_strategy, std::random_device()()));
  ASSIGN_OR_RETURN(auto suffixes, PublicSuffixes::Load(options.public_suffixes));
  ASSIGN_OR_RETURN(auto scope, CrawlScope::Make(options.spider.scope, *suffixes));
  ASSIGN_OR_RETURN(auto database,
                   Database::Open({.folder = folder,
                                   .block_cache_bytes = kBlockCacheBytes,
                                   .write_buffer_bytes = kWriteBufferBytes,
                                   .log_buffer_bytes = kLogBufferBytes,
                                   .all_write_buffers_bytes = WriteBuffersBeside(0)}));
  std::unique_ptr<LocalCrawl> crawl(
      new LocalCrawl(options, std::move(database), std::move(suffixes)));
  crawl->strategy_ = std::move(strategy);
  crawl->scope_ = std::move(scope);
  RETURN_IF_ERROR(crawl->OpenBus());
  ASSIGN_OR_RETURN(crawl->spider_,
                   MakeHttpSpider(options.spider, {.bus = *crawl->bus_,
                                                   .suffixes = *crawl->suffixes_,
                                                   .metrics = crawl->crawl_metrics_,
                                                   .partitions = crawl->partitions_,
                                                   .membership = options.worker.membership,
                                                   .worker_id = kWorkerId,
                                                   .software = "orbweaver/" ORBWEAVER_VERSION}));
  return crawl;
}

absl::Status LocalCrawl::OpenBus() {
  ASSIGN_OR_RETURN(bus_, EmbeddedBus::Open(*database_, SystemClock()));
  // A folder keeps the number of partitions that it was made with.
  ASSIGN_OR_RETURN(const TopicRecord record,
                   NextTopicRecord(store_, *bus_, options_.topics.partitions, kTimeout));
  RETURN_IF_ERROR(SaveTopicRecord(store_, record, kTimeout));
  partitions_ = record.partitions;
  TopicOptions topics = options_.topics;
  topics.partitions = partitions_;
  // However long a crawl rests, what its workers have not read stays: see CrawlWatch.
  topics.retention = Duration::zero();
  topics.retention_bytes = 0;
  ASSIGN_OR_RETURN(const auto specs, ProductTopics(topics));
  return bus_->EnsureTopics(specs, kTimeout).status();
}

LocalCrawl::~LocalCrawl() {
  for (StopRequest* const stop : {&stop_spider_, &stop_strategy_, &stop_db_}) stop->Request();
  if (bus_ != nullptr) bus_->HurryPolls();
  for (std::thread* const thread : {&spider_thread_, &strategy_thread_, &db_thread_}) {
    if (thread->joinable()) thread->join();
  }
}

void LocalCrawl::Start() {
  db_thread_ = std::thread([this] { RunDbWorker(); });
  strategy_thread_ = std::thread([this] { RunStrategyWorker(); });
  spider_thread_ = std::thread([this] { RunSpider(); });
}

absl::Status LocalCrawl::Stop() {
  if (bus_ != nullptr) bus_->HurryPolls();
  const std::pair<StopRequest*, std::thread*> order[] = {{&stop_spider_, &spider_thread_},
                                                         {&stop_strategy_, &strategy_thread_},
                                                         {&stop_db_, &db_thread_}};
  for (const auto& [stop, thread] : order) {
    stop->Request();
    const bool is_lost = thread == &strategy_thread_ && is_stuck_;
    if (thread->joinable() && !is_lost) thread->join();
  }
  absl::MutexLock lock(&mutex_);
  return result_;
}

void LocalCrawl::RunStrategyWorker() {
  NameThread("strategy");
  StrategyWorkerOptions core = options_.strategy_worker;
  core.max_retry_after =
      std::chrono::floor<std::chrono::milliseconds>(options_.spider.politeness.back_off.most);
  const StrategyWorkerParts parts{.bus = *bus_,
                                  .store = store_,
                                  .strategy = *strategy_,
                                  .suffixes = *suffixes_,
                                  .metrics = metrics_,
                                  .state_metrics = state_metrics_,
                                  .options = core,
                                  .states = options_.states,
                                  .urls = options_.spider.url,
                                  .scope = scope_,
                                  .id = kWorkerId,
                                  .membership = options_.worker.membership,
                                  .wait = kWait};
  const auto make = [&]() -> absl::StatusOr<std::unique_ptr<Stepped>> {
    ASSIGN_OR_RETURN(auto worker, NewStrategyWorker(parts));
    return Paced(
        std::make_unique<SharingMemory>(std::move(worker), *database_, state_metrics_.bytes),
        stop_strategy_);
  };
  const CallWatchdog watchdog(options_.strategy.time_limit, [this](const std::string& text) {
    is_stuck_ = true;
    Ended(FatalError("{}. Nothing is lost: the next start gives the strategy this event again",
                     text));
  });
  Ended(RunSteps("strategy", make, stop_strategy_));
}

void LocalCrawl::RunDbWorker() {
  NameThread("queue");
  DbWorkerOptions queue = options_.db_worker;
  queue.politeness = options_.spider.politeness;
  const QueueWorkerParts parts{
      .bus = *bus_,
      .store = store_,
      .metrics = db_metrics_,
      .admin = queue_admin_,
      .setup = {.options = queue, .name = kWorkerId, .membership = options_.worker.membership},
      .wait = kWait};
  const auto make = [&]() -> absl::StatusOr<std::unique_ptr<Stepped>> {
    ASSIGN_OR_RETURN(auto worker, NewQueueWorker(parts));
    return Paced(std::move(worker), stop_db_);
  };
  Ended(RunSteps("queue", make, stop_db_));
}

void LocalCrawl::RunSpider() {
  NameThread("spider");
  absl::Status result =
      RunSteps("spider", [this] { return JoinSpiders(*spider_, kWait); }, stop_spider_);
  // Also after what was fatal: whole files are of more use than torn ones.
  result.Update(spider_->Finish());
  Ended(result);
}

void LocalCrawl::Ended(const absl::Status& status) {
  if (status.ok()) return;
  absl::MutexLock lock(&mutex_);
  result_.Update(status);
  failed_.Request();
}

OutOfScopeCounts LocalCrawl::out_of_scope() const {
  OutOfScopeCounts counts;
  metrics_.Visit([&counts](MetricKind, const std::string& name, double value) {
    constexpr std::string_view kLinks = "orbweaver_strategy_links_total{fate=";
    if (!name.starts_with(kLinks)) return;
    const std::string_view fate = std::string_view(name).substr(kLinks.size());
    if (fate == "\"beyond_seeds\"}") counts.beyond_seeds = static_cast<uint64_t>(value);
    if (fate == "\"not_included\"}") counts.not_included = static_cast<uint64_t>(value);
    if (fate == "\"excluded\"}") counts.excluded = static_cast<uint64_t>(value);
    if (fate == "\"sitemaps\"}") counts.by_sitemaps = static_cast<uint64_t>(value);
  });
  return counts;
}

std::unique_ptr<Stepped> LocalCrawl::Paced(std::unique_ptr<Stepped> worker,
                                           const StopRequest& stop) const {
  const auto has_time = [this] { return held() > fetching() + kEnoughWaiting; };
  return std::make_unique<PacedSteps>(std::move(worker), kPace, has_time, SystemClock(), stop);
}

uint64_t LocalCrawl::fetching() const {
  return static_cast<uint64_t>(crawl_metrics_.fetching.value());
}

uint64_t LocalCrawl::held() const { return static_cast<uint64_t>(crawl_metrics_.held.value()); }

std::vector<std::pair<std::string, Duration>> LocalCrawl::SlowestDomains() const {
  std::vector<std::pair<std::string, Duration>> slowest;
  for (const Politeness::DomainReport& domain : spider_->Slowest()) {
    slowest.emplace_back(domain.domain, domain.took);
  }
  return slowest;
}

}  // namespace orbweaver
