#include "lab/crawl/crawl_figures.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "absl/container/flat_hash_set.h"

#include "common/base/text.h"

namespace orbweaver::lab {
namespace {

constexpr uint16_t kOk = 200;

}  // namespace

CrawlFigures FiguresOf(const RecordedWeb& web, const CrawlTrace& trace) {
  CrawlFigures figures{.fetches = trace.fetches.size()};
  std::vector<bool> was_fetched(web.urls());
  std::vector<bool> was_found(web.urls());
  absl::flat_hash_set<uint32_t> unknown;
  absl::flat_hash_set<std::string_view> domains;
  for (const TracedFetch& fetch : trace.fetches) {
    domains.insert(DomainOf(web, trace, fetch));
    switch (fetch.outcome) {
      case FetchOutcome::kPage:
        ++figures.pages;
        if (web.VisitsOf(fetch.url)[fetch.visit].status == kOk) was_found[fetch.url] = true;
        break;
      case FetchOutcome::kNotModified:
        ++figures.not_modified;
        break;
      case FetchOutcome::kFailed:
        ++figures.failed;
        break;
      case FetchOutcome::kUnknown:
        ++figures.unknown;
        unknown.insert(fetch.url);
        continue;
    }
    was_fetched[fetch.url] = true;
  }
  figures.known_urls = static_cast<uint64_t>(std::ranges::count(was_fetched, true));
  figures.fewest_found = static_cast<uint64_t>(std::ranges::count(was_found, true));
  // An unknown answer to a URL that was found at another time adds none.
  const auto added = std::ranges::count_if(
      unknown, [&](uint32_t url) { return url >= web.urls() || !was_found[url]; });
  figures.most_found = figures.fewest_found + static_cast<uint64_t>(added);
  figures.domains = domains.size();
  return figures;
}

std::vector<std::pair<std::string, uint64_t>> UnknownDomains(const RecordedWeb& web,
                                                             const CrawlTrace& trace, size_t most) {
  std::map<std::string_view, uint64_t> fetches;
  for (const TracedFetch& fetch : trace.fetches) {
    if (fetch.outcome == FetchOutcome::kUnknown) ++fetches[DomainOf(web, trace, fetch)];
  }
  std::vector<std::pair<std::string, uint64_t>> all(fetches.begin(), fetches.end());
  std::ranges::sort(all, [](const auto& a, const auto& b) {
    return std::pair(b.second, std::string_view(a.first)) <
           std::pair(a.second, std::string_view(b.first));
  });
  all.resize(std::min(all.size(), most));
  return all;
}

}  // namespace orbweaver::lab
