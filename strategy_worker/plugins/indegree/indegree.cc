// The pages that most links lead to first, as far as links were seen ("backlink count": Cho,
// Garcia-Molina, Page, "Efficient Crawling Through URL Ordering", 1998).
#include <cmath>
#include <orbweaver/crawl_rules.h>

namespace {

using namespace orbweaver::sdk;

class Indegree final : public Strategy {
  CrawlRules rules_{this};
  Number factor_{this, "factor",
                 2,    1.01,
                 1000, "So many times as many links lead to the pages of the next better band"};

  // Of a page that waits.
  struct Data {
    uint32_t links;
    uint32_t band;  // that the queue knows it in
  };

  // One link: the worst band.
  uint32_t BandOf(uint32_t links) const {
    const double better = std::log(links) / std::log(factor_.value()) + 1e-9;
    return CrawlRules::kBands - 1 -
           static_cast<uint32_t>(std::min(better, CrawlRules::kBands - 1.0));
  }

  // Links of a domain with a spent budget still raise what waits there.
  void Filter(LinkFilter& links) override { rules_.Filter(links, /*past_budget=*/true); }

  // Nothing is known of a seed, and without it of anything.
  void OnSeeds(Seeds& seeds) override { rules_.ScheduleSeeds(seeds, 1.0f); }

  void OnLinks(Links& links) override {
    for (Link link : links) {
      const bool waits = link.status() == Status::kQueued;
      if (!waits && !link.IsNew()) continue;
      Data data = link.DataAs<Data>();
      // A seed that waits has no count: it is in its own band, and stays there.
      if (waits && data.links == 0) continue;
      ++data.links;
      const uint32_t band = BandOf(data.links);
      if (!waits) {
        if (!rules_.ScheduleNew(links, link, CrawlRules::BandScore(band))) continue;
        data.band = band;
      } else if (band < data.band) {
        link.Raise(CrawlRules::BandScore(band));
        data.band = band;
      }
      link.SetData(data);
    }
  }

  void OnFailure(Failure& failure) override { rules_.Retry(failure); }
};

}  // namespace

ORBWEAVER_STRATEGY(Indegree, "indegree", 1, "Pages that most links lead to first");
