#include "common/runtime/process.h"

#include <algorithm>
#include <cstdio>
#include <unistd.h>
#include <vector>

#include "fmt/format.h"

#include "common/base/log.h"
#include "common/base/printable.h"
#include "common/base/status.h"
#include "common/config/load.h"
#include "common/config/log_options.h"
#include "common/config/product_sections.h"
#include "common/config/render.h"
#include "common/config/schema.h"
#include "common/metrics/process_metrics.h"
#include "common/runtime/admin_server.h"
#include "common/runtime/signal_watcher.h"

namespace orbweaver {
namespace {

constexpr int kExitFailed = 1;
constexpr int kExitUsage = 2;

constexpr char kMetricsType[] = "text/plain; version=0.0.4; charset=utf-8";

void PrintHelp(const ProcessInfo& info, const config::Schema& schema) {
  fmt::print(
      "usage: {} [--config FILE] [--set NAME=VALUE]…\n{}.\n\n"
      "SIGINT and SIGTERM stop it in good order; a second one ends it at once.{}\n\n"
      "Options, in a file, in the environment or with --set:\n{}",
      info.name, info.summary,
      info.reloads.empty() ? "" : fmt::format(" SIGHUP reloads {}.", info.reloads),
      config::HelpText(schema));
}

absl::Status LoadOptions(const ProcessInfo& info, std::vector<std::string>* args,
                         config::Schema* schema) {
  ASSIGN_OR_RETURN(const config::Inputs inputs, config::TakeInputs(args));
  if (!args->empty()) {
    return FatalError("{}: unexpected argument '{}'. --help lists what there is.", info.name,
                      args->front());
  }
  return config::Load(inputs, schema);
}

std::string MachineName() {
  char name[256] = "localhost";
  gethostname(name, sizeof name - 1);
  return name;
}

std::string SchemeOf(const AdminOptions& options) {
  return options.tls_cert.empty() ? "" : "https://";
}

// HOST:PORT, an IPv6 address in brackets.
std::string AdminAddress(const AdminOptions& options, int port) {
  std::string host = options.advertise.empty() ? options.listen : options.advertise;
  if (host == "0.0.0.0" || host == "::") host = MachineName();
  const bool is_bare_ipv6 = host.find(':') != host.rfind(':') && !host.starts_with('[');
  if (is_bare_ipv6) host = "[" + host + "]";
  const bool has_port =
      host.find(':', host.rfind(']') == host.npos ? 0 : host.rfind(']')) != host.npos;
  return SchemeOf(options) + (has_port ? host : fmt::format("{}:{}", host, port));
}

// Runs from the first thread to the last. Everything that `run` builds is destroyed before anything
// made here.
absl::Status Serve(const ProcessInfo& info, const ProcessOptions& options,
                   const config::Schema& schema, const std::function<absl::Status(Process&)>& run) {
  StopRequest stop;
  std::atomic<bool> reload_wanted = false;
  std::function<void()> hang_up;
  if (!info.reloads.empty()) hang_up = [&reload_wanted] { reload_wanted = true; };
  SignalWatcher signals(stop, options.stop_deadline, hang_up);
  signals.Start();

  MetricRegistry metrics;
  AddProcessMetrics(metrics);
  AdminSite site(options.admin.token);
  std::atomic<bool> started = false;
  const SteadyTime start = SystemClock().Now();
  const auto condition = site.AddCondition("process", [&stop, &started] {
    if (stop.requested()) return "stopping";
    return started ? "" : "starting";
  });
  const auto status = site.AddStatus("process", [&info, &stop, start](JsonWriter& json) {
    const std::chrono::duration<double> uptime = SystemClock().Now() - start;
    json.BeginObject().Key("name").Value(info.name).Key("pid").Value(getpid());
    json.Key("uptime_seconds").Value(uptime.count());
    json.Key("stopping").Value(stop.requested()).EndObject();
  });
  const auto metrics_page =
      site.AddPage("/metrics", kMetricsType, [&metrics] { return metrics.Text(); });
  const auto config_page = site.AddPage("/config", "application/json",
                                        [&schema] { return config::EffectiveJson(schema); });

  const auto drain = site.AddAction(
      "drain", "ends the process in good order, as SIGTERM does; its partitions go to the others",
      [&stop](const FormParams&) {
        stop.Request();
        return "it finishes what it has in hand and ends";
      });

  std::vector<std::string> hosts = options.admin.hosts;
  hosts.push_back(MachineName());
  if (!options.admin.advertise.empty()) hosts.push_back(options.admin.advertise);
  AdminServer server({.listen = options.admin.listen,
                      .port = options.admin.port,
                      .hosts = hosts,
                      .tls_certificate = options.admin.tls_cert,
                      .tls_key = options.admin.tls_key},
                     [&site](const AdminRequest& request) { return site.Handle(request); });
  RETURN_IF_ERROR(server.Start());
  Log(LogLevel::kInfo, "process", "{} started; admin server on {}{}:{}", info.name,
      SchemeOf(options.admin), options.admin.listen, server.port());

  Process process{.stop = stop,
                  .metrics = metrics,
                  .admin = site,
                  .started = started,
                  .reload_wanted = reload_wanted,
                  .admin_address = AdminAddress(options.admin, server.port())};
  const absl::Status result = run(process);
  stop.Request();
  server.Stop();
  signals.Stop();
  return result;
}

}  // namespace

void DeclareProcessOptions(config::Schema& schema, ProcessOptions* options) {
  schema.Add("admin.listen", &options->admin.listen,
             {.doc = "IP address that the admin server binds; anything but loopback lets others "
                     "read what it says"});
  schema.Add("admin.port", &options->admin.port,
             {.min = 0, .max = 65535, .doc = "Port of the admin server; 0 takes any free one"});
  schema.Add("admin.advertise", &options->admin.advertise,
             {.doc = "Name or address, with or without a port, under which commands on other "
                     "machines reach the admin server; by default what it binds, or this machine's "
                     "name when it binds all addresses"});
  schema.Add("admin.hosts", &options->admin.hosts,
             {.doc = "Further names under which the admin server is asked: `*.example.com` for all "
                     "below one, `*` for any. Addresses, localhost, this machine's name and that "
                     "of admin.advertise always work; others are refused, since a web page could "
                     "make a browser ask under a name of its own (DNS rebinding)"});
  schema.Add("admin.token", &options->admin.token,
             {.secret = true,
              .doc = "Bearer token that calls which change something must send; without it they "
                     "are refused"});
  schema.Add("admin.tls_cert", &options->admin.tls_cert,
             {.doc = "File with a worker's certificates (PEM, the chain behind its own): its admin "
                     "server speaks HTTPS then. They are read again when they change"});
  schema.Add("admin.tls_key", &options->admin.tls_key,
             {.doc = "File with the private key of admin.tls_cert (PEM, without a password)"});
  schema.Add("admin.tls_ca", &options->admin.tls_ca,
             {.doc = "File of the authorities (PEM) that workers' certificates are signed by, for "
                     "commands and the console when they ask a worker; empty: the system's"});
  schema.Add("stop.deadline", &options->stop_deadline,
             {.min = std::chrono::milliseconds(1),
              .max = std::chrono::hours(24),
              .doc = "How long a stop in good order may take before the process ends at once"});
}

int RunProcess(const ProcessInfo& info, int argc, char** argv,
               const std::function<void(config::Schema&)>& declare,
               const std::function<absl::Status(Process&)>& run) {
  LogOptions log;
  ProcessOptions options;
  options.admin.port = info.admin_port;
  config::Schema schema;
  DeclareLogOptions(schema, &log);
  DeclareProcessOptions(schema, &options);
  declare(schema);
  schema.PassOver(config::kProductSections);

  std::vector<std::string> args(argv + 1, argv + argc);
  if (std::find(args.begin(), args.end(), "--help") != args.end()) {
    PrintHelp(info, schema);
    return 0;
  }
  if (const absl::Status loaded = LoadOptions(info, &args, &schema); !loaded.ok()) {
    std::string message;
    AppendPrintable(MessageOf(loaded), Lines::kKeep, &message);
    fmt::print(stderr, "{}\n", message);
    return kExitUsage;
  }
  if (options.admin.tls_cert.empty() != options.admin.tls_key.empty()) {
    fmt::print(stderr, "TLS needs both files: set admin.tls_cert and admin.tls_key\n");
    return kExitUsage;
  }
  ConfigureLog(log);
  const absl::Status result = Serve(info, options, schema, run);
  FlushLog();
  if (result.ok()) {
    Log(LogLevel::kInfo, "process", "{} stopped", info.name);
  } else {
    Log(LogLevel::kError, "process", "{}", MessageOf(result));
  }
  return result.ok() ? 0 : kExitFailed;
}

}  // namespace orbweaver
