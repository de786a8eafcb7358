#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cli/seed_scope.h"
#include "cli/seed_writer.h"

namespace orbweaver {

struct SeedLines {
  uint64_t seeds = 0;  // given to the writer
  // Each named on standard error, the first of them with their text.
  uint64_t refused = 0;
  uint64_t out_of_scope = 0;
};

// Adds the URL of each line of the file at `path`, `-` for standard input; empty lines and those
// that begin with # are passed over. Blocks until the file's end, and says on standard error every
// few seconds how far it is. Seeds that `scope`, when there is one, leaves out are not added.
// Finish is left to the caller. Fatal: the file cannot be read; or what the writer's status says.
absl::StatusOr<SeedLines> AddSeedLines(const std::string& path, SeedWriter& writer,
                                       const SeedScope* scope = nullptr);

// Whether there is such a file of seeds, as far as it shows without opening it: a pipe is opened
// once. Fatal: it cannot be read.
absl::Status CheckSeedFile(const std::string& path);

// Calls visit(number, text) for the lines of the file that have a URL until it says false.
absl::Status ForEachSeedLine(const std::string& path,
                             const std::function<bool(uint64_t, std::string_view)>& visit);

}  // namespace orbweaver
