// The workers of a crawl as JSON.
//
// Place: the console's API. A pure function.
#pragma once

#include <span>
#include <string>

#include "cli/console/crawl_sampler.h"
#include "cli/frontier/frontier_status.h"

namespace orbweaver {

// An object: `workers`. Each worker once, with the partitions that `owners` names it for; with
// `roles` once for each of them, with all partitions.
std::string WorkersJson(std::span<const SampledWorker> workers, std::span<const std::string> roles,
                        const FrontierStatus& owners);

}  // namespace orbweaver
