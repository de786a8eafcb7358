// The result of a crawl, in a word and as the exit code that scripts see.
#pragma once

#include <cstdint>
#include <string_view>

namespace orbweaver {

enum class CrawlOutcome : uint8_t {
  kComplete,         // nothing is left to do
  kStopped,          // by a limit or by somebody: the folder goes on
  kNothingFetched,   // it was tried, and not one page came
  kTooManyFailures,  // more than --max-failures
};

struct CrawlCounts {
  bool finished = false;  // nothing is left
  uint64_t pages = 0;     // of this run
  uint64_t failures = 0;
  bool seeds_led_away = false;  // by redirects that ended as links
  // Requests that our own options or our way to the web kept from being tried.
  uint64_t kept_back = 0;
  uint64_t max_failures = UINT64_MAX;
};

// A run that found nothing to do at all is complete. Of two that fit, the worse one counts: too
// many failures, then nothing fetched, then stopped.
CrawlOutcome OutcomeOf(const CrawlCounts& counts);

// "complete", "stopped", "nothing_fetched", "too_many_failures".
std::string_view CrawlOutcomeName(CrawlOutcome outcome);

// 0, 3, 4 and 5. 1 and 2 mean the same as for every command (cli/command.h).
int ExitCodeOf(CrawlOutcome outcome);

}  // namespace orbweaver
