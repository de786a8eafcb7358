#include "tests/sim/whole/troubled_sites.h"

#include <algorithm>
#include <charconv>

#include "fmt/format.h"

#include "common/base/check.h"

namespace orbweaver::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

enum class Trouble : uint8_t {
  kNone,
  kNoneEither,  // so that most of the crawl is one
  kSlow,
  kDrip,
  kReset,
  kStale,
  kTimeoutFirstByte,
  kTimeoutTotal,
  kTooMany,  // 429 with and without Retry-After in turn
  kBusy,     // 503 likewise
  kGone,
  kBroken,  // 500, HTTP that is none, encodings that are none
  kTooLarge,
  kGarbage,
  kManyLinks,
  kRedirectInside,
  kRedirectCircle,
  kRedirectAway,
  kRedirectPrivate,
  // The way to the host: its robots.txt has it too.
  kDead,
  kRefused,
  kNoName,
  kNameAtTimes,
  kPrivate,
  kCertificate,
  kCount,
};

enum class RobotsKind : uint8_t {
  kAbsent,
  kRules,
  kCrawlDelay,
  kRedirect,
  kRedirectAway,
  kRedirectCircle,
  kHuge,
  kGarbage,
  kAtTimes,  // first 503, then rules
  kServerError,
  kTooMany,
  kTimeout,
  kCount,
};

constexpr auto kTroubles = static_cast<size_t>(Trouble::kCount);
constexpr auto kRobotsKinds = static_cast<size_t>(RobotsKind::kCount);
constexpr auto kCrawlDelay = milliseconds(2500);
constexpr char kRules[] = "User-agent: *\nDisallow: /private/\n";
// From the verdict of a robots.txt to the request that goes by it: its wait for its turn, and those
// of redirects.
constexpr Duration kVerdictHolds = minutes(3);
constexpr size_t kHugeSites = 3 * kRobotsKinds;
constexpr size_t kToldComplaints = 10;

Trouble TroubleOf(size_t site) { return static_cast<Trouble>(site % kTroubles); }
// Coprime numbers of kinds: all combinations come.
RobotsKind RobotsKindOf(size_t site) { return static_cast<RobotsKind>(site % kRobotsKinds); }

bool HasRules(RobotsKind kind) {
  switch (kind) {
    case RobotsKind::kRules:
    case RobotsKind::kCrawlDelay:
    case RobotsKind::kRedirect:
    case RobotsKind::kRedirectAway:
    case RobotsKind::kHuge:
    case RobotsKind::kAtTimes:
      return true;
    default:
      return false;
  }
}

// Whether it was the spider that ended it: the site works on for a while.
bool IsBrokenOff(FailureCause cause) {
  switch (cause) {
    case FailureCause::kTooSlow:
    case FailureCause::kTimeoutFirstByte:
    case FailureCause::kTimeoutTotal:
    case FailureCause::kTooLarge:
      return true;
    default:
      return false;
  }
}

// Of the way to the host; nullopt: it can be reached.
std::optional<SimulatedAnswer> UnreachableAnswer(Trouble trouble, Random& random) {
  switch (trouble) {
    case Trouble::kDead:
      return SimulatedAnswer{.failure = FailureCause::kTimeoutConnect, .takes = seconds(10)};
    case Trouble::kRefused:
      return SimulatedAnswer{.failure = FailureCause::kRefused, .takes = milliseconds(1)};
    case Trouble::kNoName:
      return SimulatedAnswer{.failure = FailureCause::kDns, .takes = milliseconds(1)};
    case Trouble::kNameAtTimes:
      if (random.Chance(0.5)) return std::nullopt;
      return SimulatedAnswer{.failure = FailureCause::kDnsTemporary, .takes = seconds(5)};
    case Trouble::kPrivate:
      return SimulatedAnswer{.failure = FailureCause::kPrivateAddress, .takes = {}};
    case Trouble::kCertificate:
      return SimulatedAnswer{.failure = FailureCause::kTlsCertificate, .takes = milliseconds(50)};
    default:
      return std::nullopt;
  }
}

}  // namespace

TroubledSites::TroubledSites(ManualClock& clock, const PolitenessOptions& politeness,
                             const RobotsOptions& robots, size_t sites, uint64_t seed)
    : clock_(clock), politeness_(politeness), robots_(robots), random_(seed), sites_(sites) {
  while (filler_.size() < size_t{600} << 10) filler_ += "Disallow: /filler/of/this/file\n";
}

std::string TroubledSites::UrlOf(size_t site, uint64_t number) {
  CHECK(site < sites_.size());
  const char* const host = random_.Chance(0.8) ? "www" : "api";
  const char* const folder = random_.Chance(0.2) ? "private" : "public";
  return fmt::format("http://{}.s{}.test/{}/{}", host, site, folder, number);
}

TroubledSites::Target TroubledSites::TargetOf(std::string_view url) const {
  constexpr std::string_view kPrefix = "http://www.s";
  Target target{.host = url.starts_with("http://www.") ? 0 : 1};
  url.remove_prefix(kPrefix.size());
  const auto read = std::from_chars(url.data(), url.data() + url.size(), target.site);
  CHECK(read.ec == std::errc() && target.site < sites_.size());
  target.path = url.substr(url.find('/'));
  return target;
}

Duration TroubledSites::DelayOf(const Target& target, const Site& site) const {
  const bool asks = site.crawl_delay_known && RobotsKindOf(target.site) == RobotsKind::kCrawlDelay;
  return asks ? std::max<Duration>(politeness_.delay, kCrawlDelay) : politeness_.delay;
}

void TroubledSites::Complain(std::string_view url, std::string_view about) {
  ++complained_;
  if (complaints_.size() < kToldComplaints) {
    complaints_.push_back(fmt::format(
        "{} s: {}: {}", std::chrono::duration<double>(clock_.Now().time_since_epoch()).count(), url,
        about));
  }
}

SimulatedAnswer TroubledSites::Begin(int, FetchId id, std::string_view url) {
  ++requests_;
  const Target target = TargetOf(url);
  std::optional<SimulatedAnswer> unreachable = UnreachableAnswer(TroubleOf(target.site), random_);
  // The site has not heard of it.
  if (unreachable) return *std::move(unreachable);
  Judge(url, target);
  ++sites_[target.site].running;
  const bool robots = target.path.ends_with("robots.txt");
  SimulatedAnswer answer = robots ? RobotsOf(target) : PageOf(target);
  running_[id.value()] = {
      .site = target.site,
      .host = target.host,
      .allows = target.path == "/robots.txt" && !answer.failure && answer.status != 429 &&
                answer.status < 500,
      .broken_off = answer.truncated || (answer.failure && IsBrokenOff(*answer.failure)),
      .asks_for_rest = !answer.failure && (answer.status == 429 || answer.status == 503),
      .retry_after = answer.retry_after};
  pages_served_ += !robots && !answer.failure && answer.status == 200;
  return answer;
}

void TroubledSites::Judge(std::string_view url, const Target& target) {
  const Site& site = sites_[target.site];
  const SteadyTime now = clock_.Now();
  if (site.running > 0) Complain(url, "while another request is running");
  if (now < site.ready_at) Complain(url, "sooner than its delay");
  if (now < site.blocked_until) Complain(url, "although it asked for rest");
  if (target.path.ends_with("robots.txt")) return;
  if (target.path.starts_with("/private/") && HasRules(RobotsKindOf(target.site))) {
    Complain(url, "against robots.txt");
  }
  const SteadyTime allowed_at = site.allowed_at[target.host];
  if (allowed_at == SteadyTime::min() || now > allowed_at + robots_.max_age + kVerdictHolds) {
    Complain(url, "without an answer to robots.txt");
  }
}

void TroubledSites::End(FetchId id) {
  const auto found = running_.find(id.value());
  if (found == running_.end()) return;
  const Running running = found->second;
  running_.erase(found);
  Site& site = sites_[running.site];
  const SteadyTime now = clock_.Now();
  --site.running;
  if (running.allows) {
    site.allowed_at[running.host] = now;
    site.crawl_delay_known = true;
  }
  // The site notices within a delay that nobody listens any more.
  const Duration notices = running.broken_off
                               ? Duration(random_.Below(static_cast<uint64_t>(
                                     std::chrono::nanoseconds(politeness_.delay).count())))
                               : Duration{};
  const Target target{.site = running.site};
  site.ready_at = now + notices + DelayOf(target, site);
  if (running.asks_for_rest) {
    const Duration rest = running.retry_after
                              ? std::min<Duration>(*running.retry_after, politeness_.back_off.most)
                              : politeness_.back_off.first;
    site.blocked_until = std::max(site.blocked_until, now + rest);
  }
}

void TroubledSites::Disconnect(int) {
  running_.clear();
  // The next one takes each of its domains for one that was asked at this moment.
  for (Site& site : sites_) {
    site.running = 0;
    site.ready_at = clock_.Now() + politeness_.delay;
    site.crawl_delay_known = false;
    site.allowed_at[0] = site.allowed_at[1] = SteadyTime::min();
    site.blocked_until = SteadyTime::min();
  }
}

SimulatedAnswer TroubledSites::RobotsOf(const Target& target) {
  Site& site = sites_[target.site];
  const auto takes = milliseconds(1 + random_.Below(300));
  const auto elsewhere = [&](std::string_view path) {
    return SimulatedAnswer{.status = 302, .location = std::string(path), .takes = takes};
  };
  const auto file = [&](std::string_view text) {
    return SimulatedAnswer{.content_type = "text/plain", .body = std::string(text), .takes = takes};
  };
  switch (RobotsKindOf(target.site)) {
    case RobotsKind::kRules:
      return file(kRules);
    case RobotsKind::kCrawlDelay:
      return file(fmt::format("{}Crawl-delay: 2.5\n", kRules));
    case RobotsKind::kRedirect:
      return target.path == "/robots.txt" ? elsewhere("/other/robots.txt") : file(kRules);
    case RobotsKind::kRedirectAway:
      // To the next site of the same kind, which has the same rules.
      if (target.path != "/robots.txt") return file(kRules);
      return elsewhere(fmt::format("http://www.s{}.test/other/robots.txt",
                                   (target.site + kRobotsKinds) % sites_.size()));
    case RobotsKind::kRedirectCircle:
      return elsewhere("/robots.txt");
    case RobotsKind::kHuge:
      // Of a few sites only: reading it is most of what the test would do.
      return file(target.site < kHugeSites ? kRules + filler_ : kRules);
    case RobotsKind::kGarbage: {
      std::string bytes;
      for (int i = 0; i < 500; ++i) bytes.push_back(static_cast<char>(random_.Below(256)));
      return file(bytes);
    }
    case RobotsKind::kAtTimes:
      if (site.robots_asked++ % 2 == 0) {
        return {.status = 503, .retry_after = seconds(20), .takes = takes};
      }
      return file(kRules);
    case RobotsKind::kServerError:
      return {.status = 500, .takes = takes};
    case RobotsKind::kTooMany:
      return {.status = 429, .takes = takes};
    case RobotsKind::kTimeout:
      return {.failure = FailureCause::kTimeoutTotal, .takes = seconds(30)};
    default:
      return {.status = 404, .takes = takes};
  }
}

SimulatedAnswer TroubledSites::PageOf(const Target& target) {
  const auto takes = milliseconds(1 + random_.Below(400));
  const auto moved = [&](std::string_view location) {
    return SimulatedAnswer{.status = 302, .location = std::string(location), .takes = takes};
  };
  const auto failed = [](FailureCause cause, Duration after) {
    return SimulatedAnswer{.failure = cause, .takes = after};
  };
  const std::optional<milliseconds> wish =
      random_.Chance(0.5) ? std::optional<milliseconds>(seconds(1 + random_.Below(90)))
                          : std::nullopt;
  switch (TroubleOf(target.site)) {
    case Trouble::kSlow:
      return {.body = "slow", .takes = seconds(1 + random_.Below(25))};
    case Trouble::kDrip:
      return failed(FailureCause::kTooSlow, seconds(10));
    case Trouble::kReset:
      return failed(FailureCause::kReset, takes);
    case Trouble::kStale:
      if (random_.Chance(0.5)) break;
      return {.failure = FailureCause::kReset, .stale = true, .takes = takes};
    case Trouble::kTimeoutFirstByte:
      return failed(FailureCause::kTimeoutFirstByte, seconds(15));
    case Trouble::kTimeoutTotal:
      return failed(FailureCause::kTimeoutTotal, seconds(60));
    case Trouble::kTooMany:
      return {.status = 429, .retry_after = wish, .takes = takes};
    case Trouble::kBusy:
      return {.status = 503, .retry_after = wish, .takes = takes};
    case Trouble::kGone:
      return {.status = random_.Chance(0.5) ? 404u : 410u, .takes = takes};
    case Trouble::kBroken:
      if (random_.Chance(0.3)) return failed(FailureCause::kProtocol, takes);
      if (random_.Chance(0.5)) return failed(FailureCause::kEncoding, takes);
      return {.status = 500, .takes = takes};
    case Trouble::kTooLarge:
      if (random_.Chance(0.5)) return failed(FailureCause::kTooLarge, takes);
      return {.body = std::string(20'000, 'x'), .truncated = true, .takes = takes};
    case Trouble::kGarbage: {
      std::string bytes = "<a href=";
      for (int i = 0; i < 300; ++i) bytes.push_back(static_cast<char>(random_.Below(256)));
      return {.body = std::move(bytes), .takes = takes};
    }
    case Trouble::kManyLinks: {
      std::string page;
      for (int i = 0; i < 60; ++i)
        page += fmt::format("<a href=http://l{}.test/{}>l</a>", i % 7, i);
      return {.body = std::move(page), .takes = takes};
    }
    case Trouble::kRedirectInside:
      if (target.path.starts_with("/public/moved")) break;
      return moved(random_.Chance(0.2) ? "/private/moved" : "/public/moved");
    case Trouble::kRedirectCircle:
      return moved(target.path);
    case Trouble::kRedirectAway:
      return moved(
          fmt::format("http://www.s{}.test/public/away", (target.site + 1) % sites_.size()));
    case Trouble::kRedirectPrivate:
      return moved("http://169.254.169.254/latest/meta-data");
    default:
      break;
  }
  return {.body = "<title>A page</title><a href=/public/next>next</a>", .takes = takes};
}

}  // namespace orbweaver::sim
