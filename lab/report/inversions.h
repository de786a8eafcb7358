// Priority inversions of a crawl (report_model.h says what one is).
#pragma once

#include "lab/report/crawl_fetches.h"
#include "lab/report/page_table.h"
#include "lab/report/report_model.h"

namespace orbweaver::lab {

// A URL waits from the end of the first fetch whose page links to it until its own fetch begins.
// Memory: 4 bytes for each URL that was found and not fetched yet.
Inversions CountInversions(const PageTable& pages, const CrawlFetches& crawl);

}  // namespace orbweaver::lab
