#include "common/runtime/step_loop.h"

#include <chrono>

#include "common/base/backoff.h"
#include "common/base/log.h"
#include "common/base/status.h"

namespace orbweaver {
namespace {

// Well below the shortest session timeout that brokers take, 6 s: between two steps a worker's
// group does not hear of it.
constexpr BackoffOptions kPauses{.first = std::chrono::milliseconds(50),
                                 .most = std::chrono::seconds(1)};

}  // namespace

CoreFate FateAfter(const absl::Status& status) {
  if (status.ok()) return CoreFate::kGoesOn;
  if (IsFenced(status)) return CoreFate::kIsMadeAnew;
  return IsRetry(status) ? CoreFate::kWaits : CoreFate::kEndsTheProcess;
}

absl::Status RunSteps(std::string_view name,
                      const std::function<absl::StatusOr<std::unique_ptr<Stepped>>()>& make,
                      const StopRequest& stop) {
  Backoff pauses(kPauses, reinterpret_cast<uintptr_t>(&stop));
  std::unique_ptr<Stepped> core;
  while (true) {
    // A core that was not made yet has nothing to close; one that exists must finish, or hand over
    // what it holds.
    const bool stopping = stop.requested();
    if (stopping && core == nullptr) return absl::OkStatus();
    absl::Status status;
    if (core == nullptr) {
      auto made = make();
      status = made.status();
      if (made.ok()) core = *std::move(made);
    } else {
      status = stopping ? core->Close() : core->Step();
      if (stopping && status.ok()) return status;
    }
    switch (FateAfter(status)) {
      case CoreFate::kGoesOn:
        pauses.Reset();
        continue;
      case CoreFate::kWaits:
        Log(LogLevel::kWarning, name, "waits: {}", MessageOf(status));
        break;
      case CoreFate::kIsMadeAnew:
        Log(LogLevel::kWarning, name, "begins anew: {}", MessageOf(status));
        core.reset();
        break;
      case CoreFate::kEndsTheProcess:
        return status;
    }
    // A stop that was requested already would end the wait at once.
    const Duration pause = pauses.Next();
    if (stopping) {
      StopRequest().WaitFor(pause);
    } else {
      stop.WaitFor(pause);
    }
  }
}

}  // namespace orbweaver
