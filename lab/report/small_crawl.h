// A recording of five URLs and two crawls in it, small enough to count on paper. For tests.
#pragma once

#include <vector>

#include "lab/report/crawl_fetches.h"
#include "lab/report/page_table.h"

namespace orbweaver::lab {

// Of a.org: 0 the seed, 1, and 2 with 1's content. Of b.org: 3, and 4, which failed. 5, also of
// b.org, is linked to and was not fetched. 0 links to 1, 2, 3 and 5; 1 to 0; 3 to 0 and 4.
inline PageTable SmallRecording() {
  PageTable pages;
  const uint32_t a = pages.Domain("a.org");
  const uint32_t b = pages.Domain("b.org");
  const auto add = [&](uint32_t domain, uint32_t depth, uint32_t content, int64_t at_ms,
                       std::vector<uint32_t> links) {
    const VisitFacts visit{.at_ms = at_ms, .content = content};
    pages.AddUrl(domain, depth, 1, {&visit, 1});
    pages.links().AddPage(links);
  };
  add(a, 0, 1, 0, {1, 2, 3, 5});
  add(a, 1, 2, 1000, {0});
  add(a, 1, 2, 2000, {});
  add(b, 1, 3, 1000, {0, 4});
  add(b, 2, 0, 3000, {});
  pages.Finish(/*has_values=*/false);
  return pages;
}

inline CrawlFetches SmallCrawl(std::string name, const PageTable& pages,
                               std::vector<uint32_t> urls) {
  CrawlFetches crawl{.name = std::move(name), .ending = "nothing left to fetch", .urls = 6};
  for (const uint32_t url : urls) {
    const auto ms = static_cast<int64_t>(crawl.fetches.size() + 1) * 1000;
    const bool is_known = url < pages.known();
    crawl.fetches.push_back({.began_ms = ms - 1000,
                             .at_ms = ms,
                             .url = url,
                             .node = url,
                             .domain = is_known ? pages.DomainOf(url) : 1,
                             .depth = is_known ? 1u : 2u,
                             .is_page = is_known && pages.VisitsOf(url)[0].is_page()});
  }
  crawl.took = std::chrono::seconds(urls.size());
  return crawl;
}

inline std::vector<CrawlFetches> SmallCrawls(const PageTable& pages) {
  return {SmallCrawl("wide", pages, {0, 1, 2, 3}), SmallCrawl("narrow", pages, {0, 3, 4, 5})};
}

}  // namespace orbweaver::lab
