// The seeds that `orbweaver crawl` was given.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cli/crawl/crawl_arguments.h"
#include "cli/crawl/crawl_folder.h"
#include "cli/product_options.h"

#include "common/bus/bus.h"
#include "common/url/domain.h"

namespace orbweaver {

// Before anything is made: whether the seeds of the command line are URLs, the files can be read,
// and the scope leaves any of them; those of the command line that it leaves out are named.
absl::Status CheckSeeds(const CrawlArguments& arguments, const ProductOptions& options);

// Refuses seeds that the folder has not seen, which are another crawl's, unless --add is given.
absl::Status CheckSeedsBelong(const CrawlArguments& arguments, const ProductOptions& options,
                              const CrawlFolder& folder, const SeedList& seeds);

// Writes them into the spider log, and before them those of a folder that begins anew; they are
// durable afterwards, and the folder knows them. After CheckSeeds.
absl::Status AddSeeds(const CrawlArguments& arguments, const ProductOptions& options,
                      const CrawlFolder& folder, const SeedList& seeds, Bus& bus,
                      const PublicSuffixes& suffixes);

// Adds seeds to a crawl that was begun before, whether it runs or not: all of them, or none when
// one is no URL or out of scope, which is poison. They are durable afterwards, in the log and in
// the folder's list; returns how many they are.
absl::StatusOr<uint64_t> AddMoreSeeds(const std::vector<std::string>& seeds,
                                      const ProductOptions& options, const CrawlFolder& folder,
                                      Bus& bus, const PublicSuffixes& suffixes);

}  // namespace orbweaver
