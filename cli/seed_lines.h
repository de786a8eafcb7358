#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "cli/seed_writer.h"

namespace orbweaver {

struct SeedLines {
  uint64_t seeds = 0;    // given to the writer
  uint64_t refused = 0;  // each named on standard error, the first of them with their text
};

// Adds the URL of each line of the file at `path`, `-` for standard input; empty lines and those
// that begin with # are passed over. Blocks until the file's end, and says on standard error every
// few seconds how far it is. Finish is left to the caller. Fatal: the file cannot be read; or what
// the writer's status says.
absl::StatusOr<SeedLines> AddSeedLines(const std::string& path, SeedWriter& writer);

}  // namespace orbweaver
