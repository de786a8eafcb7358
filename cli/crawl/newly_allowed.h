// URLs that were put by because an option forbade them, when the options have changed.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/crawl/crawl_folder.h"
#include "cli/crawl/local_crawl.h"
#include "cli/frontier/kept_failures.h"

namespace orbweaver {

// The causes whose URLs may be allowed by `changes`.
std::vector<FailureCause> CausesOf(const std::vector<OptionChange>& changes);

// Has those tried again; how many there are. To be called before the changed options are kept, and
// again after a crash in between.
absl::StatusOr<uint64_t> RequeueNewlyAllowed(const std::vector<OptionChange>& changes,
                                             LocalCrawl& crawl);

}  // namespace orbweaver
