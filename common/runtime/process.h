// The frame of every long-running program: from the command line to the exit code.
//
//   int main(int argc, char** argv) {
//     SpiderOptions options;
//     return RunProcess({.name = "orbweaver-spider", .summary = "Fetches pages", .admin_port =
//     9610},
//                       argc, argv,
//                       [&](config::Schema& schema) { DeclareSpiderOptions(schema, &options); },
//                       [&](Process& process) { return RunSpider(options, process); });
//   }
//
// In order: options are read (--config, --set, environment; --help), the log is configured, signals
// are watched, the admin server answers, `run` is called, and when it returns everything is stopped
// again. Exit codes: 0 stopped as asked or finished; 1 `run` failed; 2 wrong arguments or
// configuration, nothing was started; 124, 130 and 143 as signal_watcher.h says.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"

#include "common/base/clock.h"
#include "common/metrics/metric_registry.h"
#include "common/runtime/admin_site.h"
#include "common/runtime/stop_request.h"

namespace orbweaver {

namespace config {
class Schema;
}

struct ProcessInfo {
  std::string name;
  std::string summary;  // one line of --help
  int admin_port = 0;   // the default of admin.port
  std::string reloads;  // what SIGHUP reloads, for --help; empty: it stops the process
};

// The frame's services for the code that runs in it. All of them outlive `run`, so that everything
// `run` builds may keep references.
struct Process {
  // Not set by `run`: a failure is returned.
  const StopRequest& stop;
  MetricRegistry& metrics;
  AdminSite& admin;
  // Until `run` sets it, /readyz says "starting": it is set once all conditions of readiness are
  // registered.
  std::atomic<bool>& started;
  // Set by every SIGHUP where ProcessInfo::reloads says so; `run` takes it back.
  std::atomic<bool>& reload_wanted;
  // HOST:PORT where others can reach the admin server; https://HOST:PORT where it speaks TLS.
  std::string admin_address;
};

struct AdminOptions {
  std::string listen = "127.0.0.1";
  int port = 0;
  std::string advertise;
  std::string token;
  std::vector<std::string> hosts;
  std::string tls_cert;  // with a key: HTTPS
  std::string tls_key;
  std::string tls_ca;  // of those whom this process asks
};

struct ProcessOptions {
  AdminOptions admin;
  Duration stop_deadline = std::chrono::seconds(30);
};

void DeclareProcessOptions(config::Schema& schema, ProcessOptions* options);

// Runs on the calling thread, which must be the process's only one. `declare` adds the program's
// own options to those of the frame (log.*, admin.*, stop.*). `run` returns soon after
// `process.stop` is requested: OK, or what failed.
int RunProcess(const ProcessInfo& info, int argc, char** argv,
               const std::function<void(config::Schema&)>& declare,
               const std::function<absl::Status(Process&)>& run);

}  // namespace orbweaver
