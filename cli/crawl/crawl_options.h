// The configuration of `orbweaver crawl`: defaults that suit one machine, what the folder keeps,
// what is given now.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/crawl/crawl_arguments.h"
#include "cli/crawl/crawl_folder.h"
#include "cli/product_options.h"

#include "common/config/schema.h"

namespace orbweaver {

// Takes --config and --set out of `args`, as LoadProductOptions. Returns what is new against what
// was kept. Parameters that were kept for another strategy are dropped.
absl::StatusOr<std::vector<OptionChange>> LoadCrawlOptions(const CrawlFolder& folder,
                                                           const CrawlArguments& arguments,
                                                           std::vector<std::string>* args,
                                                           config::Schema& schema,
                                                           ProductOptions* options);

// Whether any source but the default gives the option of this name.
bool IsConfigured(const config::Schema& schema, std::string_view name);

// A line for each on standard error.
void TellChanges(const std::vector<OptionChange>& changes);

}  // namespace orbweaver
