// A worker that does nothing but what process_test.cc tells it to.
#include <cstdio>
#include <string>
#include <string_view>
#include <thread>

#include "common/base/status.h"
#include "common/config/schema.h"
#include "common/runtime/process.h"

namespace orbweaver {
namespace {

enum class Mode { kWaitForStop, kReload, kIgnoreStop, kFail, kFinish };

absl::Status Run(Mode mode, Process& process) {
  bool blocked = false;
  const auto action = process.admin.AddAction(
      "block", "Block", [&blocked](const FormParams& params) -> absl::StatusOr<std::string> {
        const auto domain = params.find("domain");
        if (domain == params.end()) return PoisonError("block: domain is missing");
        blocked = true;
        return "blocked " + domain->second;
      });
  const auto status =
      process.admin.AddStatus("work", [&blocked](JsonWriter& json) { json.Value(blocked); });
  process.metrics.AddCounter("orbweaver_test_runs_total", "Runs").Increment();
  process.started = true;
  switch (mode) {
    case Mode::kWaitForStop:
      process.stop.WaitFor(Duration::max());
      return absl::OkStatus();
    case Mode::kReload:
      while (!process.stop.WaitFor(std::chrono::milliseconds(1))) {
        if (!process.reload_wanted.exchange(false)) continue;
        std::puts("reloaded");
        std::fflush(stdout);
      }
      return absl::OkStatus();
    case Mode::kIgnoreStop:
      process.stop.WaitFor(Duration::max());
      std::puts("stuck");
      std::fflush(stdout);
      for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
    case Mode::kFail:
      return FatalError("open store: disk full");
    case Mode::kFinish:
      return absl::OkStatus();
  }
  return absl::OkStatus();
}

}  // namespace
}  // namespace orbweaver

int main(int argc, char** argv) {
  using orbweaver::Mode;
  Mode mode = Mode::kWaitForStop;
  orbweaver::ProcessInfo info{.name = "process-test", .summary = "Does what the test says"};
  if (argc > 1 && std::string_view(argv[1]) == "--set=test.mode=reload") info.reloads = "nothing";
  return orbweaver::RunProcess(
      info, argc, argv,
      [&mode](orbweaver::config::Schema& schema) {
        schema.AddChoice("test.mode", &mode,
                         {{"wait", Mode::kWaitForStop},
                          {"reload", Mode::kReload},
                          {"stuck", Mode::kIgnoreStop},
                          {"fail", Mode::kFail},
                          {"finish", Mode::kFinish}},
                         {.doc = "What it does"});
      },
      [&mode](orbweaver::Process& process) { return orbweaver::Run(mode, process); });
}
