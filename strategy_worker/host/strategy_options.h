// Which crawl strategy to run, and with what parameters.
#pragma once

#include <chrono>
#include <map>
#include <string>

#include "common/base/clock.h"

namespace orbweaver {

namespace config {
class Schema;
}

struct StrategyOptions {
  std::string name = "breadth_first";
  std::string path;       // a library; empty: the one called `name`
  std::string directory;  // where names are looked up; empty: beside the program
  std::map<std::string, std::string> params;
  Duration time_limit = std::chrono::seconds(30);
};

// Declares strategy.name, .path, .directory and .params. `options` must outlive the schema.
void DeclareStrategyOptions(config::Schema& schema, StrategyOptions* options);

}  // namespace orbweaver
