// The sites with most pages waiting first (Baeza-Yates, Castillo, Marin, Rodriguez, "Crawling a
// Country: Better Strategies than Breadth-First for Web Page Ordering", 2005).
#include <cmath>
#include <orbweaver/crawl_rules.h>

namespace {

using namespace orbweaver::sdk;

// The queue takes the domain with the best waiting request, and that is always the one with most
// waiting: a page's band says how many waited before it, and leaves before those. So nothing has to
// be raised when a domain grows, nor lowered when it shrinks.
class LargerSitesFirst final : public Strategy {
  CrawlRules rules_{this};
  Number factor_{this, "factor",
                 4,    1.01,
                 1000, "So many times as many pages wait in the domains of the next better band"};

  // Requests of the domain that have no outcome yet, those of this event included.
  static uint64_t Waiting(const Event& event) {
    const Domain& domain = event.domain();
    const uint64_t asked = domain.scheduled() + event.scheduled();
    return asked - std::min(asked, domain.fetched() + domain.failed());
  }

  float Score(const Event& event) const {
    const auto waiting = static_cast<double>(Waiting(event));
    const double better = std::log(waiting + 1) / std::log(factor_.value()) + 1e-9;
    return CrawlRules::BandScore(CrawlRules::kBands - 1 -
                                 static_cast<uint32_t>(std::min(better, CrawlRules::kBands - 1.0)));
  }

  void Filter(LinkFilter& links) override { rules_.Filter(links); }
  // Nothing is known of a seed's domain.
  void OnSeeds(Seeds& seeds) override { rules_.ScheduleSeeds(seeds, 1.0f); }
  void OnLinks(Links& links) override {
    for (const Link link : links) rules_.ScheduleNew(links, link, Score(links));
  }
  void OnFailure(Failure& failure) override { rules_.Retry(failure); }
};

}  // namespace

ORBWEAVER_STRATEGY(LargerSitesFirst, "larger_sites_first", 1,
                   "Domains with most pages waiting first");
