// The faults that may happen in a run: kinds of faults, and single ones of them. A failing run is
// made smaller by taking faults out of its plan.
#pragma once

#include <bitset>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "tests/sim/whole/planted_faults.h"

namespace orbweaver::sim {

enum class FaultKind : uint8_t {
  // Single faults, each with a number.
  kKill,          // a process dies between two of its actions
  kFreeze,        // ... stands still between two of them, is replaced, and goes on: a zombie
  kSleep,         // ... is not scheduled for a while
  kRestart,       // ... is stopped in good order
  kClockJump,     // its wall clock is set
  kRobotsChange,  // a host's robots.txt asks for another delay, or cannot be had
  kBlock,         // an operator blocks a domain, and unblocks it later
  kPurge,         // an operator purges one, and adds its seeds again
  kUrlOrder,      // an operator raises a URL, or has it fetched again
  kStrategySwap,  // all strategy workers go on with another strategy
  kOutage,        // nobody reaches the bus for a while, mostly for longer than records are kept for
  // Of the surroundings, drawn for each process or for the run.
  kDelays,       // of records, acks and calls
  kBusErrors,    // calls fail, or their answers are lost
  kLostRecords,  // a producer loses a record, and fails
  kRebalances,   // also evictions
  kStoreErrors,
  kPartialWrites,  // some rows of a call are put, in any order
  kLatePuts,       // puts reach the store when their worker has given them up, or is dead
  kSlowHosts,
  kTroubledHosts,  // hosts that are dead, fail for a while, redirect, forbid
  kCount,
};
inline constexpr size_t kFaultKinds = static_cast<size_t>(FaultKind::kCount);
inline constexpr size_t kSingleFaultKinds = static_cast<size_t>(FaultKind::kDelays);

std::string_view NameOf(FaultKind kind);
// Nothing for an unknown name.
std::optional<FaultKind> FaultKindOf(std::string_view name);

// The workers that a run has. Of one kind alone, the run plays the others (scene.h).
enum class Component : uint8_t { kWhole, kStrategy, kQueue, kSpider };
inline constexpr size_t kComponents = 4;

std::string_view NameOf(Component component);
std::optional<Component> ComponentOf(std::string_view name);

struct FaultPlan {
  Component component = Component::kWhole;
  // Of those, a run uses some that its seed draws.
  std::bitset<kFaultKinds> kinds;
  // Single faults that do not happen.
  std::set<int> skipped;
  // Strategies in Python, most of them, in place of those in C++.
  bool in_python = false;
  // The mistake in all workers.
  PlantedFault planted = PlantedFault::kNone;

  static FaultPlan All(Component component = Component::kWhole);
  static FaultPlan None() { return {}; }

  bool Has(FaultKind kind) const { return kinds.test(static_cast<size_t>(kind)); }
  void Drop(FaultKind kind) { kinds.reset(static_cast<size_t>(kind)); }
};

}  // namespace orbweaver::sim
