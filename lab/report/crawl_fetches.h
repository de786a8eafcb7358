// A counterfactual crawl as its measurement sees it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/clock.h"
#include "lab/report/page_table.h"

namespace orbweaver::lab {

struct CrawlFetch {
  int64_t began_ms = 0;  // from the beginning of the crawl
  int64_t at_ms = 0;     // of its end
  uint32_t url = 0;      // below PageTable::known(): with a recorded outcome; else the crawl's own
  uint32_t node = 0;     // in PageTable::links(); kNoUrl: no recorded page links to it
  uint32_t visit = 0;
  uint32_t domain = 0;
  uint32_t depth = 0;
  bool is_page = false;  // of a known one
  float score = 0;       // its URL's, where PageTable::has_scores()
};

struct CrawlFetches {
  std::string name;
  std::string ending;               // why it ended, in words
  std::vector<CrawlFetch> fetches;  // ascending by at_ms
  uint32_t urls = 0;                // one more than the largest number of a URL
  Duration took{};
  Duration idle{};
};

}  // namespace orbweaver::lab
