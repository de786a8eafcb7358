// Important pages first, importance being computed while the crawl runs (OPIC: Abiteboul, Preda,
// Cobena, "Adaptive On-Line Page Importance Computation", 2003).
#include <cmath>
#include <orbweaver/crawl_rules.h>

namespace {

using namespace orbweaver::sdk;

// Every seed starts with cash; a page that is fetched gives its cash to the pages that it links to,
// in equal parts. A page that many or rich pages link to becomes rich, and is fetched first.
//
// A link's worker never sees the source page's state, but it sees the score with which that page
// was requested: so score and cash are two spellings of one number (Score, CashOf). Cash that
// reached the page after that request stays in its state, and its next fetch gives it away.
class Opic final : public Strategy {
  CrawlRules rules_{this};
  Number raise_step_{this, "raise_step",
                     0.03, 0,
                     1,    "How far a waiting page's score must rise before the queue is told"};

  // Of a page that waits: what it owns, and as how much the queue knows it.
  struct Data {
    float cash;
    float told;
  };

  // Cash from 2^-24 to 1 as a score from 0 to 1, by its logarithm, so that all of the queue's bands
  // are used. Computed in double, whose functions are the same in every language.
  static constexpr double kSpan = 24;
  static float Score(float cash) {
    return cash <= 0
               ? 0
               : static_cast<float>(std::clamp(1 + std::log2(double{cash}) / kSpan, 0.0, 1.0));
  }
  static float CashOf(float score) {
    return score <= 0 ? 0
                      : static_cast<float>(std::exp2((std::min(double{score}, 1.0) - 1) * kSpan));
  }

  // Links of a domain with a spent budget still bring cash to what waits there.
  void Filter(LinkFilter& links) override { rules_.Filter(links, /*past_budget=*/true); }

  void OnSeeds(Seeds& seeds) override {
    for (const Link seed : seeds) Receive(seeds, seed, CashOf(seed.seed_score().value_or(1.0f)));
  }

  void OnLinks(Links& links) override {
    const auto shares =
        static_cast<float>(std::max<size_t>(links.source_link_count(), links.size()));
    const float share = CashOf(links.source_score()) / shares;
    for (const Link link : links) Receive(links, link, share);
  }

  void Receive(const Event& event, Link link, float cash) const {
    const bool waits = link.status() == Status::kQueued;
    if (!waits && !link.IsNew()) return;  // fetched: what it owns would never be given away
    Data data = link.DataAs<Data>();
    data.cash += cash;
    if (!waits) {
      if (!rules_.ScheduleNew(event, link, Score(data.cash))) return;
      data.told = data.cash;
    } else if (Score(data.cash) >= Score(data.told) + raise_step_) {
      link.Raise(Score(data.cash));
      data.told = data.cash;
    }
    link.SetData(data);
  }

  // Its links have taken what it was requested with.
  void OnPage(Page& page) override {
    const float rest = std::max(0.0f, page.link().DataAs<Data>().cash - CashOf(page.score()));
    page.link().SetData(Data{rest, 0});
  }

  void OnFailure(Failure& failure) override { rules_.Retry(failure); }
};

}  // namespace

ORBWEAVER_STRATEGY(Opic, "opic", 1, "Important pages first, by cash that flows over links (OPIC)");
