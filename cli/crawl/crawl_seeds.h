// The seeds that `orbweaver crawl` was given.
#pragma once

#include "absl/status/status.h"
#include "cli/crawl/crawl_arguments.h"
#include "cli/crawl/crawl_folder.h"
#include "cli/crawl/local_crawl.h"
#include "cli/product_options.h"

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
                      const CrawlFolder& folder, const SeedList& seeds, LocalCrawl& crawl);

}  // namespace orbweaver
