// The command line of `orbweaver crawl` that says which files it writes.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"

#include "spider/publish/publish_options.h"

namespace orbweaver {

// Options of the configuration, by name and value.
using OptionTexts = std::vector<std::pair<std::string, std::string>>;

// Takes these options out of `args` and adds what they stand for to *options. `*out` becomes the
// folder as it was given; it stays empty when none was.
void TakeOutputArguments(std::vector<std::string>* args, OptionTexts* options, std::string* out);

// The name by which the command line knows an option of the configuration; empty when it is not of
// the outputs.
std::string_view OutputFlagOf(std::string_view option);

// Fatal when files are asked for that have no folder, or one that cannot be written to.
absl::Status CheckOutputs(const ArchiveOptions& options);

// Whether --out sets the option beside the folder.
bool IsSetByOut(std::string_view option);

}  // namespace orbweaver
