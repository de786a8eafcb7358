// Everything reachable, what is near the seeds first.
#include <orbweaver/crawl_rules.h>

namespace {

using namespace orbweaver::sdk;

// The queue is first in, first out within a band, which is breadth-first already as long as one
// page after another is handled; the bands keep the first eight levels apart whatever the order of
// events.
class BreadthFirst final : public Strategy {
  CrawlRules rules_{this};

  void Filter(LinkFilter& links) override { rules_.Filter(links); }
  void OnSeeds(Seeds& seeds) override { rules_.ScheduleSeeds(seeds, CrawlRules::BandScore(0)); }
  void OnLinks(Links& links) override {
    const float score = CrawlRules::BandScore(links.depth() + 1);
    for (const Link link : links) rules_.ScheduleNew(links, link, score);
  }
  void OnFailure(Failure& failure) override { rules_.Retry(failure); }
};

}  // namespace

ORBWEAVER_STRATEGY(BreadthFirst, "breadth_first", 1,
                   "Everything reachable, what is near the seeds first");
