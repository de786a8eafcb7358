#include "tests/sim/whole/strategy_scene.h"

#include <iterator>
#include <map>
#include <utility>
#include <vector>

#include "common/model/own_request.h"
#include "tests/sim/whole/calm_replay.h"
#include "tests/sim/whole/counting_crawl.h"

namespace orbweaver::sim {
namespace {

constexpr std::string_view kBody = "<html><p>About a spider, and another spider.</p></html>";

// Of a strategy that comes with Orbweaver: in the end everything is as if one worker had read the
// spider log without any fault, also what workers schedule by themselves.
class BuiltinScene : public StrategyScene {
 public:
  using StrategyScene::StrategyScene;

  void Append() override {
    StrategyWorld& world = run_.world;
    const std::string domain = DrawDomain();
    const std::string url = DrawUrl(domain);
    // As whose outcome it comes back is by chance too: there is no order in which a crash must not.
    const Meta own =
        MetaOf({.kind = random_.Chance(0.8) ? OwnRequest::Kind::kAsset : OwnRequest::Kind::kSitemap,
                .steps = static_cast<uint32_t>(1 + random_.Below(kMaxOwnSteps)),
                .is_in_scope = random_.Chance(0.5)});
    const auto meta = std::span(&own, run_.shape.scope.assets && random_.Chance(0.4) ? 1 : 0);
    const Request request{.url = url,
                          .domain = domain,
                          .depth = static_cast<uint32_t>(random_.Below(4)),
                          .score = 0.25f * static_cast<float>(1 + random_.Below(4)),
                          .attempt = static_cast<uint32_t>(random_.Below(4)),
                          .meta = meta};
    const uint64_t kind = random_.Below(13);
    if (kind < 5) {
      AppendLinks(domain, meta);
    } else if (kind < 6) {
      const Seed seed{.url = url};
      world.Append({.domain = domain, .event = Seeds{.seeds = {&seed, 1}}});
    } else if (kind < 8) {
      world.Append({.domain = domain,
                    .event = PageFetched{.request = request,
                                         .status = 200,
                                         .fetched_at = world.clock.Wall(),
                                         .body_bytes = kBody.size(),
                                         .content_hash = {.high = 1, .low = random_.Below(2)},
                                         .content_type = "text/html",
                                         .etag = random_.Chance(0.5) ? "\"e\"" : "",
                                         .not_modified = random_.Chance(0.1),
                                         .body = kBody}});
    } else if (kind < 9) {
      constexpr FailureCause kCauses[] = {FailureCause::kReset, FailureCause::kDns,
                                          FailureCause::kTimeoutTotal, FailureCause::kHttp4xx};
      world.Append({.domain = domain,
                    .event = FetchFailed{.request = request,
                                         .cause = kCauses[random_.Below(std::size(kCauses))],
                                         .status = 404}});
    } else if (kind < 10) {
      const std::string sitemaps[] = {"https://" + domain + "/a.xml",
                                      "https://www." + domain + "/b.xml"};
      const std::string_view views[] = {sitemaps[0], sitemaps[1]};
      world.Append({.domain = domain,
                    .event = HostFacts{.host = domain,
                                       .observed_at = world.clock.Wall(),
                                       .robots = RobotsOutcome::kRules,
                                       .crawl_delay = std::chrono::seconds(random_.Below(3)),
                                       .sitemaps = std::span(views).first(random_.Below(3)),
                                       .dns = random_.Chance(0.2) ? DnsOutcome::kNoSuchName
                                                                  : DnsOutcome::kUnspecified}});
    } else if (kind < 11) {
      world.Append({.domain = domain, .event = Deferred{.request = request}});
    } else if (kind < 12) {
      world.Append({.domain = domain, .event = DrawOrder()});
    } else {
      AppendNonsense(domain);
    }
  }

  std::string Audit() override {
    CalmReplay calm(run_);
    std::string breach = calm.ScheduledOtherwise(Rules());
    std::vector<std::string> domains;
    std::map<std::string, std::string> urls;
    for (uint64_t i = 0; i < kSceneDomains; ++i) {
      domains.push_back(DomainName(i));
      for (uint64_t n = 0; n < kSceneUrls; ++n) urls[UrlOf(domains[i], n)] = domains[i];
    }
    if (breach.empty()) breach = calm.KeptOtherwise(domains, std::move(urls));
    return breach.empty() ? breach : run_.shape.strategy.name + ": " + breach;
  }

 private:
  void AppendLinks(const std::string& domain, std::span<const Meta> meta) {
    std::vector<std::string> urls;
    for (uint64_t n = 1 + random_.Below(6); n > 0; --n) {
      urls.push_back(DrawUrl(domain));
    }
    constexpr LinkKind kKinds[] = {LinkKind::kAnchor,  LinkKind::kAnchor, LinkKind::kAnchor,
                                   LinkKind::kAnchor,  LinkKind::kAnchor, LinkKind::kSitemapPage,
                                   LinkKind::kSitemap, LinkKind::kEmbed,  LinkKind::kEmbed};
    std::vector<Link> links;
    for (const std::string& url : urls) {
      links.push_back({.url = url,
                       .anchor = random_.Chance(0.5) ? "a spider" : "something",
                       .kind = kKinds[random_.Below(std::size(kKinds))]});
    }
    const std::string source = random_.Chance(0.5) ? DrawUrl(domain) : "https://other.test/";
    run_.world.Append(
        {.domain = domain,
         .event = LinksFound{.source = {.url = source,
                                        .depth = static_cast<uint32_t>(random_.Below(3)),
                                        .score = 0.5f,
                                        .link_count = 10,
                                        .meta = meta},
                             .links = links}});
  }
};

}  // namespace

std::unique_ptr<Scene> NewStrategyScene(SimRun& run, uint64_t seed) {
  if (run.shape.strategy.name == kCountingStrategy) return NewCountingScene(run, seed);
  return std::make_unique<BuiltinScene>(run, seed);
}

}  // namespace orbweaver::sim
