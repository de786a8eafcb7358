#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/crawl/crawl_outcome.h"
#include "cli/crawl/crawl_tally.h"
#include "cli/crawl/crawl_view.h"
#include "cli/frontier/kept_failures.h"

#include "common/scope/scope_options.h"

namespace orbweaver {

// Links and seeds that the scope left out, each as often as it was found.
struct OutOfScopeCounts {
  uint64_t beyond_seeds = 0;  // by --scope
  uint64_t not_included = 0;
  uint64_t excluded = 0;
  uint64_t by_sitemaps = 0;  // by --sitemaps
};

// How a crawl came to its end, for people and with --json.
struct CrawlEnd {
  std::string why;  // "nothing is left", "--max-pages is reached", …
  bool finished = false;
  CrawlOutcome outcome = CrawlOutcome::kStopped;
  CrawlSnapshot last;
  std::vector<std::string> dead_letter_causes;  // of the first; last.dead_letters says how many
  ScopeKind scope = ScopeKind::kEverything;
  SitemapUse sitemaps = SitemapUse::kStrategy;
  OutOfScopeCounts out_of_scope;
  uint64_t handed_out = 0;     // requests that are in no queue any more and were not fetched
  bool queue_is_exact = true;  // otherwise what `last` says of it is an estimate
  // Of this run and those before: what waits for other options.
  FailureCounts put_by;
  std::vector<std::string> allowed_ports;
  std::vector<std::string> allowed_hosts;
  std::string data;                            // the folder that goes on where this one stopped
  std::string files;                           // where pages were written to; empty: nowhere
  std::vector<std::string> robots_ignored_on;  // hosts
};

// Pages by status, errors by cause with examples and what to do about them, top domains, files.
std::string SummaryText(const CrawlEnd& end, const CrawlTally& tally);
// The same as one line of JSON.
std::string SummaryJson(const CrawlEnd& end, const CrawlTally& tally);

}  // namespace orbweaver
