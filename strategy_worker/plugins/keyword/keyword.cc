// A focused crawl: pages about given words first, and nothing far away from them.
#include <cmath>
#include <orbweaver/crawl_rules.h>

#include "relevance.h"

namespace {

using namespace orbweaver::sdk;

// The terms as configured: "crawler:2, web frontier, casino:-5".
class Terms final : public Parameter {
 public:
  explicit Terms(ParameterOwner* owner)
      : Parameter(owner, "terms", "list", "",
                  "Words or phrases to look for, each with a weight if it is not 1: crawler:2, web "
                  "frontier, casino:-5") {}

  void Parse(std::string_view text) override {
    relevance = {};
    for (const std::string& element : SplitList(text)) {
      const size_t colon = element.rfind(':');
      const double weight = colon == std::string::npos
                                ? 1
                                : Number::ParseNumber(std::string_view(element).substr(colon + 1));
      if (!std::isfinite(weight)) throw std::invalid_argument("a weight that is not finite");
      if (!relevance.AddTerm(element.substr(0, colon), weight)) {
        throw std::invalid_argument("'" + element + "' has no word");
      }
    }
  }

  Relevance relevance;
};

// The score of a link: what its anchor and URL say, and for the rest how relevant its surroundings
// are: the pages of its domain seen so far, or for a link from elsewhere the score of its page.
class Keyword final : public Strategy {
  NeedsBody body_{this};
  CrawlRules rules_{this};
  Terms terms_{this};
  Number link_weight_{
      this, "link_weight",
      0.6,  0,
      1,    "Share of a link's anchor and URL in its score; the rest is its surroundings'"};
  Number min_score_{this, "min_score", 0.05, 0, 1, "Links that score lower are not followed"};

  // Kept for each domain: a moving average.
  struct Data {
    float relevance = 0;
    uint32_t pages = 0;
  };

  void Start(uint64_t) override {
    if (terms_.relevance.empty()) throw std::invalid_argument("parameter 'terms' is empty");
  }

  void Filter(LinkFilter& links) override { rules_.Filter(links); }
  void OnSeeds(Seeds& seeds) override { rules_.ScheduleSeeds(seeds, 1.0f); }
  void OnFailure(Failure& failure) override { rules_.Retry(failure); }

  void OnLinks(Links& links) override {
    const auto data = links.domain().DataAs<Data>();
    const double around = links.same_domain() && data.pages > 0
                              ? static_cast<double>(data.relevance)
                              : std::clamp(static_cast<double>(links.source_score()), 0.0, 1.0);
    for (const Link link : links) {
      if (!link.IsNew()) continue;
      const double own =
          std::max(terms_.relevance.OfText(link.anchor()), terms_.relevance.OfText(link.url()));
      const double score = link_weight_ * own + (1 - link_weight_) * around;
      if (score >= min_score_) rules_.ScheduleNew(links, link, static_cast<float>(score));
    }
  }

  void OnPage(Page& page) override {
    if (page.not_modified()) return;  // what is known of it still holds
    const bool html = page.content_type().find("html") != std::string_view::npos;
    const double relevance =
        terms_.relevance.OfPage(page.title(), page.body(), html || page.content_type().empty());
    page.link().SetData(static_cast<float>(relevance));
    // Of the first pages the plain mean, then a mean that forgets.
    constexpr uint32_t kMemory = 20;
    auto data = page.domain().DataAs<Data>();
    data.pages = std::min(data.pages + 1, kMemory);
    data.relevance +=
        (static_cast<float>(relevance) - data.relevance) / static_cast<float>(data.pages);
    page.KeepDomainDataAs(data);
  }
};

}  // namespace

ORBWEAVER_STRATEGY(Keyword, "keyword", 1, "Pages about given words first (focused crawl)");
