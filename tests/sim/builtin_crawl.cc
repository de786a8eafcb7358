#include <algorithm>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "fmt/format.h"

#include "common/base/status.h"
#include "common/bus/topics.h"
#include "common/model/own_request.h"
#include "strategy_worker/host/loader.h"
#include "tests/sim/sim_crawl.h"

namespace orbweaver {
namespace {

constexpr std::string_view kBody = "<html><p>About a spider, and another spider.</p></html>";

// In one line, as far as a strategy has a say in it.
std::string Text(const ReadSchedule& schedule) {
  std::string text =
      fmt::format("{} {} part {}", schedule.domain, schedule.source_offset, schedule.part);
  if (schedule.update.has_value()) {
    const DomainUpdate& update = *schedule.update;
    text += fmt::format(", delay {}, blocked {}, back off {}, purge {}",
                        update.crawl_delay.value_or(std::chrono::milliseconds(-1)).count(),
                        update.blocked_until.value_or(WallTime()).time_since_epoch().count(),
                        update.back_off, update.purge);
  }
  for (const ReadRequest& request : schedule.requests) {
    text += fmt::format(", {} depth {} score {} attempt {} not before {} action {} etag {}",
                        request.url, request.depth, request.score, request.attempt,
                        request.not_before_ms, static_cast<int>(request.action), request.etag);
    for (const auto& [key, value] : request.meta) text += fmt::format(" {}={}", key, value);
  }
  return text;
}

std::string Text(const DomainRecord& record) {
  std::string text = fmt::format(
      "fetched {}, scheduled {}, failed {}, known {}, assets {}, sitemaps {}, robots "
      "{}, delay {}, {} bytes:",
      record.fetched, record.scheduled, record.failed, record.known_urls, record.assets,
      record.sitemaps, record.robots,
      record.crawl_delay.value_or(std::chrono::milliseconds(-1)).count(),
      record.strategy_data.size());
  for (const char c : record.strategy_data) {
    text += fmt::format(" {:02x}", static_cast<unsigned char>(c));
  }
  return text;
}

std::string Text(const std::optional<LinkState>& state) {
  if (!state.has_value()) return "unknown";
  std::string text =
      fmt::format("status {}, depth {}, fetches {}, errors {}, due {}, etag {}:",
                  static_cast<int>(state->status), state->depth, state->fetches, state->errors,
                  state->due_at.time_since_epoch().count(), state->etag);
  for (const uint8_t byte : state->data) text += fmt::format(" {:02x}", byte);
  return text;
}

class BuiltinCrawl : public SimCrawl {
 public:
  BuiltinCrawl(StrategyOptions options, ScopeOptions scope)
      : options_(std::move(options)), scope_(std::move(scope)) {}

  CrawlScope Scope(const StrategyWorld& world) override {
    return CrawlScope::Make(scope_, *world.suffixes).value();
  }

  // One seed for all: a worker that is started again has the same configuration.
  std::unique_ptr<Strategy> NewStrategy(uint64_t) override {
    auto strategy = LoadStrategy(options_, /*seed=*/1);
    CHECK_OK(strategy.status());
    return *std::move(strategy);
  }

  void Append(StrategyWorld& world, Random& random) override {
    world.clock.Advance(std::chrono::milliseconds(1));
    const std::string domain = SimDomain(random.Below(kSimDomains));
    const std::string url = SimUrl(domain, random.Below(kSimUrlsPerDomain));
    // As whose outcome it comes back is by chance too: there is no order in which a crash must not.
    const Meta own =
        MetaOf({.kind = random.Chance(0.8) ? OwnRequest::Kind::kAsset : OwnRequest::Kind::kSitemap,
                .steps = static_cast<uint32_t>(1 + random.Below(kMaxOwnSteps)),
                .is_in_scope = random.Chance(0.5)});
    const auto meta = std::span(&own, scope_.assets && random.Chance(0.4) ? 1 : 0);
    const Request request{.url = url,
                          .domain = domain,
                          .depth = static_cast<uint32_t>(random.Below(4)),
                          .score = 0.25f * static_cast<float>(1 + random.Below(4)),
                          .attempt = static_cast<uint32_t>(random.Below(4)),
                          .meta = meta};
    const uint64_t kind = random.Below(13);
    if (kind < 5) {
      AppendLinks(world, random, domain, meta);
    } else if (kind < 6) {
      const Seed seed{.url = url};
      world.Append({.domain = domain, .event = Seeds{.seeds = {&seed, 1}}});
    } else if (kind < 8) {
      world.Append({.domain = domain,
                    .event = PageFetched{.request = request,
                                         .status = 200,
                                         .fetched_at = world.clock.Wall(),
                                         .body_bytes = kBody.size(),
                                         .content_hash = {.high = 1, .low = random.Below(2)},
                                         .content_type = "text/html",
                                         .etag = random.Chance(0.5) ? "\"e\"" : "",
                                         .not_modified = random.Chance(0.1),
                                         .body = kBody}});
    } else if (kind < 9) {
      constexpr FailureCause kCauses[] = {FailureCause::kReset, FailureCause::kDns,
                                          FailureCause::kTimeoutTotal, FailureCause::kHttp4xx};
      world.Append({.domain = domain,
                    .event = FetchFailed{.request = request,
                                         .cause = kCauses[random.Below(std::size(kCauses))],
                                         .status = 404}});
    } else if (kind < 10) {
      const std::string sitemaps[] = {"https://" + domain + "/a.xml",
                                      "https://www." + domain + "/b.xml"};
      const std::string_view views[] = {sitemaps[0], sitemaps[1]};
      world.Append({.domain = domain,
                    .event = HostFacts{.host = domain,
                                       .observed_at = world.clock.Wall(),
                                       .robots = RobotsOutcome::kRules,
                                       .crawl_delay = std::chrono::seconds(random.Below(3)),
                                       .sitemaps = std::span(views).first(random.Below(3)),
                                       .dns = random.Chance(0.2) ? DnsOutcome::kNoSuchName
                                                                 : DnsOutcome::kUnspecified}});
    } else if (kind < 11) {
      world.Append({.domain = domain, .event = Deferred{.request = request}});
    } else if (kind < 12) {
      world.Append({.domain = domain, .event = NewOrder(world.clock.Wall(), random)});
    } else {
      world.AppendRaw(world.PartitionOfDomain(domain), domain, "no protobuf");
    }
  }

  std::string Audit(StrategyWorld& world, const ReaderRules& rules) override {
    StrategyWorld calm(world.topics.partitions);
    Replay(world, calm);
    const std::unique_ptr<Strategy> strategy = NewStrategy(0);
    const auto core = calm.NewCore(*strategy, {.member = "calm", .scope = Scope(calm)});
    if (const absl::Status status = calm.RunUntilIdle(*core); !status.ok()) {
      return "without faults: " + status.ToString();
    }
    const std::vector<ReadSchedule> is = ByDomain(world.ReadScoringLog(rules));
    const std::vector<ReadSchedule> should = ByDomain(calm.ReadScoringLog());
    for (size_t i = 0; i < std::max(is.size(), should.size()); ++i) {
      const std::string one = i < is.size() ? Text(is[i]) : "nothing";
      const std::string other = i < should.size() ? Text(should[i]) : "nothing";
      if (one != other) return options_.name + ": " + one + "; without faults: " + other;
    }
    for (uint64_t i = 0; i < kSimDomains; ++i) {
      std::string wrong = CompareDomain(SimDomain(i), should, world, calm);
      if (!wrong.empty()) return options_.name + ": " + wrong;
    }
    return {};
  }

 private:
  static void AppendLinks(StrategyWorld& world, Random& random, const std::string& domain,
                          std::span<const Meta> meta) {
    std::vector<std::string> urls;
    for (uint64_t n = 1 + random.Below(6); n > 0; --n) {
      urls.push_back(SimUrl(domain, random.Below(kSimUrlsPerDomain)));
    }
    constexpr LinkKind kKinds[] = {LinkKind::kAnchor,  LinkKind::kAnchor, LinkKind::kAnchor,
                                   LinkKind::kAnchor,  LinkKind::kAnchor, LinkKind::kSitemapPage,
                                   LinkKind::kSitemap, LinkKind::kEmbed,  LinkKind::kEmbed};
    std::vector<Link> links;
    for (const std::string& url : urls) {
      links.push_back({.url = url,
                       .anchor = random.Chance(0.5) ? "a spider" : "something",
                       .kind = kKinds[random.Below(std::size(kKinds))]});
    }
    const std::string source = random.Chance(0.5) ? SimUrl(domain, random.Below(kSimUrlsPerDomain))
                                                  : "https://other.test/";
    world.Append({.domain = domain,
                  .event = LinksFound{.source = {.url = source,
                                                 .depth = static_cast<uint32_t>(random.Below(3)),
                                                 .score = 0.5f,
                                                 .link_count = 10,
                                                 .meta = meta},
                                      .links = links}});
  }

  // The same events at the same times.
  static void Replay(StrategyWorld& from, StrategyWorld& to) {
    std::vector<std::pair<PartitionId, const StoredRecord*>> records;
    {
      absl::MutexLock lock(&from.broker.mutex);
      for (int p = 0; p < from.topics.partitions; ++p) {
        const PartitionLog& log = **from.broker.log().Find(kSpiderLogTopic, PartitionId(p));
        for (Offset offset(0); offset < log.bounds().end; ++offset) {
          records.emplace_back(PartitionId(p), log.At(offset).get());
        }
      }
    }
    std::ranges::sort(records, {}, [](const auto& record) { return record.second->time; });
    for (const auto& [partition, record] : records) {
      to.clock.Advance(record->time - to.clock.Wall());
      to.AppendRaw(partition, record->key, record->value);
    }
  }

  static std::vector<ReadSchedule> ByDomain(std::vector<ReadSchedule> schedules) {
    std::ranges::sort(schedules, {}, [](const ReadSchedule& schedule) {
      return std::tuple(schedule.domain, schedule.source_offset, schedule.part);
    });
    return schedules;
  }

  // Everything that is kept of a domain.
  static std::string CompareDomain(const std::string& domain,
                                   const std::vector<ReadSchedule>& schedules, StrategyWorld& world,
                                   StrategyWorld& calm) {
    const std::string record = Text(world.RecordOf(domain).value_or(DomainRecord()));
    const std::string calm_record = Text(calm.RecordOf(domain).value_or(DomainRecord()));
    if (record != calm_record) {
      return domain + ": " + record + "; without faults: " + calm_record;
    }
    std::set<std::string> urls;
    for (uint64_t i = 0; i < kSimUrlsPerDomain; ++i) urls.insert(SimUrl(domain, i));
    for (const ReadSchedule& schedule : schedules) {
      if (schedule.domain != domain) continue;
      for (const ReadRequest& request : schedule.requests) urls.insert(request.url);
    }
    for (const std::string& url : urls) {
      const std::string state = Text(world.StateOf(domain, url));
      const std::string calm_state = Text(calm.StateOf(domain, url));
      if (state != calm_state) return url + ": " + state + "; without faults: " + calm_state;
    }
    return {};
  }

  const StrategyOptions options_;
  const ScopeOptions scope_;
};

}  // namespace

std::unique_ptr<SimCrawl> NewBuiltinCrawl(const std::string& strategy,
                                          const std::map<std::string, std::string>& params,
                                          const ScopeOptions& scope) {
  return std::make_unique<BuiltinCrawl>(
      StrategyOptions{.name = strategy, .path = {}, .directory = {}, .params = params}, scope);
}

}  // namespace orbweaver
