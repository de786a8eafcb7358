// Writes the report of a made-up recording, for those who test its page or change it.
//
//   report_sample_program DIR [STRATEGIES]
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "common/base/random.h"
#include "common/base/status.h"
#include "lab/report/evaluation.h"
#include "lab/report/report_folder.h"

namespace orbweaver::lab {
namespace {

constexpr uint32_t kDomains = 60;
constexpr uint32_t kUrls = 20'000;
constexpr uint32_t kKnown = 17'000;

PageTable Recording(Random& random) {
  PageTable pages;
  for (uint32_t domain = 0; domain < kDomains; ++domain) {
    pages.Domain("site-" + std::to_string(domain) + ".example");
  }
  uint32_t content = 0;
  for (uint32_t url = 0; url < kKnown; ++url) {
    const auto domain = static_cast<uint32_t>(random.Below(kDomains));
    std::vector<VisitFacts> visits;
    for (uint32_t visit = 0; visit <= random.Below(2); ++visit) {
      const bool is_page = !random.Chance(0.06);
      visits.push_back({.at_ms = static_cast<int64_t>((visit * kKnown + url) * 400ull),
                        .content = !is_page || random.Chance(0.1) ? content : ++content});
      visits.back().value = is_page && domain % 3 == 0 ? 1.0f : 0.0f;
      if (!is_page) visits.back().content = 0;
    }
    const auto depth = static_cast<uint32_t>(1 + random.Below(6));
    pages.AddUrl(domain, depth, random.Chance(0.05) ? 0.02 : 1, visits);
    std::vector<uint32_t> links;
    for (uint64_t i = random.Below(12); i > 0; --i) {
      // The lower its number, the more pages link to it.
      const double near = random.Unit();
      links.push_back(static_cast<uint32_t>(near * near * kUrls));
    }
    pages.links().AddPage(links);
  }
  pages.Finish(true);
  return pages;
}

// `skill`: how well it avoids pages without value; `daring`: how often it leaves what is known.
CrawlFetches Crawl(const std::string& name, const PageTable& pages, double skill, double daring,
                   uint32_t fetches, Random& random) {
  CrawlFetches crawl{.name = name, .ending = "budget spent", .urls = kUrls};
  int64_t at_ms = 0;
  std::vector<bool> seen(kUrls);
  while (crawl.fetches.size() < fetches) {
    const bool is_known = !random.Chance(daring);
    const auto url = static_cast<uint32_t>(is_known ? random.Below(kKnown)
                                                    : kKnown + random.Below(kUrls - kKnown));
    if (seen[url] && !random.Chance(0.2)) continue;
    if (is_known && pages.WorthOf(url) == 0 && random.Chance(skill)) continue;
    seen[url] = true;
    at_ms += static_cast<int64_t>(20 + random.Below(160));
    crawl.fetches.push_back(
        {.began_ms = at_ms - 10,
         .at_ms = at_ms,
         .url = url,
         .node = url,
         .domain = is_known ? pages.DomainOf(url) : static_cast<uint32_t>(random.Below(kDomains)),
         .depth = 3,
         .is_page = is_known && pages.VisitsOf(url)[0].is_page()});
  }
  crawl.took = std::chrono::milliseconds(at_ms);
  crawl.idle = std::chrono::milliseconds(static_cast<int64_t>(at_ms * skill / 3));
  return crawl;
}

int Run(const std::string& folder, size_t strategies) {
  Random random(1);
  const PageTable pages = Recording(random);
  std::vector<CrawlFetches> crawls = {
      Crawl("breadth_first", pages, 0.1, 0.0, 12'000, random),
      Crawl("opic:max_depth=6", pages, 0.5, 0.08, 11'000, random),
      Crawl("./build/my_strategy.so#deep<er>", pages, 0.7, 0.3, 9'000, random),
      Crawl("oracle", pages, 0.95, 0.02, 12'000, random)};
  crawls.resize(std::min(strategies, crawls.size()));
  Report report =
      Evaluate(pages, crawls, {.value = "status=200 and language=\"de\" and text_bytes>2000"});
  report.recording = {.name = "crawl-of-november",
                      .strategy = "breadth_first",
                      .software = "orbweaver 0.1.0",
                      .urls = kKnown,
                      .visits = kKnown * 3 / 2,
                      .links = pages.links().links(),
                      .domains = kDomains,
                      .valued = kKnown / 3,
                      .explored = pages.explored(),
                      .span = std::chrono::hours(4)};
  const absl::Status status = WriteReport(report, folder);
  if (status.ok()) return 0;
  std::fprintf(stderr, "%s\n", std::string(MessageOf(status)).c_str());
  return 1;
}

}  // namespace
}  // namespace orbweaver::lab

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  return orbweaver::lab::Run(argv[1], argc > 2 ? static_cast<size_t>(std::atoi(argv[2])) : 4);
}
