// Alerts as JSON.
//
// Place: the console's API. A pure function.
#pragma once

#include <span>

#include "cli/frontier/alerts.h"

#include "common/base/json.h"

namespace orbweaver {

// An array.
void WriteAlerts(std::span<const Alert> alerts, JsonWriter& json);

}  // namespace orbweaver
