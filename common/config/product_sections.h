// The sections of the product's configuration.
#pragma once

#include <string_view>

namespace orbweaver::config {

// One file configures all processes, and each knows the options of its own: it passes over the
// sections that only others read, and still refuses a section that nobody does. A test of cli/,
// which knows all options, holds the list complete.
inline constexpr std::string_view kProductSections[] = {
    "admin",   "console",  "db_worker",       "feed",   "hbase",   "kafka",  "log",
    "network", "pages",    "politeness",      "record", "scaling", "scope",  "spider",
    "stop",    "strategy", "strategy_worker", "topics", "url",     "worker",
};

}  // namespace orbweaver::config
