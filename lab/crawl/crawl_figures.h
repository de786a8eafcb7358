// The counts of one counterfactual crawl.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "lab/crawl/crawl_trace.h"
#include "lab/crawl/recorded_web.h"

namespace orbweaver::lab {

// A crawl of which less was recorded says more about the recording than about the strategy.
inline constexpr double kLeastSupport = 0.8;

struct CrawlFigures {
  uint64_t fetches = 0;
  uint64_t pages = 0;         // fetches that brought content
  uint64_t not_modified = 0;  // fetches
  uint64_t failed = 0;        // fetches
  uint64_t unknown = 0;       // fetches
  uint64_t known_urls = 0;    // different ones
  uint64_t domains = 0;       // different ones, of known URLs and unknown ones
};

CrawlFigures FiguresOf(const RecordedWeb& web, const CrawlTrace& trace);

// The registered domains with most fetches of unknown URLs, at most `most`, with their numbers.
std::vector<std::pair<std::string, uint64_t>> UnknownDomains(const RecordedWeb& web,
                                                             const CrawlTrace& trace, size_t most);

}  // namespace orbweaver::lab
