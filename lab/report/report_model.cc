#include "lab/report/report_model.h"

namespace orbweaver::lab {
namespace {

struct MetricText {
  const char* name;
  const char* title;
  const char* meaning;
};

constexpr MetricText kTexts[] = {
    {"unique_pages", "Unique pages", "Pages with a content that the crawl had not fetched before."},
    {"value", "Value", "The values of all pages together, each URL once."},
    {"pagerank", "PageRank gathered",
     "The share of the PageRank of all URLs, by the recorded links, that the fetched pages have."},
    {"in_links", "In-links gathered",
     "The share of all recorded links that lead to the fetched pages."},
    {"domains", "Domains", "Registered domains with at least one page."},
    {"fresh", "Up to date", "The share of the copies that are as the page is at that time."},
    {"age_days", "Age in days",
     "For how many days copies have been out of date, on average; 0 while they are not."},
    {"errors", "Failures", "Fetches that gave no page; every try counts."}};

}  // namespace

const char* MetricName(Metric metric) { return kTexts[static_cast<size_t>(metric)].name; }
const char* MetricTitle(Metric metric) { return kTexts[static_cast<size_t>(metric)].title; }
const char* MetricMeaning(Metric metric) { return kTexts[static_cast<size_t>(metric)].meaning; }

}  // namespace orbweaver::lab
