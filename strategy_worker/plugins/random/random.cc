// Everything reachable, in no order: the baseline that others are measured against.
#include <orbweaver/crawl_rules.h>
#include <orbweaver/hash.h>

namespace {

using namespace orbweaver::sdk;

class RandomOrder final : public Strategy {
  CrawlRules rules_{this};
  uint64_t seed_ = 0;

  void Start(uint64_t seed) override { seed_ = seed; }
  void Filter(LinkFilter& links) override { rules_.Filter(links); }
  void OnSeeds(Seeds& seeds) override { ScheduleAll(seeds); }
  void OnLinks(Links& links) override { ScheduleAll(links); }
  void OnFailure(Failure& failure) override { rules_.Retry(failure); }

  void ScheduleAll(LinkEvent& links) const {
    for (const Link link : links) {
      rules_.ScheduleNew(links, link, Draw(seed_, link.fingerprint().low));
    }
  }
};

}  // namespace

ORBWEAVER_STRATEGY(RandomOrder, "random", 1, "Everything reachable, in random order");
