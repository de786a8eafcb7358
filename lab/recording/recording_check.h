// Whether a recording is whole.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"

#include "lab/recording/recording.h"

namespace orbweaver::lab {

struct CheckedRecording {
  uint64_t files = 0;
  uint64_t records = 0;
  uint64_t gap_offsets = 0;            // deleted before they were recorded, as the manifest tells
  std::vector<std::string> gaps;       // a line for each of them
  std::vector<std::string> damage;     // what is wrong, a line each
  std::vector<std::string> strangers;  // files of the folder that are no part of it
};

// Reads every column of every file. `progress` is called before each. Fatal when the folder cannot
// be read.
absl::StatusOr<CheckedRecording> CheckRecording(
    const Recording& recording, absl::FunctionRef<void(const RecordedFile&)> progress);

}  // namespace orbweaver::lab
