// How busy the stages are, as JSON.
//
// Place: the console's API. Pure functions.
#pragma once

#include <span>

#include "cli/frontier/stage_shares.h"

#include "common/base/json.h"

namespace orbweaver {

// An array with each stage's name and shares, null where they are not known.
void WriteStages(std::span<const StageShares> stages, JsonWriter& json);

// An object with the shares alone.
void WriteShares(const StageShares& shares, JsonWriter& json);

}  // namespace orbweaver
