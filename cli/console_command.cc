// `orbweaver console`: a crawl in a browser, and by HTTP.
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/console/console_api.h"
#include "cli/console/console_site.h"
#include "cli/console/crawl_sampler.h"
#include "cli/console/folder_look.h"
#include "cli/crawl/crawl_contact.h"
#include "cli/crawl/which_crawl.h"
#include "cli/frontier/frontier.h"
#include "cli/frontier/history_file.h"
#include "cli/frontier/log_lags.h"
#include "cli/frontier/stats_follower.h"
#include "cli/listen_address.h"
#include "cli/message.h"
#include "cli/product_options.h"
#include "fmt/format.h"

#include "common/base/log.h"
#include "common/base/status.h"
#include "common/config/schema.h"
#include "common/runtime/admin_client.h"
#include "common/runtime/admin_server.h"
#include "common/runtime/admin_site.h"
#include "common/runtime/signal_watcher.h"
#include "common/runtime/stop_request.h"
#include "common/url/domain.h"

namespace orbweaver {
namespace {

constexpr char kHelp[] =
    R"(usage: orbweaver console [OPTIONS]

Shows a crawl in a browser: how it stands and what limits it, its domains, what happens to a URL. It
serves a page and a JSON API (/api/v1/openapi.json describes it) until Ctrl-C, and changes nothing.
An `orbweaver crawl` that runs has its console already: its address is named.

  --data DIR        the folder of `orbweaver crawl`. Without it the only crawl in ./crawl-data, or a
                    cluster that the options name
  --listen ADDR     IP:PORT of this machine alone; 127.0.0.1:9600. Port 0 takes any free one
  --config FILE     read the options from a file
  --set NAME=VALUE  set an option: kafka.brokers, hbase.hosts
  --help            this text

To look at it from another machine: ssh -L 9600:127.0.0.1:9600 HOST.

Exit code: 0 stopped by Ctrl-C, or the crawl has its own; 1 it could not be served; 2 wrong options.
)";

constexpr Duration kStopDeadline = std::chrono::seconds(30);
constexpr Duration kAskTimeout = std::chrono::seconds(5);
constexpr Duration kWait = std::chrono::hours(1);
// Below the time between two looks.
constexpr Duration kSampleTimeout = std::chrono::seconds(2);

// Where the crawl that runs on the folder answers; nothing when none does.
std::optional<std::string> RunningAt(const std::filesystem::path& folder) {
  const auto contact = ReadContact(folder);
  if (!contact.has_value()) return std::nullopt;
  const auto alive =
      AskAdmin(contact->address, {.method = "GET", .target = "/healthz"}, kAskTimeout);
  return alive.ok() ? std::optional(contact->address) : std::nullopt;
}

// Started: it looks at the workers from now on.
std::shared_ptr<const CrawlSampler> SampleCluster(const std::shared_ptr<const Frontier>& cluster) {
  struct Parts {
    explicit Parts(std::shared_ptr<const Frontier> of) : cluster(std::move(of)) {}
    const std::shared_ptr<const Frontier> cluster;  // the others use it
    StatsFollower stats{cluster->bus()};
    LogLagReader lags{cluster->bus()};
  };
  const auto parts = std::make_shared<Parts>(cluster);
  auto sampler = std::make_shared<CrawlSampler>(
      SampledCrawl{.note_workers =
                       [parts](WallTime now, WorkerBook* book) {
                         return parts->stats.Follow(now, kSampleTimeout, book);
                       },
                   .read_lags = [parts] { return parts->lags.Read(kSampleTimeout); },
                   .is_cluster = true},
      SystemClock());
  sampler->Start();
  return sampler;
}

absl::StatusOr<ConsoleSubject> SubjectOf(const ProductOptions& options,
                                         const std::optional<std::filesystem::path>& folder) {
  if (folder.has_value()) {
    const auto look = std::make_shared<FolderLook>(options, *folder);
    RETURN_IF_ERROR(look->Look().status());
    return ConsoleSubject{.kind = "folder",
                          .name = folder->string(),
                          .look = [look] { return look->Look(); },
                          .queue = {},
                          .write_run = {},
                          .sampler = std::make_shared<CrawlSampler>(
                              SampledCrawl{.file = HistoryFile(*folder)}, SystemClock())};
  }
  ASSIGN_OR_RETURN(std::shared_ptr<const Frontier> cluster, Frontier::Open(options, std::nullopt));
  return ConsoleSubject{
      .kind = "cluster",
      .name = options.kafka.brokers,
      .look = [cluster]() -> absl::StatusOr<const Frontier*> { return cluster.get(); },
      .queue = {},
      .write_run = {},
      .sampler = SampleCluster(cluster)};
}

absl::Status Serve(const ProductOptions& options, const PublicSuffixes& suffixes,
                   const std::optional<std::filesystem::path>& folder,
                   const ListenAddress& listen) {
  StopRequest stop;
  SignalWatcher signals(stop, kStopDeadline);
  signals.Start();
  ASSIGN_OR_RETURN(ConsoleSubject subject, SubjectOf(options, folder));
  const std::string name = subject.name;
  ConsoleApi api(options, suffixes, SystemClock(), std::move(subject));
  const AdminSite admin("");  // without actions
  const ConsoleSite site(api, admin);
  AdminServer server(
      {.listen = listen.ip, .port = listen.port, .slow_reads = std::string(kApiPath)},
      [&site](const AdminRequest& request) { return site.Handle(request); });
  if (const absl::Status started = server.Start(); !started.ok()) {
    return FatalError("{}. --listen names another address", MessageOf(started));
  }
  PrintError("The console of {} is at http://{}/ until Ctrl-C.\n", name,
             AddressText(listen.ip, server.port()));
  while (!stop.WaitFor(kWait)) {
  }
  server.Stop();
  signals.Stop();
  return absl::OkStatus();
}

int Run(std::span<const std::string> all_args) {
  std::vector<std::string> args(all_args.begin(), all_args.end());
  config::Schema schema;
  ProductOptions options;
  const auto listen = ParseListenAddress(TakeValue(&args, "--listen").value_or("127.0.0.1:9600"));
  if (!listen.has_value() || !IsLoopback(listen->ip)) {
    return Fail(kExitUsage, "console",
                "--listen: expected IP:PORT of this machine alone, such as 127.0.0.1:9600. From "
                "another machine: ssh -L 9600:127.0.0.1:9600 HOST");
  }
  const auto folder = LoadOptionsOfCrawl(&args, schema, &options);
  if (!folder.ok()) return Fail(kExitUsage, "console", MessageOf(folder.status()));
  if (!args.empty()) {
    return Fail(kExitUsage, "console",
                fmt::format("unknown argument {}. See `orbweaver console --help`", args[0]));
  }
  const auto suffixes = PublicSuffixes::Load(options.public_suffixes);
  if (!suffixes.ok()) return Fail(kExitUsage, "console", MessageOf(suffixes.status()));
  if (folder->has_value()) {
    if (const auto address = RunningAt(**folder)) {
      Print("The crawl runs and has its console at http://{}/\n", *address);
      return kExitOk;
    }
  }
  const absl::Status served = Serve(options, **suffixes, *folder, *listen);
  FlushLog();
  return served.ok() ? kExitOk : Fail(kExitFailed, "console", MessageOf(served));
}

}  // namespace

Command ConsoleCommand() {
  return {.name = "console", .summary = "Show a crawl in a browser", .help = kHelp, .run = Run};
}

}  // namespace orbweaver
