// The contents of a report, as plain numbers and names: made by Evaluate (evaluation.h), shown by
// html_report.h and report_tables.h.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/base/clock.h"

namespace orbweaver::lab {

// The measures of a crawl.
enum class Metric : uint8_t {
  kUnique,    // pages with a content that the crawl had not fetched before
  kValue,     // the sum of the values of its pages, each URL once
  kPageRank,  // the share of all recorded PageRank that its pages have
  kInLinks,   // the share of all recorded links that lead to its pages
  kDomains,   // registered domains with at least one page
  kFresh,     // the share of its copies that are as the page is at that time
  kAge,       // for how many days its copies have been out of date, on average
  kErrors,    // fetches that failed
};
inline constexpr size_t kMetrics = 8;
inline constexpr Metric kAllMetrics[] = {Metric::kUnique,  Metric::kValue,   Metric::kPageRank,
                                         Metric::kInLinks, Metric::kDomains, Metric::kFresh,
                                         Metric::kAge,     Metric::kErrors};

// The worst and the best that the recording allows, as numbers: `low` is the smaller one.
struct Bounded {
  double low = 0;
  double estimate = 0;
  double high = 0;
};
using Measured = std::array<Bounded, kMetrics>;

// 95 %.
struct Interval {
  double low = 0;
  double high = 0;
};

struct CurvePoint {
  uint64_t fetches = 0;
  Duration at{};
  uint64_t known = 0;  // fetches with a recorded outcome
  Measured measured;
};

// Fetches of one registered domain.
struct DomainFigures {
  std::string domain;
  uint64_t fetches = 0;
  Bounded aim;  // of the metric that the report judges by
};

// A fetch is an inversion when another URL of the same registered domain, with a recorded page of
// greater value, had been linked to by a page fetched before and still waited. Politeness excuses
// none of them, since both URLs wait for the same domain.
struct Inversions {
  uint64_t fetches = 0;  // that could be one: of pages with a recorded outcome
  uint64_t inverted = 0;
};

struct StrategyReport {
  std::string name;
  std::string ending;  // why it ended, in words
  uint64_t fetches = 0;
  uint64_t known = 0;
  Duration took{};
  Duration idle{};
  std::vector<CurvePoint> by_fetches;  // at equal numbers of fetches
  std::vector<CurvePoint> by_time;     // at equal times
  CurvePoint final;                    // after Report::compared_fetches
  std::array<std::optional<Interval>, kMetrics> intervals;
  Inversions inversions;

  double support() const {
    return fetches == 0 ? 1 : static_cast<double>(known) / static_cast<double>(fetches);
  }
};

// `other` against `base`, as numbers of strategies, after Report::compared_fetches.
struct CrawlDifference {
  size_t base = 0;
  size_t other = 0;
  // other - base, and the same as a share of base; without one where base is 0.
  std::array<Bounded, kMetrics> absolute;
  std::array<std::optional<Interval>, kMetrics> interval;
  std::array<std::optional<double>, kMetrics> ratio;
  std::array<std::optional<Interval>, kMetrics> ratio_interval;
  bool has_verdict = false;
  std::string verdict;  // a sentence; of a pair without a verdict why there is none
};

// Registered domains of which `other` gathers most more, and most less, than `base`.
struct DomainChange {
  std::string domain;
  double base = 0;  // estimates of the metric that the report judges by
  double other = 0;
  uint64_t base_fetches = 0;
  uint64_t other_fetches = 0;
};
struct DomainChanges {
  size_t base = 0;
  size_t other = 0;
  std::vector<DomainChange> winners;
  std::vector<DomainChange> losers;
  uint64_t won = 0;  // of all domains
  uint64_t lost = 0;
  uint64_t equal = 0;
};

struct RecordingFacts {
  std::string name;      // of its folder
  std::string strategy;  // with which it was made
  std::string software;
  uint64_t urls = 0;  // with a recorded outcome
  uint64_t visits = 0;
  uint64_t links = 0;
  uint64_t domains = 0;
  uint64_t valued = 0;  // URLs whose page is worth something
  uint64_t explored = 0;
  Duration span{};
};

struct Report {
  RecordingFacts recording;
  std::string value;  // the user's text; empty: unique pages are the aim
  Metric aim = Metric::kUnique;
  // Metrics that say something: no value without one, nothing about freshness where nothing
  // changed.
  std::vector<Metric> metrics;
  uint64_t compared_fetches = 0;  // the shortest crawl's
  double needed_support = 0.8;
  // Whether figures are given below it.
  bool forced = false;
  std::vector<StrategyReport> strategies;
  std::vector<CrawlDifference> differences;  // each pair, in the order of strategies
  std::vector<DomainChanges> changes;        // of each strategy against the first
  // The domains that were resampled; 0: too few for intervals.
  uint64_t resampled_domains = 0;
};

// "unique_pages": of columns and for programs.
const char* MetricName(Metric metric);
// "Unique pages".
const char* MetricTitle(Metric metric);
// A sentence.
const char* MetricMeaning(Metric metric);

}  // namespace orbweaver::lab
