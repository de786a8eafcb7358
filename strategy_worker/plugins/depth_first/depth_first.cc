// Everything reachable, what is far from the seeds first.
#include <orbweaver/crawl_rules.h>

namespace {

using namespace orbweaver::sdk;

// As deep as eight bands of the queue can tell: from the seventh level on all stand in the best
// one, where the queue is first in, first out.
class DepthFirst final : public Strategy {
  CrawlRules rules_{this};

  static float Score(uint32_t depth) {
    constexpr uint32_t kLast = CrawlRules::kBands - 1;
    return CrawlRules::BandScore(kLast - std::min(depth, kLast));
  }

  void Filter(LinkFilter& links) override { rules_.Filter(links); }
  void OnSeeds(Seeds& seeds) override { rules_.ScheduleSeeds(seeds, Score(0)); }
  void OnLinks(Links& links) override {
    const float score = Score(links.depth() + 1);
    for (const Link link : links) rules_.ScheduleNew(links, link, score);
  }
  void OnFailure(Failure& failure) override { rules_.Retry(failure); }
};

}  // namespace

ORBWEAVER_STRATEGY(DepthFirst, "depth_first", 1,
                   "Everything reachable, what is far from the seeds first");
