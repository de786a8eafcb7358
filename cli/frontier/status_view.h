// How a crawl stands, for people and as JSON.
//
// Place: `orbweaver status` and the console. Pure functions.
#pragma once

#include <string>

#include "cli/frontier/frontier_status.h"

namespace orbweaver {

// `before` is an earlier look, from which the rates come.
std::string StatusText(const FrontierStatus& before, const FrontierStatus& now);
std::string StatusJson(const FrontierStatus& before, const FrontierStatus& now);

}  // namespace orbweaver
