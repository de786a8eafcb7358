// Pages in one language: a domain that turns out to be in another is left after a few pages.
#include <orbweaver/crawl_rules.h>

using namespace orbweaver::sdk;

class OneLanguage final : public Strategy {
  CrawlRules rules_{this};
  String language_{this, "language", "en", "The language to look for, as pages declare it"};
  Integer patience_{this, "patience", 3,
                    1,    1000,       "Pages in other languages before a domain is left"};

  // Kept with each domain.
  struct Data {
    uint32_t foreign_in_a_row = 0;
  };

  bool Left(const Domain& domain) const {
    return domain.DataAs<Data>().foreign_in_a_row >= patience_;
  }

  // Before anything is read from the store: dropping a link here costs nothing.
  void Filter(LinkFilter& links) override {
    rules_.Filter(links);
    if (Left(links.domain())) links.DropAll();
  }

  void OnSeeds(Seeds& seeds) override { rules_.ScheduleSeeds(seeds, 1.0f); }

  void OnLinks(Links& links) override {
    const float score = CrawlRules::BandScore(links.depth() + 1);
    for (Link link : links) rules_.ScheduleNew(links, link, score);
  }

  void OnPage(Page& page) override {
    if (page.language().empty()) return;
    Data data = page.domain().DataAs<Data>();
    const bool matches = page.language().substr(0, 2) == language_.value();
    data.foreign_in_a_row = matches ? 0 : data.foreign_in_a_row + 1;
    page.KeepDomainDataAs(data);
    if (data.foreign_in_a_row >= patience_) page.GiveUpDomain();
  }

  void OnFailure(Failure& failure) override {
    if (!Left(failure.domain())) rules_.Retry(failure);
  }
};

ORBWEAVER_STRATEGY(OneLanguage, "one_language", 1,
                   "Pages in one language; domains in others are left");
