// Events of a recording, a line each.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "absl/status/statusor.h"

#include "lab/recording/recording.h"
#include "lab/replay/event_index.h"

namespace orbweaver {

// "links_found http://a.com/ (spider-log/2@334)" of each of `numbers`. Reads the recording up to
// the last of them.
absl::StatusOr<std::map<uint32_t, std::string>> EventTexts(const lab::Recording& recording,
                                                           const lab::EventIndex& events,
                                                           const std::set<uint32_t>& numbers);

}  // namespace orbweaver
