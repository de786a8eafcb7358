#include "lab/crawl/crawl_figures.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "absl/container/flat_hash_set.h"

#include "common/base/text.h"

namespace orbweaver::lab {
CrawlFigures FiguresOf(const RecordedWeb& web, const CrawlTrace& trace) {
  CrawlFigures figures{.fetches = trace.fetches.size()};
  std::vector<bool> was_fetched(web.urls());
  absl::flat_hash_set<std::string_view> domains;
  for (const TracedFetch& fetch : trace.fetches) {
    domains.insert(DomainOf(web, trace, fetch));
    switch (fetch.outcome) {
      case FetchOutcome::kPage:
        ++figures.pages;
        break;
      case FetchOutcome::kNotModified:
        ++figures.not_modified;
        break;
      case FetchOutcome::kFailed:
        ++figures.failed;
        break;
      case FetchOutcome::kUnknown:
        ++figures.unknown;
        continue;
    }
    was_fetched[fetch.url] = true;
  }
  figures.known_urls = static_cast<uint64_t>(std::ranges::count(was_fetched, true));
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
