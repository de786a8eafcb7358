#include "cli/crawl/crawl_summary.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <vector>

#include "cli/amounts.h"
#include "cli/arguments.h"
#include "fmt/format.h"
#include "fmt/ranges.h"

#include "common/base/json.h"
#include "spider/fetch/failure_cause.h"
#include "spider/fetch/fetch_url.h"

namespace orbweaver {
namespace {

constexpr size_t kTopDomains = 10;

// The operator's remedy for a cause; empty where there is none.
std::string_view HintFor(FailureCause cause, const CrawlTally& tally) {
  const auto has_status = [&tally](int status) { return tally.by_status().contains(status); };
  switch (cause) {
    case FailureCause::kDns:
    case FailureCause::kDnsTemporary:
      return "no address was found: if names fail that exist, see network.dns_servers";
    case FailureCause::kUnreachable:
    case FailureCause::kRefused:
    case FailureCause::kTimeoutConnect:
      return "no connection: if all hosts are concerned, look at the network or --proxy";
    case FailureCause::kTimeoutFirstByte:
    case FailureCause::kTimeoutTotal:
    case FailureCause::kTooSlow:
      return "see spider.fetch.*_timeout and min_bytes_per_second";
    case FailureCause::kTlsCertificate:
      return "spider.fetch.verify_certificates=false would fetch them, and note it";
    case FailureCause::kTooLarge:
      return "see spider.fetch.max_body_bytes, max_compression and truncate";
    case FailureCause::kRobots:
      return "their robots.txt does not want them fetched";
    case FailureCause::kRobotsUnreachable:
      return "their robots.txt could not be had, which forbids everything";
    case FailureCause::kPrivateAddress:
      return "not tried: network.allow_networks or allow_private would allow it";
    case FailureCause::kPort:
      return "not tried: --ports would allow it";
    case FailureCause::kProxy:
      return "not tried: the proxy refused or failed";
    case FailureCause::kContentType:
      return "not read: see spider.fetch.content_types";
    case FailureCause::kRedirect:
      return "see spider.fetch.max_redirects";
    case FailureCause::kHttp4xx:
      if (has_status(401) || has_status(403)) {
        return "after 401 and 403 a login may be missing: --cookies, --header; then `requeue`";
      }
      return has_status(429) ? "after 429 a larger --delay helps" : "links that are broken";
    case FailureCause::kHttp5xx:
      return "the sites' own trouble; after 503 a larger --delay helps";
    default:
      return "";
  }
}

std::vector<std::pair<FailureCause, const CrawlTally::Failures*>> MostFirst(
    const CrawlTally& tally) {
  std::vector<std::pair<FailureCause, const CrawlTally::Failures*>> causes;
  for (const auto& [cause, failures] : tally.by_cause()) causes.emplace_back(cause, &failures);
  std::sort(causes.begin(), causes.end(),
            [](const auto& a, const auto& b) { return a.second->count > b.second->count; });
  return causes;
}

// ": CAUSE at URL" of what failed most, or where a seed leads to; empty when there is neither.
std::string FirstFailure(const CrawlTally& tally) {
  const auto causes = MostFirst(tally);
  if (causes.empty() && !tally.seed_redirects().empty()) {
    const CrawlTally::Redirect& redirect = tally.seed_redirects().front();
    return fmt::format(": {} redirects to {}", redirect.from, redirect.to);
  }
  if (causes.empty()) return {};
  const auto& [cause, failures] = causes.front();
  std::string text = fmt::format(": {}", FailureCauseName(cause));
  if (!failures->examples.empty()) {
    const CrawlTally::Example& example = failures->examples.front();
    text = fmt::format(": {}, {}", example.url,
                       example.message.empty() ? FailureCauseName(cause) : example.message);
  }
  return text;
}

// ", 3 assets"; empty for none.
std::string Besides(uint64_t count, std::string_view what) {
  return count == 0 ? std::string() : fmt::format(", {}", Count(count, what));
}

// Which links were left out, and the option that would let them in.
std::string OutOfScopeText(const CrawlEnd& end) {
  const OutOfScopeCounts& counts = end.out_of_scope;
  std::string out;
  if (counts.beyond_seeds > 0) {
    const std::string links = Count(counts.beyond_seeds, "link");
    switch (end.scope) {
      case ScopeKind::kDomain:
        out += fmt::format(
            "{} left the seeds' domains and were not followed. To follow them: add seeds on their "
            "sites, or --scope everything.\n",
            links);
        break;
      case ScopeKind::kHost:
        out += fmt::format(
            "{} left the seeds' hosts and were not followed; --scope domain is the next wider.\n",
            links);
        break;
      case ScopeKind::kPath:
        out += fmt::format(
            "{} led elsewhere than at or below the seeds and were not followed; --scope host is "
            "the next wider.\n",
            links);
        break;
      case ScopeKind::kEverything:
        break;
    }
  }
  if (counts.not_included > 0) {
    out += fmt::format("{} matched no --include.\n", Count(counts.not_included, "link"));
  }
  if (counts.excluded > 0) {
    out += fmt::format("{} matched an --exclude.\n", Count(counts.excluded, "link"));
  }
  if (counts.by_sitemaps > 0) {
    const bool is_only = end.sitemaps == SitemapUse::kOnly;
    out += is_only
               ? fmt::format("{} stood on pages and in no sitemap (--sitemaps only).\n",
                             Count(counts.by_sitemaps, "link"))
               : fmt::format("{} left out (--sitemaps {}).\n", Count(counts.by_sitemaps, "sitemap"),
                             end.sitemaps == SitemapUse::kNo ? "no" : "also");
  }
  return out;
}

// The hosts that are allowed, and those of the examples that were not.
std::string HostsToAllow(const CrawlEnd& end, const CrawlTally& tally) {
  std::vector<std::string> hosts = end.allowed_hosts;
  const auto refused = tally.by_cause().find(FailureCause::kPrivateAddress);
  if (refused == tally.by_cause().end()) {
    hosts.emplace_back("HOST:PORT");
  } else {
    for (const CrawlTally::Example& example : refused->second.examples) {
      const auto parts = SplitFetchUrl(example.url);
      if (!parts || std::ranges::find(hosts, parts->authority) != hosts.end()) continue;
      hosts.emplace_back(parts->authority);
    }
  }
  return ShellQuoted(fmt::format("{}", fmt::join(hosts, ",")));
}

// The URLs that wait for other options, and the options that would let them go.
std::vector<std::string> PutByLines(const CrawlEnd& end, const CrawlTally& tally) {
  std::vector<std::string> lines;
  const std::string crawl = fmt::format("orbweaver crawl --data {}", ShellQuoted(end.data));
  for (const auto& [cause, count] : end.put_by.by_cause) {
    const std::string wait = fmt::format("\n{}{} {}", end.put_by.is_exact ? "" : "At least ",
                                         Count(count, "URL"), count == 1 ? "waits" : "wait");
    if (cause == FailureCause::kPort) {
      std::string ports;
      for (const std::string& port : end.allowed_ports) ports += port + ",";
      for (const uint16_t port : end.put_by.refused_ports) ports += fmt::format("{},", port);
      if (!ports.empty()) ports.pop_back();
      lines.push_back(fmt::format("{} because {} port is not allowed. To fetch them: {} --ports {}",
                                  wait, count == 1 ? "its" : "their", crawl, ports));
    } else if (cause == FailureCause::kPrivateAddress) {
      lines.push_back(fmt::format(
          "{} because {} address is not public. To fetch them: {} --set "
          "network.allow_hosts={}, or network.allow_networks=NETWORK/BITS for all of a network",
          wait, count == 1 ? "its" : "their", crawl, HostsToAllow(end, tally)));
    } else {
      lines.push_back(fmt::format(
          "{} because the proxy refused or failed. To fetch them: {} --proxy URL, or `orbweaver "
          "requeue --cause proxy --data {}` first where it works again",
          wait, crawl, ShellQuoted(end.data)));
    }
  }
  return lines;
}

// The requests that are left, and how the crawl goes on.
std::string RestText(const CrawlEnd& end, const CrawlTally& tally) {
  if (end.finished) {
    if (tally.pages() + tally.failed() + tally.put_by() > 0) return {};
    return fmt::format(
        "Nothing was to be done. `orbweaver requeue --data {}` tries again what failed in runs "
        "before.\n",
        ShellQuoted(end.data));
  }
  std::string out;
  if (const uint64_t left = end.last.queued + end.last.delayed; left > 0) {
    const std::string due = DueIn(end.last);
    out += fmt::format("In the queue: {}{}, {} of them for later{}.\n",
                       end.queue_is_exact ? "" : "about ", Count(left, "request"),
                       Count(end.last.delayed), due.empty() ? "" : ", the first due " + due);
  }
  if (end.handed_out > 0) {
    out += fmt::format("Handed to the spider and not fetched: {}.\n",
                       Count(end.handed_out, "request"));
  }
  return out + fmt::format("To go on: orbweaver crawl --data {}\n", ShellQuoted(end.data));
}

}  // namespace

std::string SummaryText(const CrawlEnd& end, const CrawlTally& tally) {
  std::string out;
  const auto line = [&out](std::string_view text) { out.append(text).append("\n"); };
  line(end.outcome == CrawlOutcome::kNothingFetched
           ? fmt::format("No page could be fetched{}. Ended: {}.", FirstFailure(tally), end.why)
           : fmt::format("Ended: {}.", end.why));
  line(fmt::format("{}{}{} and {} in {}; {} received, {} seen, {}", Count(tally.pages(), "page"),
                   Besides(tally.assets(), "asset"), Besides(tally.sitemaps(), "sitemap"),
                   Count(tally.failed(), "failure"), Time(end.last.elapsed),
                   Bytes(tally.received_bytes()), Count(tally.links(), "link"),
                   Count(tally.domains(), "domain")));
  if (!tally.by_status().empty()) line("\nAnswers by status");
  for (const auto& [status, count] : tally.by_status()) {
    line(fmt::format("  {:<4} {:>12}", status, Count(count)));
  }
  if (tally.redirects() > 0) {
    line(fmt::format("\nRedirects that ended as links: {}{}", Count(tally.redirects()),
                     tally.seed_redirects().empty() ? "" : ", of seeds"));
  }
  for (const CrawlTally::Redirect& redirect : tally.seed_redirects()) {
    line(fmt::format("      {} leads to {}", redirect.from, redirect.to));
  }
  if (!tally.by_cause().empty()) line("\nFailures by cause");
  for (const auto& [cause, failures] : MostFirst(tally)) {
    const std::string_view hint = HintFor(cause, tally);
    line(fmt::format("  {:<20} {:>10}{}{}", FailureCauseName(cause), Count(failures->count),
                     hint.empty() ? "" : "  ", hint));
    for (const CrawlTally::Example& example : failures->examples) {
      line(fmt::format("      {}{}{}", example.url, example.message.empty() ? "" : ": ",
                       example.message));
    }
  }
  if (end.last.dead_letters > 0) {
    line(fmt::format("\nDead letters: {} could not be processed",
                     Count(end.last.dead_letters, "event")));
    for (const std::string& cause : end.dead_letter_causes) line(fmt::format("      {}", cause));
    const std::string data = ShellQuoted(end.data);
    line(fmt::format("  To see them: orbweaver log dead-letter --data {}", data));
    line(fmt::format("  To put them back: orbweaver log requeue dead-letter --data {}", data));
  }
  auto top = tally.TopDomains(kTopDomains);
  std::erase_if(top, [](const auto& domain) { return domain.second.pages == 0; });
  if (!top.empty()) line("\nDomains with most pages");
  for (const auto& [name, domain] : top) {
    line(fmt::format(
        "  {:<40} {:>10}{}", name, Count(domain.pages),
        domain.failed > 0 ? fmt::format("  and {}", Count(domain.failed, "failure")) : ""));
  }
  for (const std::string& text : PutByLines(end, tally)) line(text);
  line("");
  out += OutOfScopeText(end);
  if (!end.robots_ignored_on.empty()) {
    line(fmt::format("robots.txt was not obeyed on {} (--ignore-robots).",
                     fmt::join(end.robots_ignored_on, ", ")));
  }
  if (!end.files.empty() && tally.pages() > 0) line(fmt::format("Pages are in {}", end.files));
  return out + RestText(end, tally);
}

std::string SummaryJson(const CrawlEnd& end, const CrawlTally& tally) {
  std::string out;
  JsonWriter json(&out);
  json.BeginObject().Key("ended").Value(end.why).Key("finished").Value(end.finished);
  json.Key("outcome").Value(CrawlOutcomeName(end.outcome));
  json.Key("seconds").Value(std::chrono::duration<double>(end.last.elapsed).count());
  json.Key("pages").Value(tally.pages()).Key("assets").Value(tally.assets());
  json.Key("sitemaps").Value(tally.sitemaps()).Key("failed").Value(tally.failed());
  json.Key("redirects").Value(tally.redirects());
  json.Key("put_by").Value(end.put_by.urls);
  json.Key("received_bytes").Value(tally.received_bytes()).Key("links").Value(tally.links());
  json.Key("domains").Value(tally.domains()).Key("queued").Value(end.last.queued);
  json.Key("delayed").Value(end.last.delayed).Key("handed_out").Value(end.handed_out);
  json.Key("queue_is_exact").Value(end.queue_is_exact).Key("next_due_in_s");
  if (end.last.next_due == WallTime::max()) {
    json.Null();
  } else {
    const auto wait = std::max(end.last.next_due - end.last.at, std::chrono::milliseconds(0));
    json.Value(std::chrono::duration<double>(wait).count());
  }
  json.Key("scope").Value(ScopeKindName(end.scope)).Key("out_of_scope").BeginObject();
  json.Key("beyond_seeds").Value(end.out_of_scope.beyond_seeds);
  json.Key("not_included").Value(end.out_of_scope.not_included);
  json.Key("excluded").Value(end.out_of_scope.excluded);
  json.Key("by_sitemaps").Value(end.out_of_scope.by_sitemaps).EndObject();
  json.Key("by_status").BeginObject();
  for (const auto& [status, count] : tally.by_status()) {
    json.Key(std::to_string(status)).Value(count);
  }
  json.EndObject().Key("failures").BeginObject();
  for (const auto& [cause, failures] : tally.by_cause()) {
    json.Key(FailureCauseName(cause)).BeginObject().Key("count").Value(failures.count);
    json.Key("examples").BeginArray();
    for (const CrawlTally::Example& example : failures.examples) json.Value(example.url);
    json.EndArray().EndObject();
  }
  json.EndObject().Key("dead_letters").Value(end.last.dead_letters);
  json.Key("dead_letter_causes").BeginArray();
  for (const std::string& cause : end.dead_letter_causes) json.Value(cause);
  json.EndArray().Key("robots_ignored_on").BeginArray();
  for (const std::string& host : end.robots_ignored_on) json.Value(host);
  json.EndArray().Key("data").Value(end.data).EndObject();
  return out;
}

}  // namespace orbweaver
