// orbweaver-strategy-worker: the strategy worker on Kafka and HBase.
#include <atomic>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <utility>

#include "common/base/log.h"
#include "common/base/status.h"
#include "common/bus/kafka/kafka_bus.h"
#include "common/politeness/politeness_options.h"
#include "common/runtime/process.h"
#include "common/runtime/stats_reporter.h"
#include "common/runtime/step_loop.h"
#include "common/scope/crawl_scope.h"
#include "common/scope/scope_options.h"
#include "common/store/hbase/hbase_store.h"
#include "common/url/domain.h"
#include "common/url/url_config.h"
#include "common/worker/worker_options.h"
#include "strategy_worker/core/options.h"
#include "strategy_worker/host/call_watchdog.h"
#include "strategy_worker/host/loader.h"
#include "strategy_worker/host/strategy_options.h"
#include "strategy_worker/states/state_metrics.h"
#include "strategy_worker/states/state_options.h"
#include "strategy_worker/strategy_reload.h"
#include "strategy_worker/worker.h"

namespace orbweaver {
namespace {

constexpr char kModule[] = "strategy-worker";

struct Options {
  HBaseOptions hbase;
  KafkaOptions kafka;
  PolitenessOptions politeness;
  PublicSuffixOptions public_suffixes;
  ScopeOptions scope;
  StateOptions states;
  StrategyOptions strategy;
  StrategyWorkerOptions core;
  UrlOptions url;
  WorkerOptions worker;
};

void Declare(config::Schema& schema, Options* options) {
  DeclareHBaseOptions(schema, &options->hbase);
  DeclareKafkaOptions(schema, &options->kafka);
  DeclarePolitenessOptions(schema, &options->politeness);
  DeclareScopeOptions(schema, &options->scope);
  DeclareStateOptions(schema, &options->states);
  DeclareStrategyOptions(schema, &options->strategy);
  DeclareStrategyWorkerOptions(schema, &options->core);
  DeclareUrlOptions(schema, &options->url, &options->public_suffixes);
  DeclareWorkerOptions(schema, &options->worker);
}

absl::Status Run(const Options& options, Process& process) {
  StateMetrics state_metrics(process.metrics);
  // Errors of the configuration show before any server is asked.
  ASSIGN_OR_RETURN(const GroupMembership membership, MembershipOf(options.worker));
  ASSIGN_OR_RETURN(const auto strategy, LoadStrategy(options.strategy, std::random_device()()));
  ASSIGN_OR_RETURN(const auto suffixes, PublicSuffixes::Load(options.public_suffixes));
  ASSIGN_OR_RETURN(const CrawlScope scope, CrawlScope::Make(options.scope, *suffixes));
  const auto list = process.admin.AddStatus(
      "public_suffixes", [&suffixes](JsonWriter& json) { suffixes->WriteStatus(json); });
  ASSIGN_OR_RETURN(const auto bus, NewKafkaBus(options.kafka));
  ASSIGN_OR_RETURN(const auto store, HBaseStore::Create(options.hbase));
  StrategyWorkerOptions core = options.core;
  core.max_retry_after =
      std::chrono::floor<std::chrono::milliseconds>(options.politeness.back_off.most);
  const StrategyWorkerParts parts{.bus = *bus,
                                  .store = *store,
                                  .strategy = *strategy,
                                  .suffixes = *suffixes,
                                  .metrics = process.metrics,
                                  .state_metrics = state_metrics,
                                  .options = core,
                                  .states = options.states,
                                  .urls = options.url,
                                  .scope = scope,
                                  .id = WorkerId(options.worker),
                                  .membership = membership};

  const StatsReporter reporter(*bus, process.metrics,
                               {.worker_id = parts.id,
                                .role = kModule,
                                .version = ORBWEAVER_VERSION,
                                .admin_address = process.admin_address,
                                .interval = options.worker.stats_interval});
  std::atomic<bool> joined = false;
  const auto ready = process.admin.AddCondition(
      "group", [&joined] { return joined ? "" : "has not joined its group yet"; });
  const auto status = process.admin.AddStatus("strategy", [&strategy](JsonWriter& json) {
    json.BeginObject();
    json.Key("name").Value(strategy->name());
    json.Key("version").Value(uint64_t{strategy->version()});
    json.EndObject();
  });
  StrategyReload reload(*strategy, process.reload_wanted, process.metrics);
  process.started = true;
  // The thread cannot be freed from the call. Ending at once is a crash, which loses nothing;
  // whoever started this process starts it again.
  const CallWatchdog watchdog(options.strategy.time_limit, [](const std::string& text) {
    Log(LogLevel::kError, kModule, "{}: ends, so that it is started anew", text);
    FlushLog();
    std::_Exit(1);
  });
  return RunSteps(
      kModule,
      [&parts, &joined, &reload]() -> absl::StatusOr<std::unique_ptr<Stepped>> {
        joined = false;
        ASSIGN_OR_RETURN(auto worker,
                         NewStrategyWorker(parts, [&reload] { reload.RunIfWanted(); }));
        joined = true;
        return worker;
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
       .admin_port = 9620,
       .reloads = "a strategy in Python"},
      argc, argv,
      [&options](orbweaver::config::Schema& schema) { orbweaver::Declare(schema, &options); },
      [&options](orbweaver::Process& process) { return orbweaver::Run(options, process); });
}
