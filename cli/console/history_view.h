// A crawl's curves as JSON.
//
// Place: the console's API. A pure function.
#pragma once

#include <span>
#include <string>

#include "cli/frontier/history.h"

namespace orbweaver {

// An object: `range`, `step_seconds`, `times` (seconds since 1970), and in `series` an array as
// long for each curve, null where nothing is known.
std::string HistoryJson(const HistoryRange& range, std::span<const HistoryPoint> points);

}  // namespace orbweaver
