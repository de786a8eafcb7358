#include "lab/crawl/recorded_hosts.h"

#include <algorithm>
#include <iterator>

#include "fmt/format.h"

#include "common/base/text.h"
#include "spider/robots/robots_rules.h"

namespace orbweaver::lab {
namespace {

std::string RulesText(const std::set<std::string>& forbidden,
                      const std::vector<std::string>& allowed) {
  std::string text = "User-agent: *\n";
  for (const std::string& path : forbidden) {
    fmt::format_to(std::back_inserter(text), "Disallow: {}\n", path);
  }
  // The whole path is longer than every rule that it begins with.
  for (const std::string& path : allowed) {
    fmt::format_to(std::back_inserter(text), "Allow: {}$\n", path);
  }
  return text;
}

}  // namespace

void RecordedHosts::AddFacts(const HostFacts& facts, WallTime at) {
  if (facts.robots == RobotsOutcome::kUnspecified && facts.dns != DnsOutcome::kNoSuchName &&
      facts.dns != DnsOutcome::kFailed) {
    return;  // a Retry-After, which pages' answers have too
  }
  std::vector<Facts>& all = hosts_[std::string(facts.host)].facts;
  const auto later = std::ranges::upper_bound(all, at, {}, &Facts::at);
  all.insert(later, {.at = at,
                     .robots = facts.robots,
                     .dns = facts.dns,
                     .status = facts.robots_status,
                     .crawl_delay = facts.crawl_delay,
                     .sitemaps = {facts.sitemaps.begin(), facts.sitemaps.end()}});
}

void RecordedHosts::AddForbidden(std::string_view host, std::string_view path_and_query,
                                 std::string_view message) {
  // "line 3: /private/": as RequestFlow says it. Another spider may say nothing of the rule.
  const size_t rule = message.find(": ");
  hosts_[std::string(host)].forbidden.insert(rule == std::string_view::npos
                                                 ? fmt::format("{}$", path_and_query)
                                                 : std::string(message.substr(rule + 2)));
}

void RecordedHosts::AddAddress(std::string_view host, std::string_view address) {
  if (address.empty()) return;
  std::string& kept = hosts_[std::string(host)].address;
  if (kept != address) kept = address;
}

void RecordedHosts::Allow(std::string_view host, std::string_view path_and_query) {
  const auto found = hosts_.find(ToAbsl(host));
  if (found == hosts_.end() || found->second.forbidden.empty()) return;
  Host& known = found->second;
  if (!known.rules) known.rules = RobotsRules::Parse(RulesText(known.forbidden, {}), "");
  if (!known.rules->Decide(path_and_query).allowed) known.allowed.emplace_back(path_and_query);
}

RecordedRobots RecordedHosts::RobotsOf(std::string_view name, WallTime at) const {
  const auto found = hosts_.find(ToAbsl(name));
  if (found == hosts_.end()) return {};
  const Host& host = found->second;
  RecordedRobots answer;
  const Facts* facts = nullptr;
  if (!host.facts.empty()) {
    auto later = std::ranges::upper_bound(host.facts, at, {}, &Facts::at);
    facts = later == host.facts.begin() ? &*later : &*std::prev(later);
  }
  if (facts != nullptr && facts->robots == RobotsOutcome::kUnspecified) {
    answer.failure =
        facts->dns == DnsOutcome::kNoSuchName ? FailureCause::kDns : FailureCause::kDnsTemporary;
    return answer;
  }
  if (facts != nullptr && facts->robots == RobotsOutcome::kDisallowAll) {
    answer.status = facts->status;
    if (facts->status == 0) answer.failure = FailureCause::kUnreachable;
    return answer;
  }
  if (facts == nullptr || facts->robots == RobotsOutcome::kAllowAll) {
    if (facts != nullptr && facts->status >= 400) answer.status = facts->status;
    if (host.forbidden.empty()) return answer;
  }
  answer.status = 200;
  answer.body = RulesText(host.forbidden, host.allowed);
  if (facts == nullptr) return answer;
  const auto out = std::back_inserter(answer.body);
  if (facts->crawl_delay) {
    fmt::format_to(out, "Crawl-delay: {}\n",
                   static_cast<double>(facts->crawl_delay->count()) / 1e3);
  }
  for (const std::string& sitemap : facts->sitemaps) fmt::format_to(out, "Sitemap: {}\n", sitemap);
  return answer;
}

std::string_view RecordedHosts::AddressOf(std::string_view name) const {
  const auto found = hosts_.find(ToAbsl(name));
  return found == hosts_.end() ? std::string_view() : std::string_view(found->second.address);
}

}  // namespace orbweaver::lab
