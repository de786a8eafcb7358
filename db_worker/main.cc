// orbweaver-db-worker: the db worker on Kafka and HBase.
#include <atomic>
#include <iterator>
#include <latch>
#include <memory>
#include <poll.h>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "common/base/status.h"
#include "common/bus/kafka/kafka_bus.h"
#include "common/runtime/process.h"
#include "common/runtime/stats_reporter.h"
#include "common/runtime/step_loop.h"
#include "common/store/hbase/hbase_store.h"
#include "common/url/url_config.h"
#include "common/worker/worker_options.h"
#include "db_worker/options.h"
#include "db_worker/pages/pages_options.h"
#include "db_worker/roles.h"
#include "db_worker/worker.h"

namespace orbweaver {
namespace {

struct Options {
  HBaseOptions hbase;
  KafkaOptions kafka;
  DbWorkerOptions core;
  PagesOptions pages;
  PublicSuffixOptions public_suffixes;
  UrlOptions url;
  WorkerOptions worker;
};

void Declare(config::Schema& schema, Options* options) {
  DeclareHBaseOptions(schema, &options->hbase);
  DeclareKafkaOptions(schema, &options->kafka);
  DeclareDbWorkerOptions(schema, &options->core);
  DeclarePolitenessOptions(schema, &options->core.politeness);
  DeclarePagesOptions(schema, &options->pages);
  DeclareUrlOptions(schema, &options->url, &options->public_suffixes);
  DeclareWorkerOptions(schema, &options->worker);
}

struct Parts {
  const Options& options;
  const GroupMembership& membership;
  Bus& bus;
  Store& store;
  const PublicSuffixes& suffixes;
  Process& process;
  std::latch& registered;  // each role counts down when the admin server knows its conditions
};

absl::Status RunQueue(const Parts& parts, const StopRequest& stop) {
  const WorkerOptions& worker = parts.options.worker;
  DbWorkerMetrics metrics(parts.process.metrics);
  QueueAdmin admin(parts.process.admin, parts.process.metrics, SystemClock(), parts.options.url,
                   parts.suffixes);
  const QueueWorkerParts queue{
      .bus = parts.bus,
      .store = parts.store,
      .metrics = metrics,
      .admin = admin,
      .setup = {
          .options = parts.options.core, .name = WorkerId(worker), .membership = parts.membership}};
  parts.registered.count_down();
  return RunSteps("queue", [&queue] { return NewQueueWorker(queue); }, stop);
}

absl::Status RunPages(const Parts& parts, const StopRequest& stop) {
  PagesMetrics metrics(parts.process.metrics);
  const PagesWorkerParts pages{
      .bus = parts.bus,
      .store = parts.store,
      .metrics = metrics,
      .setup = {.options = parts.options.pages, .membership = parts.membership}};
  std::atomic<bool> joined = false;
  const auto ready = parts.process.admin.AddCondition(
      "pages", [&joined] { return joined ? "" : "has not joined its group"; });
  parts.registered.count_down();
  return RunSteps(
      "pages",
      [&]() -> absl::StatusOr<std::unique_ptr<Stepped>> {
        joined = false;
        ASSIGN_OR_RETURN(auto made, NewPagesWorker(pages));
        joined = true;
        return made;
      },
      stop);
}

// Each role on a thread of its own, since one may wait long for the store; when one ends, so do the
// others.
absl::Status RunRoles(const Roles& roles, const Options& options, const GroupMembership& membership,
                      Bus& bus, Store& store, const PublicSuffixes& suffixes, Process& process) {
  using Role = absl::Status (*)(const Parts&, const StopRequest&);
  std::vector<Role> chosen;
  if (roles.queue) chosen.push_back(RunQueue);
  if (roles.pages) chosen.push_back(RunPages);
  std::latch registered(static_cast<ptrdiff_t>(chosen.size()));
  const Parts parts{options, membership, bus, store, suffixes, process, registered};
  StopRequest stop;
  std::vector<absl::Status> results(chosen.size());
  std::vector<std::thread> threads;
  for (size_t i = 0; i < chosen.size(); ++i) {
    threads.emplace_back([&, i] {
      results[i] = chosen[i](parts, stop);
      stop.Request();
    });
  }
  registered.wait();
  process.started = true;
  pollfd waited[] = {{.fd = process.stop.fd(), .events = POLLIN, .revents = 0},
                     {.fd = stop.fd(), .events = POLLIN, .revents = 0}};
  while (!process.stop.requested() && !stop.requested()) poll(waited, std::size(waited), -1);
  stop.Request();
  absl::Status result;
  for (size_t i = 0; i < threads.size(); ++i) {
    threads[i].join();
    result.Update(results[i]);
  }
  return result;
}

absl::Status Run(const Options& options, Process& process) {
  // Errors of the configuration show before any server is asked.
  ASSIGN_OR_RETURN(const GroupMembership membership, MembershipOf(options.worker));
  ASSIGN_OR_RETURN(const Roles roles, ParseRoles(options.core.roles));
  ASSIGN_OR_RETURN(const auto suffixes, PublicSuffixes::Load(options.public_suffixes));
  const auto list = process.admin.AddStatus(
      "public_suffixes", [&suffixes](JsonWriter& json) { suffixes->WriteStatus(json); });
  ASSIGN_OR_RETURN(const auto bus, NewKafkaBus(options.kafka));
  ASSIGN_OR_RETURN(const auto store, HBaseStore::Create(options.hbase));
  const StatsReporter reporter(*bus, process.metrics,
                               {.worker_id = WorkerId(options.worker),
                                .role = "db-worker",
                                .version = ORBWEAVER_VERSION,
                                .admin_address = process.admin_address,
                                .interval = options.worker.stats_interval});
  return RunRoles(roles, options, membership, *bus, *store, *suffixes, process);
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
