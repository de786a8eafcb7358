// orbweaver-strategy-worker: the strategy worker on Kafka and HBase.
#include <atomic>
#include <memory>
#include <random>
#include <string>
#include <utility>

#include "common/base/log.h"
#include "common/base/status.h"
#include "common/bus/kafka/kafka_bus.h"
#include "common/bus/topics.h"
#include "common/protocol/dead_letters.h"
#include "common/protocol/owned_log.h"
#include "common/protocol/topic_record.h"
#include "common/runtime/process.h"
#include "common/runtime/stats_reporter.h"
#include "common/runtime/step_loop.h"
#include "common/runtime/worker_options.h"
#include "common/store/hbase/hbase_store.h"
#include "common/url/domain.h"
#include "common/url/url_config.h"
#include "strategy_worker/core/background_write.h"
#include "strategy_worker/core/options.h"
#include "strategy_worker/core/strategy_core.h"
#include "strategy_worker/host/loader.h"
#include "strategy_worker/host/strategy_options.h"
#include "strategy_worker/states/packed_state_store.h"
#include "strategy_worker/states/state_metrics.h"
#include "strategy_worker/states/state_options.h"

namespace orbweaver {
namespace {

constexpr char kModule[] = "strategy-worker";
// Of the process: how long a step waits for events. A stop is seen this much later.
constexpr Duration kWait = std::chrono::milliseconds(200);
constexpr Duration kStartTimeout = std::chrono::seconds(20);

struct Options {
  HBaseOptions hbase;
  KafkaOptions kafka;
  PublicSuffixOptions public_suffixes;
  StateOptions states;
  StrategyOptions strategy;
  StrategyWorkerOptions core;
  UrlOptions url;
  WorkerOptions worker;
};

void Declare(config::Schema& schema, Options* options) {
  DeclareHBaseOptions(schema, &options->hbase);
  DeclareKafkaOptions(schema, &options->kafka);
  DeclareStateOptions(schema, &options->states);
  DeclareStrategyOptions(schema, &options->strategy);
  DeclareStrategyWorkerOptions(schema, &options->core);
  DeclareUrlOptions(schema, &options->url, &options->public_suffixes);
  DeclareWorkerOptions(schema, &options->worker);
}

// What outlives the cores: they are made anew after a fence.
struct Parts {
  const Options& options;
  std::unique_ptr<Bus> bus;
  std::unique_ptr<Store> store;
  std::unique_ptr<const PublicSuffixes> suffixes;
  std::unique_ptr<Strategy> strategy;
  MetricRegistry& metrics;
  StateMetrics& state_metrics;
};

// The core as the process's loop steps it.
class SteppedStrategyCore : public Stepped {
 public:
  static absl::StatusOr<std::unique_ptr<Stepped>> Make(Parts& parts) {
    const WorkerOptions& worker = parts.options.worker;
    ASSIGN_OR_RETURN(const TopicRecord topics,
                     CheckTopics(*parts.store, *parts.bus, kStartTimeout));
    ASSIGN_OR_RETURN(auto consumer,
                     parts.bus->NewConsumer({.group = std::string(kStrategyWorkerGroup),
                                             .member = worker.name,
                                             .session_timeout = worker.session_timeout}));
    ASSIGN_OR_RETURN(auto offsets, parts.bus->NewOffsetReader());
    ASSIGN_OR_RETURN(auto scoring_log, OwnedLog::Create(*parts.bus, SystemClock(),
                                                        {.topic = std::string(kScoringLogTopic),
                                                         .owner = WorkerId(worker)}));
    auto background = NewThreadWrite();
    auto core = std::make_unique<StrategyCore>(StrategyCoreParts{
        .consumer = std::move(consumer),
        .offsets = std::move(offsets),
        .scoring_log = std::move(scoring_log),
        .dead_letters = std::make_unique<DeadLetters>(*parts.bus),
        .states = std::make_unique<PackedStateStore>(*parts.store, SystemClock(),
                                                     parts.options.states, parts.state_metrics),
        .store = *parts.store,
        .strategy = *parts.strategy,
        .background = *background,
        .clock = SystemClock(),
        .suffixes = *parts.suffixes,
        .metrics = parts.metrics,
        .topics = topics,
        .urls = parts.options.url,
        .options = parts.options.core});
    RETURN_IF_ERROR(core->Start());
    return std::make_unique<SteppedStrategyCore>(std::move(background), std::move(core));
  }

  SteppedStrategyCore(std::unique_ptr<BackgroundWrite> background,
                      std::unique_ptr<StrategyCore> core)
      : background_(std::move(background)), core_(std::move(core)) {}

  absl::Status Step() override { return core_->Step(kWait).status(); }
  absl::Status Close() override { return core_->Stop(); }

 private:
  const std::unique_ptr<BackgroundWrite> background_;  // one a core: it holds a core's result
  const std::unique_ptr<StrategyCore> core_;
};

absl::Status Run(const Options& options, Process& process) {
  StateMetrics state_metrics(process.metrics);
  Parts parts{.options = options, .metrics = process.metrics, .state_metrics = state_metrics};
  // What is configured wrongly shows before any server is asked.
  ASSIGN_OR_RETURN(parts.strategy, LoadStrategy(options.strategy, std::random_device()()));
  ASSIGN_OR_RETURN(parts.suffixes, PublicSuffixes::Load(options.public_suffixes));
  ASSIGN_OR_RETURN(parts.bus, NewKafkaBus(options.kafka));
  ASSIGN_OR_RETURN(parts.store, HBaseStore::Create(options.hbase));

  const StatsReporter reporter(*parts.bus, process.metrics,
                               {.worker_id = WorkerId(options.worker),
                                .role = kModule,
                                .version = ORBWEAVER_VERSION,
                                .interval = options.worker.stats_interval});
  std::atomic<bool> joined = false;
  const auto ready = process.admin.AddCondition(
      "group", [&joined] { return joined ? "" : "has not joined its group yet"; });
  const auto status = process.admin.AddStatus("strategy", [&parts](JsonWriter& json) {
    json.BeginObject();
    json.Key("name").Value(parts.strategy->name());
    json.Key("version").Value(uint64_t{parts.strategy->version()});
    json.EndObject();
  });
  process.started = true;
  return RunSteps(
      kModule,
      [&parts, &joined]() -> absl::StatusOr<std::unique_ptr<Stepped>> {
        joined = false;
        ASSIGN_OR_RETURN(auto core, SteppedStrategyCore::Make(parts));
        joined = true;
        return core;
      },
      process.stop);
}

}  // namespace
}  // namespace orbweaver

int main(int argc, char** argv) {
  orbweaver::Options options;
  return orbweaver::RunProcess(
      {.name = "orbweaver-strategy-worker",
       .summary = "Keeps what is known of each URL and decides what to crawl",
       .admin_port = 9620},
      argc, argv,
      [&options](orbweaver::config::Schema& schema) { orbweaver::Declare(schema, &options); },
      [&options](orbweaver::Process& process) { return orbweaver::Run(options, process); });
}
