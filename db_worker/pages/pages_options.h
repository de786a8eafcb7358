// The options of the role `pages`.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "common/base/clock.h"

namespace orbweaver {

namespace config {
class Schema;
}

struct PagesOptions {
  // Names in lower case; empty: all that the spiders log.
  std::vector<std::string> headers;
  bool bodies = false;
  std::chrono::milliseconds call_timeout = std::chrono::seconds(20);
};

// pages.*; `options` must outlive the schema.
void DeclarePagesOptions(config::Schema& schema, PagesOptions* options);

}  // namespace orbweaver
