#include "tests/support/synthetic_web/judge.h"

#include <algorithm>
#include <iterator>

#include "fmt/format.h"

#include "common/base/check.h"
#include "common/base/text.h"

namespace orbweaver::synthetic {
namespace {

constexpr size_t kExamples = 10;

double Milliseconds(Duration duration) {
  return std::chrono::duration<double, std::milli>(duration).count();
}

void WriteInterval(const char* name, std::optional<Duration> interval, JsonWriter* json) {
  json->Key(name);
  interval ? json->Value(Milliseconds(*interval)) : json->Null();
}

}  // namespace

std::string_view NameOf(Breach breach) {
  constexpr std::string_view kNames[] = {"overlap",      "too-soon",    "address-too-soon",
                                         "crawl-delay",  "retry-after", "against-robots",
                                         "before-robots"};
  static_assert(std::size(kNames) == static_cast<size_t>(Breach::kCount));
  return kNames[static_cast<size_t>(breach)];
}

bool Verdict::polite() const {
  return std::all_of(breaches.begin(), breaches.end(), [](const auto& b) { return b.count == 0; });
}

Judge::Line& Judge::Find(Lines* lines, std::string_view name) {
  const auto found = lines->find(ToAbsl(name));
  if (found != lines->end()) return found->second;
  return (*lines)[std::string(name)];
}

std::optional<Duration> Judge::Begin(Line* line, SteadyTime at) {
  std::optional<Duration> rested;
  if (line->requests > 0) {
    rested = line->open > 0 ? Duration{} : std::max(Duration{}, at - line->last_end);
    if (!line->least_interval || *rested < *line->least_interval) line->least_interval = rested;
  }
  ++line->requests;
  ++line->open;
  return rested;
}

Judge::VisitId Judge::Arrived(const Visit& visit, SteadyTime at) {
  Line& domain = Find(&domains_, visit.domain);
  Line& host = Find(&hosts_, visit.host);
  Line& address = Find(&addresses_, visit.address);
  ++verdict_.requests;

  if (options_.one_at_a_time && domain.open > 0) Report(Breach::kOverlap, visit, Duration{});
  const auto domain_rested = Begin(&domain, at);
  const auto host_rested = Begin(&host, at);
  const auto address_rested = Begin(&address, at);
  if (domain_rested && *domain_rested < options_.domain_delay) {
    Report(Breach::kTooSoon, visit, domain_rested);
  }
  if (address_rested && *address_rested < options_.address_delay) {
    Report(Breach::kAddressTooSoon, visit, address_rested);
  }
  if (options_.mind_wishes) {
    if (host_rested && *host_rested < visit.crawl_delay) {
      Report(Breach::kCrawlDelay, visit, host_rested);
    }
    if (at < domain.blocked_until) Report(Breach::kRetryAfter, visit, domain_rested);
  }
  if (visit.forbidden) Report(Breach::kAgainstRobots, visit, domain_rested);
  if (!visit.robots_txt && !host.asked_robots) Report(Breach::kBeforeRobots, visit, domain_rested);
  host.asked_robots |= visit.robots_txt;

  const VisitId id = next_id_++;
  open_.emplace(id, Open{.domain = &domain, .host = &host, .address = &address});
  return id;
}

void Judge::Ended(VisitId id, SteadyTime at, std::optional<std::chrono::seconds> retry_after) {
  const auto found = open_.find(id);
  CHECK(found != open_.end());
  const Open open = found->second;
  open_.erase(found);
  for (Line* const line : {open.domain, open.host, open.address}) {
    --line->open;
    line->last_end = std::max(line->last_end, at);
  }
  if (retry_after) {
    open.domain->blocked_until = std::max(open.domain->blocked_until, at + *retry_after);
    open.domain->blocked_at = at;
  }
}

void Judge::ClientDied(SteadyTime told_since) {
  for (auto& [name, domain] : domains_) {
    if (domain.blocked_at >= told_since) domain.blocked_until = {};
  }
}

void Judge::Report(Breach breach, const Visit& visit, std::optional<Duration> rested) {
  Verdict::Counted& counted = verdict_.breaches[static_cast<size_t>(breach)];
  if (++counted.count > kExamples) return;
  counted.examples.push_back(
      rested ? fmt::format("{} of {} at {}, {:.3f} ms after the one before", visit.url,
                           visit.domain, visit.address, Milliseconds(*rested))
             : fmt::format("{} of {} at {}", visit.url, visit.domain, visit.address));
}

std::optional<Duration> Judge::LeastOf(const Lines& lines, std::string_view name) {
  const auto found = lines.find(ToAbsl(name));
  return found == lines.end() ? std::nullopt : found->second.least_interval;
}

std::optional<Duration> Judge::LeastOfAll(const Lines& lines) {
  std::optional<Duration> least;
  for (const auto& [name, line] : lines) {
    if (line.least_interval && (!least || *line.least_interval < *least)) {
      least = line.least_interval;
    }
  }
  return least;
}

Verdict Judge::verdict() const {
  Verdict verdict = verdict_;
  verdict.domains = domains_.size();
  verdict.least_domain_interval = LeastOfAll(domains_);
  verdict.least_address_interval = LeastOfAll(addresses_);
  return verdict;
}

std::optional<Duration> Judge::LeastDomainInterval(std::string_view domain) const {
  return LeastOf(domains_, domain);
}

std::optional<Duration> Judge::LeastAddressInterval(std::string_view address) const {
  return LeastOf(addresses_, address);
}

void WriteJson(const Verdict& verdict, JsonWriter* json) {
  json->BeginObject().Key("polite").Value(verdict.polite());
  json->Key("requests").Value(verdict.requests).Key("domains").Value(verdict.domains);
  WriteInterval("least_domain_interval_ms", verdict.least_domain_interval, json);
  WriteInterval("least_address_interval_ms", verdict.least_address_interval, json);
  json->Key("breaches").BeginObject();
  for (size_t i = 0; i < verdict.breaches.size(); ++i) {
    json->Key(NameOf(static_cast<Breach>(i))).BeginObject();
    json->Key("count").Value(verdict.breaches[i].count).Key("examples").BeginArray();
    for (const std::string& example : verdict.breaches[i].examples) json->Value(example);
    json->EndArray().EndObject();
  }
  json->EndObject().EndObject();
}

}  // namespace orbweaver::synthetic
