// Pages again and again, each as often as it changes.
#include <orbweaver/crawl_rules.h>

namespace {

using namespace orbweaver::sdk;

// An interval per page, kept in its state: shorter after a fetch that found new content, longer
// after one that did not. The host makes repeated requests conditional, so that an unchanged page
// mostly costs a 304.
class Recrawl final : public Strategy {
  CrawlRules rules_{this, 0, CrawlRules::Cap::kUrls};
  Integer first_interval_s_{this,     "first_interval_s",
                            86'400,   1,
                            kLongest, "Seconds from a page's first fetch to its second"};
  Integer min_interval_s_{this,     "min_interval_s",
                          3'600,    1,
                          kLongest, "Seconds that always pass between two fetches of a page"};
  Integer max_interval_s_{this,        "max_interval_s",
                          30 * 86'400, 1,
                          kLongest,    "Seconds after which a page is fetched again at the latest"};
  Number shrink_{this, "shrink", 0.5,
                 0.01, 1,        "Factor for the interval of a page that has changed"};
  Number grow_{this, "grow", 1.5, 1, 100, "Factor for the interval of a page that has not changed"};
  Number new_score_{this, "new_score", 0.8, 0, 1, "Score of pages that were never fetched"};
  Number again_score_{this, "again_score", 0.5, 0, 1, "Score of pages that are fetched again"};

  static constexpr int64_t kLongest = 10 * 365 * 86'400;

  struct Data {
    uint32_t interval_s;
    uint32_t unchanged;  // fetches in a row that found the same, for people who look
  };

  void Start(uint64_t) override {
    if (min_interval_s_ > max_interval_s_) {
      throw std::invalid_argument("min_interval_s is greater than max_interval_s");
    }
  }

  void Filter(LinkFilter& links) override { rules_.Filter(links); }
  void OnSeeds(Seeds& seeds) override {
    rules_.ScheduleSeeds(seeds, static_cast<float>(new_score_));
  }
  void OnLinks(Links& links) override {
    for (const Link link : links) {
      rules_.ScheduleNew(links, link, static_cast<float>(new_score_));
    }
  }

  void OnPage(Page& page) override {
    const Link link = page.link();
    Data data = link.DataAs<Data>();
    if (data.interval_s == 0) {  // the first fetch, or one under another strategy
      data = {Bounded(first_interval_s_), 0};
    } else if (page.changed()) {
      data = {Bounded(data.interval_s * shrink_), 0};
    } else {
      data = {Bounded(data.interval_s * grow_), data.unchanged + 1};
    }
    Again(page, data);
  }

  // A transient failure is retried by the rules; after the last retry the page counts as unchanged.
  // A permanent failure is left alone.
  void OnFailure(Failure& failure) override {
    if (rules_.Retry(failure) || !failure.transient()) return;
    Data data = failure.link().DataAs<Data>();
    data.interval_s =
        data.interval_s == 0 ? Bounded(first_interval_s_) : Bounded(data.interval_s * grow_);
    Again(failure, data);
  }

  void Again(LinkEvent& event, const Data& data) const {
    Link link = event[0];
    const int64_t due_ms = event.now_ms() + int64_t{data.interval_s} * 1000;
    link.SetData(data);
    link.SetDue(due_ms);
    link.SetAttempt(0);
    link.Schedule(static_cast<float>(again_score_), due_ms);
  }

  uint32_t Bounded(double seconds) const {
    return static_cast<uint32_t>(std::clamp(seconds, static_cast<double>(min_interval_s_),
                                            static_cast<double>(max_interval_s_)));
  }
};

}  // namespace

ORBWEAVER_STRATEGY(Recrawl, "recrawl", 1, "Pages again and again, each as often as it changes");
