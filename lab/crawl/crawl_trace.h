// Each fetch of a counterfactual crawl: what its report is made of.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/clock.h"
#include "lab/crawl/recorded_web.h"

namespace orbweaver::lab {

// A request that was sent for a URL; not one for a robots.txt.
struct TracedFetch {
  Duration at{};       // from the beginning of the crawl, in virtual time
  uint32_t url = 0;    // its number; from RecordedWeb::urls() on CrawlTrace::unknown has it
  uint32_t visit = 0;  // which of the URL's recorded visits was the answer; 0 of kUnknown
  uint32_t took_ms = 0;
  uint32_t depth = 0;
  float score = 0;
  FetchOutcome outcome = FetchOutcome::kUnknown;
};

// A URL that no answer was recorded of. It answers as another one did (recorded_answers.h).
struct UnknownUrl {
  std::string url;
  std::string domain;  // registered
};

enum class CrawlEnd : uint8_t {
  kNothingLeft,  // the strategy has nothing more to fetch
  kBudget,
  kTime,
  kStopped,  // by its user, before the end
};

struct CrawlTrace {
  std::string strategy;              // as its user named it
  std::vector<TracedFetch> fetches;  // in the order in which they began
  std::vector<UnknownUrl> unknown;   // each once, in the order in which they were met
  CrawlEnd end = CrawlEnd::kNothingLeft;
  Duration took{};  // of virtual time
  // Of that, the time in which a spider had room for a fetch and requests, and all of them waited
  // for the delays of their domains; the spiders' mean.
  Duration idle{};
  uint64_t robots_fetches = 0;
  uint64_t forbidden = 0;     // requests that robots.txt did not allow
  uint64_t dead_letters = 0;  // events that could not be processed

  bool IsKnown(const TracedFetch& fetch) const { return fetch.outcome != FetchOutcome::kUnknown; }
};

// The URL and the registered domain of a fetch, known or not.
inline std::string_view UrlOf(const RecordedWeb& web, const CrawlTrace& trace,
                              const TracedFetch& fetch) {
  return fetch.url < web.urls() ? web.UrlOf(fetch.url)
                                : std::string_view(trace.unknown[fetch.url - web.urls()].url);
}
inline std::string_view DomainOf(const RecordedWeb& web, const CrawlTrace& trace,
                                 const TracedFetch& fetch) {
  return fetch.url < web.urls() ? web.DomainOf(fetch.url)
                                : std::string_view(trace.unknown[fetch.url - web.urls()].domain);
}

}  // namespace orbweaver::lab
