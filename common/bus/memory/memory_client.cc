#include "common/bus/memory/memory_client.h"

#include "common/base/status.h"

namespace orbweaver {

absl::Status MemoryClient::CheckAlive(std::string_view action) const {
  return dead() ? FatalError("{}: the process was killed", action) : absl::OkStatus();
}

Duration MemoryClient::Draw(Duration most) {
  if (most <= Duration::zero()) return Duration::zero();
  return Duration(random_.Below(static_cast<uint64_t>(most.count()) + 1));
}

absl::Status MemoryClient::Begin(std::string_view action, Duration timeout) {
  RETURN_IF_ERROR(CheckAlive(action));
  const SteadyTime start = broker.Tick();
  const Duration latency = Draw(faults().max_latency);
  if (latency > Duration::zero()) {
    broker.Await(start + std::min(latency, timeout), [] { return false; });
    if (latency > timeout) return TimeoutError("{}: no answer in time", action);
  }
  if (random_.Chance(faults().unavailable)) {
    return RetryError("{}: the broker is not available", action);
  }
  auto available = [this]()
                       ABSL_EXCLUSIVE_LOCKS_REQUIRED(broker.mutex) { return broker.available(); };
  if (!broker.Await(start + timeout, available)) {
    return RetryError("{}: the broker is not available", action);
  }
  return absl::OkStatus();
}

}  // namespace orbweaver
