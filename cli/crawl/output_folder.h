// The folder of --out, before a crawl begins.
#pragma once

#include <string>

#include "absl/status/status.h"

namespace orbweaver {

// Whether this user can write to `folder`, or make it where it is missing. Makes nothing: a crawl
// that cannot keep its pages is refused before it has a folder of its own. An empty name is no
// folder.
absl::Status CheckOutputFolder(const std::string& folder);

}  // namespace orbweaver
