// The reachable set against a crawler that knows nothing of how the web is made: it reads URLs,
// HTML, XML and robots.txt files, with code of its own.
#include "tests/support/synthetic_web/reachable.h"

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <zlib.h>

#include <gtest/gtest.h>

#include "common/url/canonical.h"
#include "common/url/domain.h"
#include "tests/support/expect_ok.h"
#include "tests/support/synthetic_web/comparison.h"

namespace orbweaver::synthetic {
namespace {

constexpr size_t kMaxUnpacked = 32 << 20;

// nullopt: broken. Stops a byte past kMaxUnpacked.
std::optional<std::string> Gunzip(const std::string& packed) {
  z_stream stream{};
  EXPECT_EQ(inflateInit2(&stream, 31), Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  std::string out;
  int result = Z_OK;
  while (result == Z_OK && out.size() <= kMaxUnpacked) {
    char buffer[64 << 10];
    stream.next_out = reinterpret_cast<Bytef*>(buffer);
    stream.avail_out = sizeof buffer;
    result = inflate(&stream, Z_NO_FLUSH);
    out.append(buffer, sizeof buffer - stream.avail_out);
  }
  inflateEnd(&stream);
  if (result != Z_STREAM_END && out.size() <= kMaxUnpacked) return std::nullopt;
  return out;
}

// Everything between `before` and `after`.
std::vector<std::string> Between(const std::string& text, const std::string& before,
                                 const std::string& after) {
  std::vector<std::string> found;
  for (size_t at = 0; (at = text.find(before, at)) != std::string::npos;) {
    at += before.size();
    std::string piece = text.substr(at, text.find(after, at) - at);
    for (size_t amp; (amp = piece.find("&amp;")) != std::string::npos;) piece.replace(amp, 5, "&");
    found.push_back(std::move(piece));
  }
  return found;
}

// RFC 9309, as far as this web goes: groups, `*` and `$`, the longest rule.
class RobotsRules {
 public:
  RobotsRules(const std::string& text, const std::string& agent) {
    std::string body = text.starts_with("\xEF\xBB\xBF") ? text.substr(3) : text;
    std::map<std::string, std::vector<std::pair<bool, std::string>>> groups;
    std::vector<std::string> agents;
    bool in_rules = true;
    for (size_t at = 0; at < body.size();) {
      const size_t end = std::min(body.find('\n', at), body.size());
      std::string line = body.substr(at, end - at);
      at = end + 1;
      if (line.ends_with('\r')) line.pop_back();
      const size_t colon = line.find(": ");
      if (line.starts_with('#') || colon == std::string::npos) continue;
      std::string name = line.substr(0, colon), value = line.substr(colon + 2);
      std::transform(name.begin(), name.end(), name.begin(), ::tolower);
      if (name == "user-agent") {
        if (in_rules) agents.clear();
        in_rules = false;
        std::transform(value.begin(), value.end(), value.begin(), ::tolower);
        agents.push_back(value);
        groups[value];
      } else if (name == "allow" || name == "disallow") {
        in_rules = true;
        for (const std::string& one : agents) groups[one].emplace_back(name == "allow", value);
      } else if (name == "sitemap") {
        sitemaps.push_back(value);
      }
    }
    rules_ = groups.contains(agent) ? groups[agent] : groups["*"];
  }

  bool Allows(const std::string& path) const {
    size_t longest = 0;
    bool allowed = true;
    for (const auto& [allow, pattern] : rules_) {
      if (!Matches(pattern, path) || pattern.size() < longest) continue;
      allowed = allow || (pattern.size() == longest && allowed);
      longest = pattern.size();
    }
    return allowed;
  }

  std::vector<std::string> sitemaps;

 private:
  static bool Matches(std::string_view pattern, std::string_view path) {
    if (pattern.empty()) return true;
    if (pattern == "$") return path.empty();
    if (pattern[0] == '*') {
      for (size_t i = 0; i <= path.size(); ++i) {
        if (Matches(pattern.substr(1), path.substr(i))) return true;
      }
      return false;
    }
    return !path.empty() && pattern[0] == path[0] && Matches(pattern.substr(1), path.substr(1));
  }

  std::vector<std::pair<bool, std::string>> rules_;
};

class BruteForce {
 public:
  BruteForce(const Web& web, bool sitemaps)
      : web_(web),
        sitemaps_(sitemaps),
        suffixes_(PublicSuffixes::Load({}).value()),
        ledger_(web.options()) {}

  std::map<std::string, std::string> Crawl(const std::vector<std::string>& seeds) {
    for (const std::string& seed : seeds) Learn(seed);
    while (!waiting_.empty()) {
      const std::string url = waiting_.front();
      waiting_.pop_front();
      outcomes_[url] = Visit(url, 0);
    }
    return outcomes_;
  }

  const Ledger& ledger() const { return ledger_; }

 private:
  struct Robots {
    bool unreachable = false;
    std::optional<RobotsRules> rules;
  };

  void Learn(const std::string& url) {
    if (seen_.insert(url).second) waiting_.push_back(url);
  }

  std::string DomainOf(const std::string& url) {
    EXPECT_EQ(canonicalizer_.Canonicalize(url), UrlError::kNone);
    return std::string(suffixes_->RegisteredDomain(canonicalizer_.host()));
  }

  // One request; also where only its number counts.
  Answer Get(const std::string& url) {
    const Place place = web_.paths().FindUrl(url).value();
    Answer answer;
    web_.Get({.place = place, .attempt = ledger_.Count(place)}, &answer);
    return answer;
  }

  // Requests until it is answered for good, or `tries` have failed.
  Answer GetStubbornly(const std::string& url) {
    Answer answer;
    for (int tries = 0; tries < 4; ++tries) {
      answer = Get(url);
      if (answer.delivery == Delivery::kHang) return answer;
      const bool failed =
          answer.delivery == Delivery::kReset || answer.delivery == Delivery::kResetInBody ||
          answer.delivery == Delivery::kCutShort || answer.status == 429 || answer.status == 503;
      if (!failed) break;
    }
    return answer;
  }

  const Robots& RobotsOf(const std::string& url) {
    const std::string origin = url.substr(0, url.find('/', 8));
    if (const auto found = robots_.find(origin); found != robots_.end()) return found->second;
    Robots robots;
    std::string at = origin + "/robots.txt";
    for (int redirects = 0; redirects <= 5; ++redirects) {
      const Answer answer = GetStubbornly(at);
      if (answer.delivery == Delivery::kHang || answer.status >= 500) {
        robots.unreachable = true;
      } else if (answer.status >= 300 && answer.status < 400) {
        at = answer.location;
        continue;
      } else if (answer.status == 200) {
        robots.rules.emplace(answer.body, "orbweaver");
        if (sitemaps_) {
          for (const std::string& sitemap : robots.rules->sitemaps) Learn(sitemap);
        }
      }
      break;
    }
    return robots_.emplace(origin, std::move(robots)).first->second;
  }

  // The outcome of `url`, by Outcome's names; learns from the answer.
  std::string Visit(const std::string& url, int redirects) {
    if (url.starts_with("http://169.254.")) return "private-address";
    const Place place = web_.paths().FindUrl(url).value();
    // Faults that only a network can show.
    const Fault fault = web_.hosts().TraitsOf(place.host).fault;
    if (fault == Fault::kCertificateExpired || fault == Fault::kCertificateName ||
        fault == Fault::kCertificateSelfSigned) {
      return "certificate";
    }
    if (fault == Fault::kNoSuchHost) return "no-such-host";
    const Robots& robots = RobotsOf(url);
    if (robots.unreachable) return "robots-unreachable";
    const std::string path = url.substr(url.find('/', 8));
    if (robots.rules && !robots.rules->Allows(path)) return "robots";

    const Answer answer = GetStubbornly(url);
    if (answer.delivery == Delivery::kHang) return "timeout";
    if (answer.delivery == Delivery::kEndlessDrip) return "too-slow";
    if (answer.status >= 500) return "server-error";
    if (answer.status >= 400) return "gone";
    if (answer.status >= 300) {
      Learn(answer.location);
      if (DomainOf(answer.location) != DomainOf(url)) return "redirect-away";
      if (redirects == 10) return "redirect-loop";
      const std::string then = Visit(answer.location, redirects + 1);
      return then == "page" ? "redirected" : then == "robots" ? "redirect-forbidden" : then;
    }
    std::string body = answer.body;
    if (answer.content_encoding == "gzip" || answer.content_type == "application/gzip") {
      const auto unpacked = Gunzip(body);
      if (!unpacked) return "encoding";
      if (unpacked->size() > kMaxUnpacked) return "too-large";
      body = *unpacked;
    }
    for (const std::string& loc : Between(body, "<loc>", "</loc>")) Learn(loc);
    const std::vector<std::string> hrefs = Between(body, "href=\"", "\"");
    EXPECT_EQ(canonicalizer_.SetBase(url), UrlError::kNone);
    for (const std::string& href : hrefs) {
      EXPECT_EQ(canonicalizer_.Canonicalize(href), UrlError::kNone) << href;
      Learn(std::string(canonicalizer_.url()));
    }
    canonicalizer_.ClearBase();
    return "page";
  }

  const Web& web_;
  const bool sitemaps_;
  const std::unique_ptr<const PublicSuffixes> suffixes_;
  Ledger ledger_;
  UrlCanonicalizer canonicalizer_{UrlOptions{}};
  std::set<std::string> seen_;
  std::deque<std::string> waiting_;
  std::map<std::string, std::string> outcomes_;
  std::map<std::string, Robots> robots_;
};

std::map<std::string, std::string> AsMap(const Reachable& reachable) {
  std::map<std::string, std::string> outcomes;
  reachable.ForEach([&](const Place& place, Outcome outcome) {
    EXPECT_TRUE(outcomes.emplace(reachable.web().paths().UrlOf(place), std::string(NameOf(outcome)))
                    .second);
  });
  return outcomes;
}

void ExpectSame(const WebOptions& options, size_t seeds_count, bool sitemaps) {
  auto web = Web::Create(options);
  ASSERT_OK(web);
  const std::vector<std::string> seeds = (*web)->Seeds(seeds_count);
  const auto reachable = Reachable::Compute(**web, seeds, {.sitemaps = sitemaps});
  ASSERT_OK(reachable);
  BruteForce crawler(**web, sitemaps);
  const auto crawled = crawler.Crawl(seeds);
  const auto computed = AsMap(*reachable);
  EXPECT_FALSE(computed.empty());
  for (const auto& [url, outcome] : computed) {
    const auto found = crawled.find(url);
    ASSERT_NE(found, crawled.end()) << url << " " << outcome << " was not crawled";
    ASSERT_EQ(found->second, outcome) << url;
  }
  for (const auto& [url, outcome] : crawled) {
    ASSERT_TRUE(computed.contains(url)) << url << " " << outcome << " was not computed";
  }
  // And the comparison says so.
  const Comparison comparison = Compare(*reachable, crawler.ledger());
  EXPECT_TRUE(comparison.equal()) << (comparison.missing.count ? comparison.missing.examples[0]
                                      : comparison.unfinished.count
                                          ? comparison.unfinished.examples[0]
                                      : comparison.forbidden.count
                                          ? comparison.forbidden.examples[0]
                                          : comparison.unreachable.examples[0]);
}

TEST(Reachable, IsWhatAnIgnorantCrawlerOfAWebOfTroublesFinds) {
  for (const uint64_t seed : {1, 2, 3}) {
    WebOptions options = TroubledWeb({.seed = seed, .hosts = 110, .pages_per_host = 30});
    options.page_bytes = 2000;
    options.links_per_page = 12;
    options.faulty_pages = 0.3;
    options.https_hosts = 0.2;
    options.troubles.faults.Add(Fault::kRedirectPrivate);
    ExpectSame(options, 3, true);
  }
}

TEST(Reachable, WithoutSitemapsOrphansAreOutOfReach) {
  WebOptions options = TroubledWeb({.hosts = 110, .pages_per_host = 40});
  options.page_bytes = 2000;
  options.links_per_page = 8;
  ExpectSame(options, 2, false);
}

TEST(Reachable, IsRightForTheSmallestWebs) {
  for (const uint32_t hosts : {1, 2, 7, 9, 12}) {
    WebOptions options = TroubledWeb({.hosts = hosts, .pages_per_host = 3});
    options.faulty_pages = 1;
    options.links_per_page = 3;
    const auto web = Web::Create(options);
    ASSERT_OK(web);
    if (!(*web)->Seeds(1).empty()) ExpectSame(options, 1, true);
  }
}

TEST(Reachable, UrlsThatNamePortsAreFoundToo) {
  WebOptions options = TroubledWeb({.hosts = 60, .pages_per_host = 10, .https_hosts = 0.5});
  options.http_port = 8080;
  options.https_port = 8443;
  ExpectSame(options, 1, true);
}

TEST(Reachable, ACalendarWithoutEndIsNeitherRequiredNorUnexpected) {
  WebOptions options{.hosts = 10, .pages_per_host = 5};
  options.troubles.faults.Add(Fault::kCalendar);
  options.faulty_hosts = 1;
  options.calendar_days = 0;
  const auto web = Web::Create(options).value();
  const std::vector<std::string> seeds = web->Seeds(10);
  const auto reachable = Reachable::Compute(*web, seeds, {});
  ASSERT_OK(reachable);
  EXPECT_EQ(reachable->Count(Outcome::kPage), 50u);
  Ledger ledger(options);
  reachable->ForEach([&](const Place& place, Outcome) { ledger.Count(place); });
  ledger.Count({.host = 3, .number = 12345, .kind = Place::Kind::kDay});
  EXPECT_TRUE(Compare(*reachable, ledger).equal());
}

TEST(Reachable, ASeedOfAnotherWebIsRefused) {
  const auto web = Web::Create({}).value();
  const std::vector<std::string> seeds = {"http://example.test/"};
  EXPECT_NE(Reachable::Compute(*web, seeds, {}).status().message().find("example.test"),
            absl::string_view::npos);
}

TEST(Comparison, NamesWhatWasForgottenGivenUpForbiddenOrMadeUp) {
  WebOptions options{.hosts = 40, .pages_per_host = 20};
  options.troubles.faults.Add(Fault::kUnavailable);
  options.troubles.robots.Add(RobotsKind::kRules);
  options.faulty_hosts = options.faulty_pages = options.robots_hosts = 1;
  options.sitemap_hosts = 0;
  const auto web = Web::Create(options).value();
  const std::vector<std::string> seeds = web->Seeds(1);
  const auto reachable = Reachable::Compute(*web, seeds, {});
  ASSERT_OK(reachable);
  Ledger ledger(options);
  std::optional<Place> forgotten, given_up, forbidden;
  uint64_t required = 0;
  reachable->ForEach([&](const Place& place, Outcome outcome) {
    if (outcome == Outcome::kRobots && !forbidden) {
      forbidden = place;
      ledger.Count(place);
    }
    if (!ReachesServer(outcome)) return;
    ++required;
    if (!forgotten) {
      forgotten = place;
      return;
    }
    ledger.Count(place);
    if (!given_up && web->FailuresBefore(place) > 0) {
      given_up = place;
      return;
    }
    for (uint32_t i = 0; i < web->FailuresBefore(place); ++i) ledger.Count(place);
  });
  // Nothing leads to the calendar of a host that has none.
  const Place made_up{.host = 0, .number = 5, .kind = Place::Kind::kDay};
  ledger.Count(made_up);
  const Comparison comparison = Compare(*reachable, ledger);
  EXPECT_FALSE(comparison.equal());
  EXPECT_EQ(comparison.missing.examples, std::vector{web->paths().UrlOf(*forgotten)});
  EXPECT_EQ(comparison.unfinished.examples, std::vector{web->paths().UrlOf(*given_up)});
  EXPECT_EQ(comparison.forbidden.examples, std::vector{web->paths().UrlOf(*forbidden)});
  EXPECT_EQ(comparison.unreachable.examples, std::vector{web->paths().UrlOf(made_up)});
  EXPECT_EQ(comparison.crawled, required - 2);
  EXPECT_EQ(comparison.repeated, 0u);
}

}  // namespace
}  // namespace orbweaver::synthetic
