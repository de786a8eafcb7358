// orbweaver-db-worker: the db worker on Kafka and HBase.
#include <atomic>
#include <iterator>
#include <memory>
#include <optional>
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
#include "db_worker/pages/pages_core.h"
#include "db_worker/roles.h"

namespace orbweaver {
namespace {

// Of the process: how long a step waits for messages. A stop is seen this much later.
constexpr Duration kWait = std::chrono::milliseconds(200);

struct Options {
  HBaseOptions hbase;
  KafkaOptions kafka;
  DbWorkerOptions core;
  PagesOptions pages;
  WorkerOptions worker;
};

void Declare(config::Schema& schema, Options* options) {
  DeclareHBaseOptions(schema, &options->hbase);
  DeclareKafkaOptions(schema, &options->kafka);
  DeclareDbWorkerOptions(schema, &options->core);
  DeclarePagesOptions(schema, &options->pages);
  DeclareWorkerOptions(schema, &options->worker);
}

// What outlives the cores: they are made anew after a fence.
struct Parts {
  const Options& options;
  Bus& bus;
  Store& store;
  Process& process;
};

// A role while it runs: its core, made anew after a fence, and what the admin server says of it.
// Used by one thread.
class QueueRole {
 public:
  explicit QueueRole(const Parts& parts)
      : parts_(parts),
        metrics_(parts.process.metrics),
        admin_(parts.process.admin, parts.process.metrics, SystemClock()) {}

  absl::Status Run(const StopRequest& stop) {
    return RunSteps("queue", [this] { return Make(); }, stop);
  }

 private:
  class Core : public Stepped {
   public:
    Core(QueueAdmin& admin, std::unique_ptr<DbWorkerCore> core)
        : admin_(admin), core_(std::move(core)) {}
    ~Core() override { admin_.Leave(); }

    absl::Status Step() override {
      admin_.Serve(*core_);
      return core_->Step(kWait);
    }
    absl::Status Close() override {
      core_->Close();
      return absl::OkStatus();
    }

   private:
    QueueAdmin& admin_;
    const std::unique_ptr<DbWorkerCore> core_;
  };

  absl::StatusOr<std::unique_ptr<Stepped>> Make() {
    const WorkerOptions& worker = parts_.options.worker;
    ASSIGN_OR_RETURN(auto core,
                     DbWorkerCore::Create(parts_.bus, parts_.store, SystemClock(), metrics_,
                                          {.options = parts_.options.core,
                                           .name = WorkerId(worker),
                                           .member = worker.name,
                                           .session_timeout = worker.session_timeout,
                                           .seed = std::random_device()()}));
    return std::make_unique<Core>(admin_, std::move(core));
  }

  const Parts& parts_;
  DbWorkerMetrics metrics_;
  QueueAdmin admin_;
};

class PagesRole {
 public:
  explicit PagesRole(const Parts& parts)
      : parts_(parts),
        metrics_(parts.process.metrics),
        ready_(parts.process.admin.AddCondition(
            "pages", [this] { return joined_ ? "" : "has not joined its group"; })) {}

  absl::Status Run(const StopRequest& stop) {
    return RunSteps("pages", [this] { return Make(); }, stop);
  }

 private:
  class Core : public Stepped {
   public:
    Core(std::atomic<bool>& joined, std::unique_ptr<PagesCore> core)
        : joined_(joined), core_(std::move(core)) {
      joined_ = true;
    }
    ~Core() override { joined_ = false; }

    absl::Status Step() override { return core_->Step(kWait); }
    absl::Status Close() override {
      core_->Close();
      return absl::OkStatus();
    }

   private:
    std::atomic<bool>& joined_;
    const std::unique_ptr<PagesCore> core_;
  };

  absl::StatusOr<std::unique_ptr<Stepped>> Make() {
    const WorkerOptions& worker = parts_.options.worker;
    ASSIGN_OR_RETURN(auto core, PagesCore::Create(parts_.bus, parts_.store, metrics_,
                                                  {.options = parts_.options.pages,
                                                   .member = worker.name,
                                                   .session_timeout = worker.session_timeout}));
    return std::make_unique<Core>(joined_, std::move(core));
  }

  const Parts& parts_;
  PagesMetrics metrics_;
  std::atomic<bool> joined_ = false;
  const AdminSite::Registration ready_;
};

// Each role on a thread of its own, since one may wait long for the store; when one ends, so does
// the other.
absl::Status RunRoles(const Roles& roles, const Parts& parts) {
  std::optional<QueueRole> queue;
  std::optional<PagesRole> pages;
  if (roles.queue) queue.emplace(parts);
  if (roles.pages) pages.emplace(parts);
  parts.process.started = true;

  StopRequest stop;
  absl::Status queue_result, pages_result;
  std::vector<std::thread> threads;
  if (queue.has_value()) {
    threads.emplace_back([&] {
      queue_result = queue->Run(stop);
      stop.Request();
    });
  }
  if (pages.has_value()) {
    threads.emplace_back([&] {
      pages_result = pages->Run(stop);
      stop.Request();
    });
  }
  pollfd waited[] = {{.fd = parts.process.stop.fd(), .events = POLLIN, .revents = 0},
                     {.fd = stop.fd(), .events = POLLIN, .revents = 0}};
  while (!parts.process.stop.requested() && !stop.requested()) poll(waited, std::size(waited), -1);
  stop.Request();
  for (std::thread& thread : threads) thread.join();
  queue_result.Update(pages_result);
  return queue_result;
}

absl::Status Run(const Options& options, Process& process) {
  // What is configured wrongly shows before any server is asked.
  ASSIGN_OR_RETURN(const Roles roles, ParseRoles(options.core.roles));
  ASSIGN_OR_RETURN(const auto bus, NewKafkaBus(options.kafka));
  ASSIGN_OR_RETURN(const auto store, HBaseStore::Create(options.hbase));
  const StatsReporter reporter(*bus, process.metrics,
                               {.worker_id = WorkerId(options.worker),
                                .role = "db-worker",
                                .version = ORBWEAVER_VERSION,
                                .interval = options.worker.stats_interval});
  return RunRoles(roles, {.options = options, .bus = *bus, .store = *store, .process = process});
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
