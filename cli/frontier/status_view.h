// How a crawl stands, for people and as JSON.
//
// Place: `orbweaver status` and the console. Pure functions.
#pragma once

#include <string>

#include "cli/frontier/frontier_status.h"
#include "cli/frontier/partition_load.h"

namespace orbweaver {

// `before` is an earlier look, from which the rates come; `loads` are from it or another one to
// `now`.
std::string StatusText(const FrontierStatus& before, const FrontierStatus& now,
                       const PartitionLoads& loads);
std::string StatusJson(const FrontierStatus& before, const FrontierStatus& now,
                       const PartitionLoads& loads);

}  // namespace orbweaver
