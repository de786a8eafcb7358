// orbweaver-db-worker: the db worker on Kafka and HBase.
#include <memory>
#include <poll.h>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "common/base/log.h"
#include "common/base/status.h"
#include "common/bus/kafka/kafka_bus.h"
#include "common/runtime/process.h"
#include "common/runtime/stats_reporter.h"
#include "common/runtime/step_loop.h"
#include "common/runtime/worker_options.h"
#include "common/store/hbase/hbase_store.h"
#include "db_worker/admin/queue_admin.h"
#include "db_worker/db_worker_core.h"
#include "db_worker/options.h"
#include "db_worker/roles.h"

namespace orbweaver {
namespace {

// Of the process: how long a step waits for messages. A stop is seen this much later.
constexpr Duration kWait = std::chrono::milliseconds(200);

struct Options {
  HBaseOptions hbase;
  KafkaOptions kafka;
  DbWorkerOptions core;
  WorkerOptions worker;
};

void Declare(config::Schema& schema, Options* options) {
  DeclareHBaseOptions(schema, &options->hbase);
  DeclareKafkaOptions(schema, &options->kafka);
  DeclareDbWorkerOptions(schema, &options->core);
  DeclareWorkerOptions(schema, &options->worker);
}

// What outlives the cores: they are made anew after a fence.
struct Parts {
  const Options& options;
  Bus& bus;
  Store& store;
  DbWorkerMetrics& metrics;
  QueueAdmin& admin;
};

// The core as the process's loop steps it.
class SteppedQueue : public Stepped {
 public:
  static absl::StatusOr<std::unique_ptr<Stepped>> Make(Parts& parts) {
    const WorkerOptions& worker = parts.options.worker;
    ASSIGN_OR_RETURN(auto core,
                     DbWorkerCore::Create(parts.bus, parts.store, SystemClock(), parts.metrics,
                                          {.options = parts.options.core,
                                           .name = WorkerId(worker),
                                           .member = worker.name,
                                           .session_timeout = worker.session_timeout,
                                           .seed = std::random_device()()}));
    return std::make_unique<SteppedQueue>(parts, std::move(core));
  }

  SteppedQueue(Parts& parts, std::unique_ptr<DbWorkerCore> core)
      : parts_(parts), core_(std::move(core)) {}
  ~SteppedQueue() override { parts_.admin.Leave(); }

  absl::Status Step() override {
    parts_.admin.Serve(*core_);
    return core_->Step(kWait);
  }
  absl::Status Close() override {
    core_->Close();
    return absl::OkStatus();
  }

 private:
  Parts& parts_;
  const std::unique_ptr<DbWorkerCore> core_;
};

absl::Status RunQueue(Parts& parts, const StopRequest& stop) {
  return RunSteps("queue", [&parts] { return SteppedQueue::Make(parts); }, stop);
}

absl::Status Run(const Options& options, Process& process) {
  // What is configured wrongly shows before any server is asked.
  RETURN_IF_ERROR(ParseRoles(options.core.roles).status());
  ASSIGN_OR_RETURN(const auto bus, NewKafkaBus(options.kafka));
  ASSIGN_OR_RETURN(const auto store, HBaseStore::Create(options.hbase));
  const StatsReporter reporter(*bus, process.metrics,
                               {.worker_id = WorkerId(options.worker),
                                .role = "db-worker",
                                .version = ORBWEAVER_VERSION,
                                .interval = options.worker.stats_interval});
  DbWorkerMetrics metrics(process.metrics);
  QueueAdmin admin(process.admin, process.metrics, SystemClock());
  Parts parts{.options = options, .bus = *bus, .store = *store, .metrics = metrics, .admin = admin};
  process.started = true;
  return RunQueue(parts, process.stop);
}

// `--roles A,B` is short for `--set=db_worker.roles=A,B`.
std::vector<char*> WithLongForms(int argc, char** argv, std::vector<std::string>* kept) {
  constexpr std::string_view kRoles = "--roles";
  kept->reserve(static_cast<size_t>(argc));  // pointers into it are handed out
  std::vector<char*> args;
  for (int i = 0; i < argc; ++i) {
    std::string_view arg = argv[i];
    const bool joined = arg.starts_with(kRoles) && arg.substr(kRoles.size()).starts_with('=');
    if (!joined && (arg != kRoles || i + 1 == argc)) {
      args.push_back(argv[i]);
      continue;
    }
    const std::string_view roles = joined ? arg.substr(kRoles.size() + 1) : argv[++i];
    kept->push_back("--set=db_worker.roles=" + std::string(roles));
    args.push_back(kept->back().data());
  }
  return args;
}

}  // namespace
}  // namespace orbweaver

int main(int argc, char** argv) {
  std::vector<std::string> kept;
  std::vector<char*> args = orbweaver::WithLongForms(argc, argv, &kept);
  orbweaver::Options options;
  return orbweaver::RunProcess(
      {.name = "orbweaver-db-worker",
       .summary = "Keeps what is to be fetched, and feeds the spiders",
       .admin_port = 9630},
      static_cast<int>(args.size()), args.data(),
      [&options](orbweaver::config::Schema& schema) { orbweaver::Declare(schema, &options); },
      [&options](orbweaver::Process& process) { return orbweaver::Run(options, process); });
}
