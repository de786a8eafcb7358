#include "spider/robots/robots_cache.h"

#include <algorithm>

#include "absl/strings/match.h"

#include "common/base/backoff.h"
#include "common/base/text.h"

namespace orbweaver {
namespace {

constexpr int kMaxRedirects = 5;  // RFC 9309, section 2.3.1.2
// Beside rules and name: the node, the map's entry.
constexpr size_t kHostBytes = 128;
constexpr uint32_t kTooManyRequests = 429;
constexpr std::string_view kSitemapPath = "/sitemap.xml";

}  // namespace

RobotsCache::RobotsCache(const RobotsOptions& options, const Clock& clock)
    : options_(options), clock_(clock) {}

RobotsCache::Hosts::iterator* RobotsCache::Find(std::string_view origin) {
  const auto found = by_origin_.find(origin);
  return found == by_origin_.end() ? nullptr : &found->second;
}

bool RobotsCache::IsIgnored(std::string_view origin) const {
  const std::string_view authority = origin.substr(origin.find("//") + 2);
  return std::ranges::any_of(options_.ignore_hosts, [authority](const std::string& host) {
    return absl::EqualsIgnoreCase(host, ToAbsl(authority)) ||
           // Without a port: all of them.
           (absl::StartsWithIgnoreCase(ToAbsl(authority), host) && authority[host.size()] == ':');
  });
}

RobotsAsked RobotsCache::Ask(std::string_view origin, std::string_view path_and_query) {
  if (Hosts::iterator* found = Find(origin)) {
    hosts_.splice(hosts_.begin(), hosts_, *found);
  } else {
    hosts_.push_front({.origin = std::string(origin)});
    by_origin_.emplace(hosts_.front().origin, hosts_.begin());
    Account(hosts_.front());
  }
  Host& host = hosts_.front();
  if (host.pending) return {.verdict = RobotsVerdict::kPending};
  // Not older than a day (section 2.4).
  if (host.outcome == RobotsOutcome::kUnspecified || clock_.Now() >= host.expires) {
    host.pending = true;
    host.redirects = 0;
    Evict();
    return {.verdict = RobotsVerdict::kFetch};
  }
  if (!options_.ignore_hosts.empty() && IsIgnored(origin)) {
    return {.verdict = RobotsVerdict::kAllowed, .crawl_delay = host.rules.crawl_delay()};
  }
  if (host.outcome == RobotsOutcome::kDisallowAll) {
    return {.verdict = RobotsVerdict::kUnreachable,
            .retry_at = host.expires,
            .failure = host.failure,
            .message = host.message,
            .status = host.status};
  }
  const RobotsDecision decision = host.rules.Decide(path_and_query);
  return {.verdict = decision.allowed ? RobotsVerdict::kAllowed : RobotsVerdict::kDisallowed,
          .decision = decision,
          .crawl_delay = host.rules.crawl_delay()};
}

std::optional<std::string> RobotsCache::OnAnswer(std::string_view origin,
                                                 const RobotsAnswer& answer) {
  Hosts::iterator* const found = Find(origin);
  if (found == nullptr || !(*found)->pending) return std::nullopt;
  Host& host = **found;
  const uint32_t status = answer.status;
  if (status >= 300 && status < 400 && !answer.location.empty() && host.redirects < kMaxRedirects) {
    ++host.redirects;
    return std::string(answer.location);
  }
  if (status >= 200 && status < 300) {
    host.rules = RobotsRules::Parse(answer.body, options_.product_token);
    host.failures = 0;
    Learn(host, RobotsOutcome::kRules, status, options_.max_age);
  } else if (status >= 300 && status < 500 && status != kTooManyRequests) {
    // Unavailable (section 2.3.1.3), as is what only redirects lead to (2.3.1.2).
    host.rules = RobotsRules();
    host.failures = 0;
    Learn(host, RobotsOutcome::kAllowAll, status, options_.max_age);
  } else {
    // Unreachable (section 2.3.1.4). Rules known before are not gone by: they may have changed.
    const Duration wait = BackoffWait(
        {.first = options_.retry_min, .most = options_.retry_max, .jitter = 0}, host.failures, 0);
    host.rules = RobotsRules();
    ++host.failures;
    host.failure = answer.failure;
    host.message = answer.message;
    Learn(host, RobotsOutcome::kDisallowAll, status, wait);
  }
  return std::nullopt;
}

void RobotsCache::OnAbandoned(std::string_view origin) {
  if (Hosts::iterator* found = Find(origin)) (*found)->pending = false;
}

bool RobotsCache::DescribeHost(std::string_view origin, HostFacts* facts) {
  Hosts::iterator* const found = Find(origin);
  if (found == nullptr || (*found)->outcome == RobotsOutcome::kUnspecified) return false;
  Host& host = **found;
  host.told = tellings_;
  facts->robots = host.outcome;
  facts->robots_status = host.status;
  facts->crawl_delay = host.rules.crawl_delay();
  sitemaps_.assign(host.rules.sitemaps().begin(), host.rules.sitemaps().end());
  if (options_.guess_sitemaps && sitemaps_.empty() && host.outcome != RobotsOutcome::kDisallowAll &&
      host.rules.Decide(kSitemapPath).allowed) {
    guessed_sitemap_ = host.origin + std::string(kSitemapPath);
    sitemaps_.push_back(guessed_sitemap_);
  }
  facts->sitemaps = sitemaps_;
  return true;
}

bool RobotsCache::IsUntold(std::string_view origin) {
  if (tellings_ == 0) return false;
  Hosts::iterator* const found = Find(origin);
  return found != nullptr && (*found)->told != tellings_ &&
         (*found)->outcome != RobotsOutcome::kUnspecified;
}

void RobotsCache::Learn(Host& host, RobotsOutcome outcome, uint32_t status, Duration lasts) {
  // Those who wait for it ask next: were it forgotten now, it would be fetched for ever.
  hosts_.splice(hosts_.begin(), hosts_, *Find(host.origin));
  host.pending = false;
  host.outcome = outcome;
  host.status = status;
  host.expires = clock_.Now() + lasts;
  Account(host);
  Evict();
}

void RobotsCache::Account(Host& host) {
  held_bytes_ -= host.bytes;
  host.bytes =
      kHostBytes + host.origin.capacity() + host.message.capacity() + host.rules.HeldBytes();
  held_bytes_ += host.bytes;
}

void RobotsCache::Evict() {
  for (auto host = hosts_.end(); held_bytes_ > options_.cache_bytes && host != hosts_.begin();) {
    --host;
    if (host->pending || host == hosts_.begin()) continue;
    held_bytes_ -= host->bytes;
    by_origin_.erase(host->origin);
    host = hosts_.erase(host);
  }
}

}  // namespace orbweaver
