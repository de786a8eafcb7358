// The options by which commands are told a part of a log.
#pragma once

#include <string>
#include <vector>

#include "cli/frontier/log_reader.h"

namespace orbweaver {

// Takes --partition, --from, --to, --last, --since and --until out of `args`. Returns what is
// wrong, or nothing.
std::string TakeLogRange(std::vector<std::string>* args, LogRange* range);

}  // namespace orbweaver
