// `orbweaver metrics-api`: how many workers of each kind are wanted, for autoscalers.
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/frontier/stats_follower.h"
#include "cli/listen_address.h"
#include "cli/message.h"
#include "cli/product_options.h"
#include "cli/scaling/external_metrics.h"
#include "cli/scaling/wanted_workers.h"

#include "common/base/log.h"
#include "common/base/status.h"
#include "common/bus/kafka/kafka_bus.h"
#include "common/config/schema.h"
#include "common/runtime/admin_server.h"
#include "common/runtime/signal_watcher.h"
#include "common/runtime/stop_request.h"

namespace orbweaver {
namespace {

constexpr char kHelp[] =
    R"(usage: orbweaver metrics-api [OPTIONS]

Says how many workers of each kind a cluster can use, from what they report: Kubernetes' API of
external metrics, which HorizontalPodAutoscalers read, and all of them as JSON at /wanted. It reads
Kafka's topic `stats` and nothing else, and runs until it is stopped.

  --listen ADDR     IP:PORT; 127.0.0.1:9650. Port 0 takes any free one
  --tls-cert FILE   serve HTTPS with this chain of certificates, PEM; Kubernetes wants that
  --tls-key FILE    the private key of the first of them, PEM
  --config FILE     read the options from a file
  --set NAME=VALUE  set an option: kafka.brokers, scaling.busy
  --help            this text

It answers whoever asks, with three numbers and nothing else, and takes no orders.

Exit code: 0 stopped; 1 it could not be served; 2 wrong options.
)";

constexpr char kModule[] = "metrics-api";
constexpr Duration kStopDeadline = std::chrono::seconds(10);
constexpr Duration kLook = std::chrono::seconds(5);
constexpr Duration kCallTimeout = std::chrono::seconds(2);

// The last look at the workers; the server's thread reads it.
class Wanted {
 public:
  void Set(WantedByKind wanted) ABSL_LOCKS_EXCLUDED(mutex_) {
    absl::MutexLock lock(&mutex_);
    wanted_ = std::move(wanted);
  }
  WantedByKind Get() const ABSL_LOCKS_EXCLUDED(mutex_) {
    absl::MutexLock lock(&mutex_);
    return wanted_;
  }

 private:
  mutable absl::Mutex mutex_;
  WantedByKind wanted_ ABSL_GUARDED_BY(mutex_);
};

WantedByKind WantedNow(const WorkerBook& book, const ScalingRule& rule, WallTime now) {
  WantedByKind wanted;
  for (const WorkerKind kind : kWorkerKinds) {
    if (const auto load = LoadOf(book, kind, now)) wanted[kind] = WantedWorkers(*load, rule);
  }
  return wanted;
}

absl::Status Serve(const ProductOptions& options, AdminServerOptions server_options,
                   const ScalingRule& rule) {
  StopRequest stop;
  SignalWatcher signals(stop, kStopDeadline);
  signals.Start();
  ASSIGN_OR_RETURN(const auto bus, NewKafkaBus(options.kafka));
  Wanted wanted;
  AdminServer server(std::move(server_options), [&wanted](const AdminRequest& request) {
    return AnswerMetrics(request, wanted.Get(), SystemClock().Wall());
  });
  RETURN_IF_ERROR(server.Start());
  PrintError("The metrics of {} are served at port {} until it is stopped.\n",
             options.kafka.brokers, server.port());
  StatsFollower follower(*bus);
  WorkerBook book;
  absl::Status trouble;
  do {
    const WallTime now = SystemClock().Wall();
    const absl::Status followed = follower.Follow(now, kCallTimeout, &book);
    // Once for each trouble, not once for each look.
    if (!followed.ok() && followed != trouble) {
      Log(LogLevel::kWarning, kModule, "{}", MessageOf(followed));
    }
    trouble = followed;
    wanted.Set(WantedNow(book, rule, now));
  } while (!stop.WaitFor(kLook));
  server.Stop();
  signals.Stop();
  return absl::OkStatus();
}

int Run(std::span<const std::string> all_args) {
  std::vector<std::string> args(all_args.begin(), all_args.end());
  const auto listen = ParseListenAddress(TakeValue(&args, "--listen").value_or("127.0.0.1:9650"));
  if (!listen.has_value()) {
    return Fail(kExitUsage, kModule, "--listen: expected IP:PORT, such as 127.0.0.1:9650");
  }
  AdminServerOptions server{.listen = listen->ip,
                            .port = listen->port,
                            .address_option = "--listen",
                            .hosts = {"*"},  // there is no secret that a page could read
                            .tls_certificate = TakeValue(&args, "--tls-cert").value_or(""),
                            .tls_key = TakeValue(&args, "--tls-key").value_or("")};
  config::Schema schema;
  ProductOptions options;
  if (const absl::Status loaded = LoadProductOptions(&args, schema, &options); !loaded.ok()) {
    return Fail(kExitUsage, kModule, MessageOf(loaded));
  }
  if (!args.empty()) {
    return Fail(kExitUsage, kModule,
                fmt::format("unknown argument {}. See `orbweaver metrics-api --help`", args[0]));
  }
  const absl::Status served = Serve(options, std::move(server), options.scaling);
  FlushLog();
  return served.ok() ? kExitOk : Fail(kExitFailed, kModule, MessageOf(served));
}

}  // namespace

Command MetricsApiCommand() {
  return {.name = "metrics-api",
          .summary = "Tell autoscalers how many workers are wanted",
          .help = kHelp,
          .run = Run};
}

}  // namespace orbweaver
