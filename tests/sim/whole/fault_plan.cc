#include "tests/sim/whole/fault_plan.h"

#include <array>

namespace orbweaver::sim {
namespace {

constexpr std::array<std::string_view, kFaultKinds> kNames = {
    "kill",          "freeze",         "sleep",      "restart",      "clock-jump",
    "robots-change", "block",          "purge",      "url-order",    "strategy-swap",
    "outage",        "delays",         "bus-errors", "lost-records", "rebalances",
    "store-errors",  "partial-writes", "late-puts",  "slow-hosts",   "troubled-hosts"};

constexpr std::array<std::string_view, kComponents> kComponentNames = {"whole", "strategy", "queue",
                                                                       "spider"};

}  // namespace

std::string_view NameOf(FaultKind kind) { return kNames[static_cast<size_t>(kind)]; }

std::optional<FaultKind> FaultKindOf(std::string_view name) {
  for (size_t i = 0; i < kFaultKinds; ++i) {
    if (kNames[i] == name) return static_cast<FaultKind>(i);
  }
  return std::nullopt;
}

std::string_view NameOf(Component component) {
  return kComponentNames[static_cast<size_t>(component)];
}

std::optional<Component> ComponentOf(std::string_view name) {
  for (size_t i = 0; i < kComponents; ++i) {
    if (kComponentNames[i] == name) return static_cast<Component>(i);
  }
  return std::nullopt;
}

FaultPlan FaultPlan::All(Component component) {
  FaultPlan plan;
  plan.component = component;
  plan.kinds.set();
  return plan;
}

}  // namespace orbweaver::sim
