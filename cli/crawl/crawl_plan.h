// `orbweaver crawl --dry-run`: the crawl that these options mean, in words.
#pragma once

#include "cli/crawl/crawl_arguments.h"
#include "cli/product_options.h"

namespace orbweaver {

// On standard output.
void PrintPlan(const CrawlArguments& arguments, const ProductOptions& options);

}  // namespace orbweaver
