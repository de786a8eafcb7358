// A few pages of every domain there is: what its sitemaps and its home page lead to.
#include <algorithm>
#include <orbweaver/crawl_rules.h>
#include <orbweaver/hash.h>
#include <orbweaver/urls.h>
#include <vector>

namespace {

using namespace orbweaver::sdk;

// The way into a domain: a seed or a link from another domain makes its home page a request. Before
// that page the spider fetches robots.txt, and the host event names the sitemaps, which are fetched
// first; when robots.txt cannot be had the home page is still tried, by the rules for retries. Then
// come links within the domain, from sitemaps and pages. Of a domain whose name does not exist
// nothing is fetched.
class Discovery final : public Strategy {
  CrawlRules rules_{this, /*max_pages=*/100};
  Globs interest_{this, "interest", "*about*,*contact*,*impressum*,*imprint*",
                  "Links within a domain that are fetched before others: patterns of URLs"};
  Number home_score_{this, "home_score", 0.8, 0, 1, "Score of home pages"};
  Number interest_score_{this, "interest_score", 0.7, 0, 1, "Score of links of interest"};
  Number other_score_{this, "other_score", 0.5, 0, 1, "Score of other links within a domain"};
  Number sitemap_score_{this, "sitemap_score", 0.95, 0, 1, "Score of sitemaps"};
  Integer max_sitemaps_{this,
                        "max_sitemaps",
                        5,
                        0,
                        10'000,
                        "Sitemaps of a registered domain that are fetched; where there are more, a "
                        "random sample of each list"};
  Flag new_domains_{
      this, "new_domains", true,
      "Links to other domains lead to their home pages; false: only domains of seeds"};
  uint64_t seed_ = 0;

  // Kept for each domain.
  struct Data {
    uint32_t sitemaps = 0;  // scheduled
    uint8_t entered = 0;    // its home page was scheduled
    uint8_t given_up = 0;
    uint8_t unused[2] = {};
  };

  void Start(uint64_t seed) override { seed_ = seed; }

  // Once a domain is entered, links from other domains are of no use, and cost no read. Only what
  // stays so is looked at here: events of the same batch are not seen yet.
  void Filter(LinkFilter& links) override {
    rules_.Filter(links);
    if (links.is_seeds()) return;
    const bool from_elsewhere = !links.same_domain();
    const bool useless = from_elsewhere && (links.domain().DataAs<Data>().entered || !new_domains_);
    if (useless) links.DropAll();
  }

  // A seed is also worth another look at a domain that was given up.
  void OnSeeds(Seeds& seeds) override {
    if (rules_.Budget(seeds) == 0) return;
    rules_.ScheduleSeeds(seeds, static_cast<float>(home_score_));
    auto data = seeds.domain().DataAs<Data>();
    data.given_up = 0;
    if (!data.entered && seeds.size() > 0) {
      const std::string home = HomeOf(seeds[0].url());
      const bool is_seed =
          std::any_of(seeds.begin(), seeds.end(), [&](Link seed) { return seed.url() == home; });
      Enter(seeds, is_seed ? std::string() : home, 0, &data);
    }
    seeds.KeepDomainDataAs(data);
  }

  void OnLinks(Links& links) override {
    if (IsGivenUp(links.domain())) return;
    auto data = links.domain().DataAs<Data>();
    if (!links.same_domain()) {
      if (links.size() == 0 || data.entered || rules_.Budget(links) == 0) return;
      Enter(links, HomeOf(links[0].url()), links.depth() + 1, &data);
      return links.KeepDomainDataAs(data);
    }
    // Where not all fit into the budget, those of interest go first.
    const bool scarce = rules_.Budget(links) < links.size();
    ScheduleSitemaps(links, &data);
    for (const Link link : links) {
      if (link.kind() == LinkKind::kSitemap || !link.IsNew()) continue;
      const bool interesting = interest_.Match(link.url());
      if (interesting || !scarce) {
        rules_.ScheduleNew(links, link,
                           static_cast<float>(interesting ? interest_score_ : other_score_));
      }
    }
    if (!scarce) return;
    for (const Link link : links) {
      if (link.kind() == LinkKind::kSitemap || interest_.Match(link.url())) continue;
      if (!rules_.ScheduleNew(links, link, static_cast<float>(other_score_)) &&
          rules_.Budget(links) == 0)
        return;
    }
  }

  void OnHost(Host& host) override {
    auto data = host.domain().DataAs<Data>();
    if (host.dns() == Dns::kNoSuchName) return GiveUpIfNew(host);
    std::vector<Candidate> candidates;
    for (size_t i = 0; i < host.sitemap_count(); ++i) {
      const std::string_view url = host.sitemap(i);
      if (!IsOfDomain(url, host.domain().name()) || !rules_.AllowsUrl(url)) continue;
      uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a
      for (const char c : url) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
      candidates.push_back({Draw(seed_, hash), i});
    }
    for (const Candidate& candidate : Sample(std::move(candidates), data)) {
      if (rules_.Budget(host) == 0) break;
      host.Request(host.sitemap(candidate.index), static_cast<float>(sitemap_score_));
      ++data.sitemaps;
    }
    if (!data.entered) Enter(host, "https://" + std::string(host.name()) + "/", 0, &data);
    host.KeepDomainDataAs(data);
  }

  void OnFailure(Failure& failure) override {
    if (IsGivenUp(failure.domain())) return;
    if (rules_.Retry(failure)) return;
    if (failure.cause() == Cause::kDns || failure.cause() == Cause::kDnsTemporary) {
      GiveUpIfNew(failure);
    }
  }

  // Requests the home page, unless `home` is empty: it is scheduled already.
  void Enter(Event& event, const std::string& home, uint32_t depth, Data* data) const {
    if (!home.empty()) {
      if (rules_.Budget(event) == 0 || !rules_.AllowsUrl(home)) return;
      RequestOptions options;
      options.depth = depth;
      event.Request(home, static_cast<float>(home_score_), options);
    }
    data->entered = 1;
  }

  // A page that came all the same lifts it.
  static bool IsGivenUp(const Domain& domain) {
    return domain.DataAs<Data>().given_up && domain.fetched() == 0;
  }

  // One dead host of a domain that answers elsewhere is no reason.
  static void GiveUpIfNew(Event& event) {
    if (event.domain().fetched() > 0) return;
    auto data = event.domain().DataAs<Data>();
    data.given_up = 1;
    event.KeepDomainDataAs(data);
    event.GiveUpDomain();
  }

  // ---- sitemaps ----

  struct Candidate {
    float lot;
    size_t index;
  };

  void ScheduleSitemaps(Links& links, Data* data) const {
    std::vector<Candidate> candidates;
    for (size_t i = 0; i < links.size(); ++i) {
      const Link link = links[i];
      if (link.kind() != LinkKind::kSitemap || !link.IsNew()) continue;
      candidates.push_back({Draw(seed_, link.fingerprint().low), i});
    }
    const uint32_t before = data->sitemaps;
    for (const Candidate& candidate : Sample(std::move(candidates), *data)) {
      if (rules_.ScheduleNew(links, links[candidate.index], static_cast<float>(sitemap_score_))) {
        ++data->sitemaps;
      }
    }
    if (data->sitemaps != before) links.KeepDomainDataAs(*data);
  }

  // Those with the lowest lots, as many as the domain may still have.
  std::vector<Candidate> Sample(std::vector<Candidate> candidates, const Data& data) const {
    const auto most =
        static_cast<size_t>(std::max<int64_t>(0, max_sitemaps_ - int64_t{data.sitemaps}));
    std::sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
      return a.lot != b.lot ? a.lot < b.lot : a.index < b.index;
    });
    if (candidates.size() > most) candidates.resize(most);
    return candidates;
  }
};

}  // namespace

ORBWEAVER_STRATEGY(Discovery, "discovery", 1,
                   "A few pages of every domain: sitemaps, home page, links within the domain");
