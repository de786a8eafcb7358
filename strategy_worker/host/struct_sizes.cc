#include "strategy_worker/host/struct_sizes.h"

#include <algorithm>
#include <cstring>

#include "common/base/status.h"

namespace orbweaver {
namespace {

struct Size {
  const char* name;
  size_t orbweaver_strategy::* theirs;
  size_t first;  // in ABI 1.0
  size_t ours;
};

// The first version's sizes never change: where a struct has grown, up to its first new member.
constexpr Size kSizes[] = {
    {"orbweaver_strategy", &orbweaver_strategy::struct_size, offsetof(orbweaver_strategy, needs),
     sizeof(orbweaver_strategy)},
    {"orbweaver_event", &orbweaver_strategy::event_size, 88, sizeof(orbweaver_event)},
    {"orbweaver_domain", &orbweaver_strategy::domain_size, 72, sizeof(orbweaver_domain)},
    {"orbweaver_page", &orbweaver_strategy::page_size, 152, sizeof(orbweaver_page)},
    {"orbweaver_source", &orbweaver_strategy::source_size, 32, sizeof(orbweaver_source)},
    {"orbweaver_failure", &orbweaver_strategy::failure_size, 24, sizeof(orbweaver_failure)},
    {"orbweaver_host", &orbweaver_strategy::host_size, 56, sizeof(orbweaver_host)},
    {"orbweaver_link", &orbweaver_strategy::link_size, 64, sizeof(orbweaver_link)},
    {"orbweaver_state", &orbweaver_strategy::state_size, 56, sizeof(orbweaver_state)},
    {"orbweaver_decision", &orbweaver_strategy::decision_size, 56, sizeof(orbweaver_decision)},
    {"orbweaver_request", &orbweaver_strategy::request_size, 80, sizeof(orbweaver_request)},
    {"orbweaver_output", &orbweaver_strategy::output_size, 80, sizeof(orbweaver_output)},
    {"orbweaver_parameter", &orbweaver_strategy::parameter_size, 48, sizeof(orbweaver_parameter)},
    {"orbweaver_setting", &orbweaver_strategy::setting_size, 32, sizeof(orbweaver_setting)},
};

}  // namespace

absl::Status CheckSizes(const orbweaver_strategy& theirs) {
  // The first size is checked first: the others lie where it says.
  for (const Size& size : kSizes) {
    const size_t bytes = theirs.*size.theirs;
    if (bytes > size.ours) {
      return FatalError(
          "its {} has {} bytes, the host's {}: it was built against a newer SDK. Upgrade the "
          "worker, or rebuild against the SDK of the host",
          size.name, bytes, size.ours);
    }
    if (bytes < size.first || bytes % alignof(uint64_t) != 0) {
      return FatalError(
          "its {} has {} bytes, the host's {}, and none ever had fewer than {}. Rebuild against "
          "the SDK of the host",
          size.name, bytes, size.ours, size.first);
    }
  }
  return absl::OkStatus();
}

void CopyStructs(const void* from, size_t from_size, void* to, size_t to_size, size_t count) {
  const size_t shared = std::min(from_size, to_size);
  const auto* source = static_cast<const char*>(from);
  auto* target = static_cast<char*>(to);
  for (; count > 0; --count, source += from_size, target += to_size) {
    std::memcpy(target, source, shared);
    std::memset(target + shared, 0, to_size - shared);
  }
}

orbweaver_strategy AsOurs(const orbweaver_strategy& theirs) {
  orbweaver_strategy ours;
  CopyStructs(&theirs, theirs.struct_size, &ours, sizeof(ours), 1);
  if (ours.needs_body != 0) ours.needs |= ORBWEAVER_NEEDS_BODY;
  return ours;
}

}  // namespace orbweaver
