// `orbweaver console`: a crawl in a browser, and by HTTP.
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>
#include <vector>

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/console/console_access.h"
#include "cli/console/console_api.h"
#include "cli/console/console_gate.h"
#include "cli/console/console_site.h"
#include "cli/console/crawl_sampler.h"
#include "cli/console/folder_look.h"
#include "cli/console/order_api.h"
#include "cli/crawl/crawl_contact.h"
#include "cli/crawl/crawl_seeds.h"
#include "cli/crawl/which_crawl.h"
#include "cli/frontier/frontier.h"
#include "cli/frontier/history_file.h"
#include "cli/frontier/log_lags.h"
#include "cli/frontier/stats_follower.h"
#include "cli/frontier/writable_log.h"
#include "cli/listen_address.h"
#include "cli/message.h"
#include "cli/orders/order_desk.h"
#include "cli/orders/order_journal.h"
#include "cli/orders/queue_owners.h"
#include "cli/product_options.h"
#include "cli/seed_writer.h"
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
#include "common/url/resolver.h"

namespace orbweaver {
namespace {

constexpr char kHelp[] =
    R"(usage: orbweaver console [OPTIONS]

Shows a crawl in a browser: how it stands and what limits it, its domains, what happens to a URL; and
takes orders: block, purge, pause, seeds and so on. It serves a page and a JSON API
(/api/v1/openapi.json describes it) until Ctrl-C. An `orbweaver crawl` that runs has its console
already: its address is named.

  --data DIR        the folder of `orbweaver crawl`. Without it the only crawl in ./crawl-data, or a
                    cluster that the options name
  --listen ADDR     IP:PORT; 127.0.0.1:9600. Port 0 takes any free one. An address that other machines
                    reach needs console.read_token and admin.token
  --read-only       take no orders
  --tls-cert FILE   serve HTTPS with this chain of certificates, PEM
  --tls-key FILE    the private key of the first of them, PEM
  --config FILE     read the options from a file
  --set NAME=VALUE  set an option: kafka.brokers, hbase.hosts
  --help            this text

On an address of this machine alone every user of the machine may look. To act, open the login link
that this command prints at a terminal: it lets one browser in, once, within ten minutes. With
admin.token set, that token logs in too. Programs send `Authorization: Bearer TOKEN`.

From another machine: ssh -L 9600:127.0.0.1:9600 HOST, and the link.

Exit code: 0 stopped by Ctrl-C, or the crawl has its own; 1 it could not be served; 2 wrong options.
)";

constexpr Duration kStopDeadline = std::chrono::seconds(30);
constexpr Duration kAskTimeout = std::chrono::seconds(5);
constexpr Duration kWait = std::chrono::hours(1);
// Below the time between two looks.
constexpr Duration kSampleTimeout = std::chrono::seconds(2);
constexpr Duration kOrderTimeout = std::chrono::seconds(20);

// How the crawl that runs on the folder is asked; nothing when none does.
std::optional<CrawlContact> RunningOn(const std::filesystem::path& folder) {
  const auto contact = ReadContact(folder);
  if (!contact.has_value()) return std::nullopt;
  const auto alive = AskAdmin(contact->Url(), {.method = "GET", .target = "/healthz"}, kAskTimeout);
  return alive.ok() ? contact : std::nullopt;
}

OpenCrawl Opened(WritableLog log) {
  const auto shared = std::make_shared<const WritableLog>(std::move(log));
  return {.bus = shared->bus.get(), .store = shared->store.get(), .owner = shared};
}

OrderSubject OrdersOf(const ProductOptions& options, const PublicSuffixes& suffixes,
                      const std::filesystem::path& folder) {
  OrderSubject subject;
  subject.look = [&options, folder]() -> absl::StatusOr<OpenCrawl> {
    ASSIGN_OR_RETURN(std::shared_ptr<const Frontier> look, Frontier::Open(options, folder));
    return OpenCrawl{.bus = &look->bus(), .store = &look->store(), .owner = look};
  };
  subject.open = [&options, folder]() -> absl::StatusOr<OpenCrawl> {
    auto log = OpenWritableLog(options, folder);
    if (log.ok()) return Opened(*std::move(log));
    const auto running = RunningOn(folder);
    if (!running.has_value()) return log.status();
    return RetryError("the crawl runs again and takes orders itself. Its console is at {}/",
                      running->Url());
  };
  subject.has_scope = true;
  subject.holds_once = ", once its crawl goes on";
  subject.add_seeds = [&options, &suffixes, folder](Bus& bus,
                                                    const std::vector<std::string>& urls) {
    return AddMoreSeeds(urls, options, CrawlFolder(folder), bus, suffixes);
  };
  return subject;
}

// One connection for all orders.
OrderSubject OrdersOfCluster(const ProductOptions& options, const PublicSuffixes& suffixes) {
  OrderSubject subject;
  subject.open = [&options, crawl = OpenCrawl()]() mutable -> absl::StatusOr<OpenCrawl> {
    if (crawl.bus == nullptr) {
      ASSIGN_OR_RETURN(WritableLog log, OpenWritableLog(options, std::nullopt));
      crawl = Opened(std::move(log));
    }
    return crawl;
  };
  subject.look = subject.open;
  subject.holds_once = ", once the workers of its partition have read it";
  subject.add_seeds = [&options, &suffixes](
                          Bus& bus,
                          const std::vector<std::string>& urls) -> absl::StatusOr<uint64_t> {
    UrlResolver resolver(options.spider.url, suffixes);
    ASSIGN_OR_RETURN(const auto writer,
                     SeedWriter::Create(bus, SystemClock(), resolver, kOrderTimeout));
    for (const std::string& url : urls) {
      if (const UrlError error = writer->Add(url); error != UrlError::kNone) {
        return PoisonError("seed '{}': {}", url, UrlErrorName(error));
      }
    }
    RETURN_IF_ERROR(writer->Finish());
    return writer->durable();
  };
  // Workers refuse whoever has not their token.
  const WorkerAccess access{.token = options.process.admin.token,
                            .ca_file = options.process.admin.tls_ca};
  if (access.token.empty()) return subject;
  subject.ask_owner = [access, open = subject.open](const std::string& action,
                                                    int partition) -> absl::StatusOr<std::string> {
    ASSIGN_OR_RETURN(const OpenCrawl crawl, open());
    ASSIGN_OR_RETURN(const auto workers, FindQueueWorkers(*crawl.bus));
    return AskQueueOwner(workers, access, action, partition);
  };
  subject.drain = [access,
                   open = subject.open](const std::string& worker) -> absl::StatusOr<std::string> {
    ASSIGN_OR_RETURN(const OpenCrawl crawl, open());
    return DrainWorker(*crawl.bus, access, worker);
  };
  return subject;
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
    const auto look = std::make_shared<FolderLook>(options, *folder, SystemClock());
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
  const bool is_tls = !options.console.tls_cert.empty();
  ConsoleApi api(options, suffixes, SystemClock(), std::move(subject));
  const OrderDesk desk(options, suffixes, SystemClock(),
                       folder.has_value() ? OrdersOf(options, suffixes, *folder)
                                          : OrdersOfCluster(options, suffixes));
  ConsoleAccess access({.read_token = options.console.read_token,
                        .admin_token = options.process.admin.token,
                        .read_only = options.console.read_only,
                        .is_tls = is_tls},
                       SystemClock());
  OrderApi orders(desk, access, SystemClock(), JournalFile(options.console, folder));
  const AdminSite admin("");  // without actions
  const ConsoleSite site(api, admin);
  const ConsoleGate gate(access, orders, site, admin);
  AdminServer server({.listen = listen.ip,
                      .port = listen.port,
                      .address_option = "--listen",
                      .slow_reads = std::string(kApiPath),
                      .hosts = options.process.admin.hosts,
                      .tls_certificate = options.console.tls_cert,
                      .tls_key = options.console.tls_key},
                     [&gate](const AdminRequest& request) { return gate.Handle(request); });
  RETURN_IF_ERROR(server.Start());
  const std::string url =
      fmt::format("{}://{}/", is_tls ? "https" : "http", AddressText(listen.ip, server.port()));
  PrintError("The console of {} is at {} until Ctrl-C.\n", name, url);
  // A link is a secret for a while: it does not belong into a service's log.
  if (!options.console.read_only && isatty(STDERR_FILENO) == 1) {
    PrintError("To act, log in within ten minutes by {}{}\n", url, access.LoginLink());
  }
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
  if (!listen.has_value()) {
    return Fail(kExitUsage, "console", "--listen: expected IP:PORT, such as 127.0.0.1:9600");
  }
  const auto certificate = TakeValue(&args, "--tls-cert");
  const auto key = TakeValue(&args, "--tls-key");
  const bool is_read_only = TakeSwitch(&args, "--read-only");
  const auto crawl = LoadOptionsOfCrawl(&args, schema, &options);
  if (!crawl.ok()) return Fail(kExitUsage, "console", MessageOf(crawl.status()));
  if (!args.empty()) {
    return Fail(kExitUsage, "console",
                fmt::format("unknown argument {}. See `orbweaver console --help`", args[0]));
  }
  if (certificate.has_value()) options.console.tls_cert = *certificate;
  if (key.has_value()) options.console.tls_key = *key;
  options.console.read_only |= is_read_only;
  if (const absl::Status may =
          CheckConsoleOptions(options.console, options.process.admin.token, listen->ip);
      !may.ok()) {
    return Fail(kExitUsage, "console", MessageOf(may));
  }
  const auto suffixes = PublicSuffixes::Load(options.public_suffixes);
  if (!suffixes.ok()) return Fail(kExitUsage, "console", MessageOf(suffixes.status()));
  crawl->Tell();
  if (crawl->folder.has_value()) {
    if (const auto running = RunningOn(*crawl->folder)) {
      Print("The crawl runs and has its console at {}/{}\n", running->Url(),
            AskLoginLink(*running, kAskTimeout));
      return kExitOk;
    }
  }
  const absl::Status served = Serve(options, **suffixes, crawl->folder, *listen);
  FlushLog();
  return served.ok() ? kExitOk : Fail(kExitFailed, "console", MessageOf(served));
}

}  // namespace

Command ConsoleCommand() {
  return {.name = "console", .summary = "Show a crawl in a browser", .help = kHelp, .run = Run};
}

}  // namespace orbweaver
