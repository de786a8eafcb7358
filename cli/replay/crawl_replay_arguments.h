// The options of `orbweaver replay --crawl`.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "common/base/clock.h"

namespace orbweaver {

struct CrawlReplayArguments {
  uint64_t budget = 0;  // fetches; 0: as many as were recorded
  Duration time{};      // of virtual time; 0: no end
  double speed = 0;     // fetches a second of all spiders; 0: as configured
  int64_t spiders = 1;
  std::optional<Duration> delay;  // politeness.delay
  uint64_t seed = 1;
  std::filesystem::path work;
  bool force = false;
  // At most one of the two.
  std::optional<std::string> value;  // an expression (lab/report/value_expression.h)
  std::filesystem::path value_file;
  std::filesystem::path out;  // of the report; empty: none
  // Crawls of each strategy whose fetches of unknown pages are drawn anew, for the report.
  uint64_t draws = 5;
};

// Takes them out of `args`. Returns the mistake, if there is one.
std::optional<std::string> TakeCrawlReplayArguments(std::vector<std::string>* args,
                                                    CrawlReplayArguments* into);

}  // namespace orbweaver
