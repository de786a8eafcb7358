#include "cli/crawl/crawl_outcome.h"

#include <gtest/gtest.h>

namespace orbweaver {
namespace {

TEST(CrawlOutcomeTest, WhatWasOnlyKeptBackByUsIsNothingFetched) {
  EXPECT_EQ(OutcomeOf({.finished = true, .kept_back = 1}), CrawlOutcome::kNothingFetched);
  EXPECT_EQ(OutcomeOf({.finished = true, .pages = 1, .kept_back = 1}), CrawlOutcome::kComplete);
}

TEST(CrawlOutcomeTest, TheWorstThatFitsCounts) {
  const struct {
    CrawlCounts counts;
    int exit_code;
  } kCases[] = {
      {{.finished = true, .pages = 1, .failures = 9}, 0},
      {{.finished = true}, 0},  // nothing was to be done
      {{.finished = false, .pages = 1}, 4},
      {{.finished = false}, 4},
      {{.finished = true, .pages = 0, .failures = 1}, 3},
      {{.finished = false, .pages = 0, .failures = 1}, 3},
      {{.finished = true, .pages = 0, .seeds_led_away = true}, 3},
      {{.finished = true, .pages = 1, .seeds_led_away = true}, 0},
      {{.finished = true, .pages = 1, .failures = 9, .max_failures = 9}, 0},
      {{.finished = true, .pages = 1, .failures = 10, .max_failures = 9}, 5},
      {{.finished = false, .pages = 0, .failures = 1, .max_failures = 0}, 5},
  };
  for (const auto& [counts, exit_code] : kCases) {
    EXPECT_EQ(ExitCodeOf(OutcomeOf(counts)), exit_code)
        << counts.finished << " " << counts.pages << " " << counts.failures;
  }
}

}  // namespace
}  // namespace orbweaver
