#include "cli/crawl/crawl_outcome.h"

#include "cli/command.h"

namespace orbweaver {

CrawlOutcome OutcomeOf(const CrawlCounts& counts) {
  if (counts.failures > counts.max_failures) return CrawlOutcome::kTooManyFailures;
  if (counts.pages == 0 && (counts.failures > 0 || counts.kept_back > 0 || counts.seeds_led_away)) {
    return CrawlOutcome::kNothingFetched;
  }
  return counts.finished ? CrawlOutcome::kComplete : CrawlOutcome::kStopped;
}

std::string_view CrawlOutcomeName(CrawlOutcome outcome) {
  switch (outcome) {
    case CrawlOutcome::kComplete:
      return "complete";
    case CrawlOutcome::kStopped:
      return "stopped";
    case CrawlOutcome::kNothingFetched:
      return "nothing_fetched";
    case CrawlOutcome::kTooManyFailures:
      return "too_many_failures";
  }
  return "";
}

int ExitCodeOf(CrawlOutcome outcome) {
  switch (outcome) {
    case CrawlOutcome::kComplete:
      return kExitOk;
    case CrawlOutcome::kNothingFetched:
      return 3;
    case CrawlOutcome::kStopped:
      return 4;
    case CrawlOutcome::kTooManyFailures:
      return 5;
  }
  return kExitFailed;
}

}  // namespace orbweaver
