// The differences between strategies, for people and as JSON.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "lab/replay/strategy_comparison.h"

namespace orbweaver {

struct ComparisonReport {
  const lab::StrategyComparison& comparison;
  // The one that the others are compared with, then these.
  std::vector<std::string> names;
  uint64_t recorded_events = 0;
  // Of the events that the report names.
  std::map<uint32_t, std::string> events = {};
};

// The numbers of the events that a report names.
std::set<uint32_t> NamedEvents(const lab::StrategyComparison& comparison);

std::string ReportText(const ComparisonReport& report);
std::string ReportJson(const ComparisonReport& report);

}  // namespace orbweaver
