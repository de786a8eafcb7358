#include "tests/sim/whole/counting_crawl.h"

#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "common/base/status.h"
#include "common/url/fingerprint.h"
#include "tests/sim/whole/strategy_scene.h"
#include "tests/support/strategy_world.h"

namespace orbweaver::sim {
namespace {

uint64_t Mix(uint64_t a, uint64_t b) {
  Random random(a * 0x9e3779b97f4a7c15u ^ b);
  return random();
}

// The strategy counts in each state how often it scheduled the URL, so that states alone tell what
// must stand in the log. It decides by event and URL alone, or by chance.
class CountingStrategy : public ScriptedStrategy {
 public:
  CountingStrategy(bool by_chance, uint64_t seed) : random_(seed) {
    on_event = [this, by_chance](Call call) {
      if (call.event.now_ms % 31 == 0) return PoisonError("strategy: does not like this event");
      for (size_t i = 0; i < call.links.size(); ++i) {
        const bool wants = by_chance ? random_.Chance(0.4)
                                     : Wants(call.event.now_ms, call.links[i].fingerprint_low);
        if (wants) Schedule(call.states[i], &call.decisions[i]);
      }
      if (call.event.kind == ORBWEAVER_PAGE) AskForExtra(call);
      return absl::OkStatus();
    };
  }

  static bool Wants(int64_t now_ms, uint64_t fingerprint) {
    return Mix(static_cast<uint64_t>(now_ms), fingerprint) % 10 < 6;
  }
  static uint32_t CountOf(const uint8_t* data) {
    uint32_t count;
    std::memcpy(&count, data, sizeof count);
    return count;
  }
  static std::string ExtraUrl(std::string_view domain, int64_t now_ms) {
    return "https://www." + std::string(domain) + "/extra/" + std::to_string(now_ms);
  }

 private:
  static void Schedule(const orbweaver_state& state, orbweaver_decision* decision) {
    decision->action = ORBWEAVER_SCHEDULE;
    decision->score = 0.5;
    decision->set_data = 1;
    const uint32_t count = CountOf(state.data) + 1;
    std::memcpy(decision->data, &count, sizeof count);
  }
  void AskForExtra(Call call) {
    extra_url_ = ExtraUrl(ToView(call.event.domain_view->name_view), call.event.now_ms);
    extra_ = {};
    extra_.url = ToText(extra_url_);
    Schedule({}, &extra_.decision);
    call.output->requests_kept = &extra_;
    call.output->request_count = 1;
  }

  Random random_;
  std::string extra_url_;
  orbweaver_request extra_;
};

// The totals that must hold in the end, whatever happened.
struct Expected {
  uint64_t fetched = 0, failed = 0, deferred = 0;
  std::map<std::string, uint32_t> scheduled;  // by URL, of a strategy without chance
  std::set<std::string> queued;               // the same
  std::vector<std::string> orders;
};

// As they are passed on.
std::string TextOf(bool purge, std::optional<WallTime> blocked_until) {
  std::string text = purge ? "purge" : "";
  if (blocked_until.has_value()) {
    text += "blocked until " + std::to_string(blocked_until->time_since_epoch().count());
  }
  return text;
}

class CountingScene : public StrategyScene {
 public:
  using StrategyScene::StrategyScene;

  void Append() override {
    StrategyWorld& world = run_.world;
    const int64_t now_ms = world.clock.Wall().time_since_epoch().count();
    const bool poison = now_ms % 31 == 0;
    const std::string domain = DrawDomain();
    Expected& expected = expected_[domain];
    const std::string url = DrawUrl(domain);
    const Request request{.url = url, .domain = domain};
    const uint64_t kind = random_.Below(11);
    std::vector<std::string> urls = {url};
    bool decides = !poison;
    if (kind < 5) {
      for (uint64_t n = random_.Below(6); n > 0; --n) urls.push_back(DrawUrl(domain));
      std::vector<Link> links;
      for (const std::string& link : urls) links.push_back({.url = link});
      world.Append({.domain = domain,
                    .event = LinksFound{.source = {.url = "https://other.test/"}, .links = links}});
    } else if (kind < 6) {
      const Seed seed{.url = url};
      world.Append({.domain = domain, .event = Seeds{.seeds = {&seed, 1}}});
    } else if (kind < 7) {
      world.Append({.domain = domain, .event = PageFetched{.request = request, .status = 200}});
      if (!poison) {
        ++expected.fetched;
        expected.queued.erase(url);
        const std::string extra = CountingStrategy::ExtraUrl(domain, now_ms);
        ++expected.scheduled[extra];
        expected.queued.insert(extra);
      }
    } else if (kind < 8) {
      // Each of another request: the second failure of one would schedule nothing.
      Request failed = request;
      failed.attempt = failures_[url]++;
      world.Append({.domain = domain,
                    .event = FetchFailed{.request = failed, .cause = FailureCause::kReset}});
      if (!poison) {
        ++expected.failed;
        expected.queued.erase(url);
      }
    } else if (kind < 9) {
      // Of the request that its last failure led to.
      Request deferred = request;
      deferred.attempt = failures_[url];
      world.Append({.domain = domain, .event = Deferred{.request = deferred}});
      ++expected.deferred;
      expected.queued.insert(url);
      decides = false;
    } else if (kind < 10) {
      const DomainOrder order = DrawOrder();
      world.Append({.domain = domain, .event = order});
      expected.orders.push_back(TextOf(order.purge, order.blocked_until));
      if (order.purge) expected.queued.clear();
      decides = false;
    } else {
      AppendNonsense(domain);
      decides = false;
    }
    if (!decides) return;
    for (const std::string& link : std::set(urls.begin(), urls.end())) {
      if (!CountingStrategy::Wants(now_ms, FingerprintOf(link).low)) continue;
      ++expected.scheduled[link];
      expected.queued.insert(link);
    }
  }

  std::string Audit() override {
    StrategyWorld& world = run_.world;
    const ReaderRules rules = Rules();
    std::map<std::string, std::map<std::string, uint32_t>> read;  // domain → URL → how often
    std::map<std::string, uint64_t> deferred;
    std::set<std::pair<std::string, int64_t>> once;
    for (const ReadRequest& request : world.ReadRequests(rules)) {
      if (!once.emplace(request.url, request.source_offset.value()).second) {
        Fail(request.url, "scheduled twice of one event");
      }
      if (request.score == 0) {
        ++deferred[request.domain];
      } else {
        ++read[request.domain][request.url];
      }
    }
    std::map<std::string, std::vector<std::string>> orders;
    for (const ReadSchedule& schedule : world.ReadScoringLog(rules)) {
      if (!schedule.update.has_value()) continue;
      orders[schedule.domain].push_back(
          TextOf(schedule.update->purge, schedule.update->blocked_until));
    }
    for (const auto& [domain, expected] : expected_) {
      if (orders[domain] != expected.orders) Fail(domain, "its orders are not those given");
      AuditDomain(world, domain, expected, read[domain], deferred[domain]);
    }
    return failure_;
  }

 private:
  void AuditDomain(StrategyWorld& world, const std::string& domain, const Expected& expected,
                   const std::map<std::string, uint32_t>& read, uint64_t deferred) {
    const DomainRecord record = world.RecordOf(domain).value_or(DomainRecord());
    uint64_t total = 0;
    for (const auto& [url, times] : read) total += times;
    Compare(domain, "record.scheduled against the log", record.scheduled, total);
    Compare(domain, "pages", record.fetched, expected.fetched);
    Compare(domain, "failures", record.failed, expected.failed);
    Compare(domain, "handed back", deferred, expected.deferred);
    std::set<std::string> urls;
    for (uint64_t i = 0; i < kSceneUrls; ++i) urls.insert(UrlOf(domain, i));
    for (const auto& [url, times] : read) urls.insert(url);
    for (const auto& [url, times] : expected.scheduled) urls.insert(url);
    for (const std::string& url : urls) {
      const LinkState state = world.StateOf(domain, url).value_or(LinkState());
      const auto found = read.find(url);
      const uint32_t times = found == read.end() ? 0 : found->second;
      Compare(url, "the state's count against the log",
              CountingStrategy::CountOf(state.data.data()), times);
      if (run_.shape.by_chance) continue;
      Compare(url, "queued, as its state says", state.status == LinkStatus::kQueued,
              expected.queued.contains(url));
      const auto wanted = expected.scheduled.find(url);
      Compare(url, "the log against what the events say", times,
              wanted == expected.scheduled.end() ? 0 : wanted->second);
    }
  }

  void Compare(const std::string& who, const std::string& what, uint64_t is, uint64_t should) {
    if (is == should) return;
    Fail(who, what + ": " + std::to_string(is) + ", not " + std::to_string(should));
  }
  void Fail(const std::string& who, const std::string& what) {
    if (failure_.empty()) failure_ = who + ": " + what;
  }

  std::map<std::string, Expected> expected_;
  std::map<std::string, uint32_t> failures_;  // by URL
  std::string failure_;
};

}  // namespace

std::unique_ptr<Strategy> NewCountingStrategy(bool by_chance, uint64_t seed) {
  return std::make_unique<CountingStrategy>(by_chance, seed);
}

std::unique_ptr<Scene> NewCountingScene(SimRun& run, uint64_t seed) {
  return std::make_unique<CountingScene>(run, seed);
}

}  // namespace orbweaver::sim
