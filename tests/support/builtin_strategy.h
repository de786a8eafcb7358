// A built-in strategy as its C interface, for tests that drive it (orbweaver/test_driver.h).
#pragma once

#include <deque>
#include <string>

#include <gtest/gtest.h>

#include "strategy_worker/host/loader.h"

namespace orbweaver {

inline const orbweaver_strategy* BuiltinStrategy(const std::string& name) {
  const absl::StatusOr<StrategyLibrary> library = OpenStrategy({.name = name});
  // Strategies live as long as their libraries do: for ever.
  static std::deque<StrategyLibrary> kept;
  if (library.ok()) return &kept.emplace_back(*library).strategy();
  ADD_FAILURE() << library.status();
  return nullptr;
}

}  // namespace orbweaver
