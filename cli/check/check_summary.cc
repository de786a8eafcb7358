#include "cli/check/check_summary.h"

#include <algorithm>

#include "cli/amounts.h"
#include "fmt/format.h"

#include "common/base/json.h"

namespace orbweaver {
namespace {

constexpr size_t kMostCauses = 20;
constexpr size_t kMostHosts = 10;
constexpr size_t kMostHostsInJson = 100;

double Seconds(Duration duration) { return std::chrono::duration<double>(duration).count(); }

double RateOf(const CheckEnd& end) {
  return static_cast<double>(end.checked_now) / std::max(0.001, Seconds(end.elapsed));
}

std::string TimeLeft(const CheckSnapshot& look) {
  if (look.per_second <= 0) return "";
  return fmt::format(", about {} left",
                     Time(std::chrono::duration_cast<Duration>(std::chrono::duration<double>(
                         static_cast<double>(look.left) / look.per_second))));
}

template <typename... Args>
void Line(std::string* out, fmt::format_string<Args...> format, Args&&... args) {
  fmt::format_to(std::back_inserter(*out), format, std::forward<Args>(args)...);
  *out += '\n';
}

void WriteHosts(const CheckTally& tally, std::string* out) {
  if (tally.dead_hosts() > 0) {
    Line(out, "Hosts that never answered: {}", Count(tally.dead_hosts()));
    for (const auto& [host, urls] : tally.Dead(kMostHosts)) {
      Line(out, "  {:<40} {:>10}", host, Count(urls, "URL"));
    }
  }
  if (const auto slowest = tally.Slowest(kMostHosts); !slowest.empty()) {
    Line(out, "Slowest hosts, by the mean time of an answer");
    for (const auto& [host, milliseconds] : slowest) {
      Line(out, "  {:<40} {:>7} ms", host, Count(milliseconds));
    }
  }
  if (tally.ending_soon() > 0) {
    Line(out, "Certificates that end within {} days: {}", tally.certificate_days(),
         Count(tally.ending_soon()));
    for (const auto& [host, days] : tally.EndingSoon(kMostHosts)) {
      Line(out, "  {:<40} {}", host,
           days < 0    ? "ended"
           : days == 0 ? "today"
                       : fmt::format("in {} days", days));
    }
  }
  if (!tally.all_hosts_counted()) {
    Line(out, "Hosts were counted up to a bound: those of the largest domains.");
  }
}

// The option behind what was not asked.
std::string_view HintFor(std::string_view cause) {
  if (cause == "port") return "  not asked: with --restart --set network.ports=LIST";
  if (cause == "private_address") {
    return "  not asked: with --restart --set network.allow_hosts=HOST:PORT,…";
  }
  return {};
}

}  // namespace

std::string ProgressLine(const CheckSnapshot& look, const CheckTally& tally) {
  const uint64_t done = look.urls - look.left;
  const double share =
      look.urls == 0 ? 100 : 100 * static_cast<double>(done) / static_cast<double>(look.urls);
  return fmt::format(
      "{} for {}: {} of {} ({:.1f} %), {:.1f}/s{}; {} alive, {} dead, {} unclear; {} being asked, "
      "{} waiting for their turn",
      look.state, Time(look.elapsed), Count(done), Count(look.urls), share, look.per_second,
      TimeLeft(look), Count(tally.count(CheckVerdict::kAlive)),
      Count(tally.count(CheckVerdict::kDead)), Count(tally.count(CheckVerdict::kUnclear)),
      Count(look.asking), Count(look.waiting));
}

std::string SummaryText(const CheckEnd& end, const CheckTally& tally) {
  std::string out;
  Line(&out, "Ended: {}.", end.why);
  Line(&out, "{} checked in {} ({:.1f}/s){}", Count(end.checked_now, "URL"), Time(end.elapsed),
       RateOf(end),
       tally.total() > end.checked_now ? fmt::format("; {} with earlier runs", Count(tally.total()))
                                       : "");
  for (const auto verdict : {CheckVerdict::kAlive, CheckVerdict::kDead, CheckVerdict::kUnclear,
                             CheckVerdict::kSkipped}) {
    Line(&out, "  {:<10} {:>14}", CheckVerdictName(verdict), Count(tally.count(verdict)));
  }
  if (end.left > 0) Line(&out, "  {:<10} {:>14}", "left", Count(end.left));
  if (end.counts.duplicates > 0) {
    Line(&out, "{} with a URL that stands on an earlier line",
         Count(end.counts.duplicates, "line"));
  }
  const auto failures = tally.Failures();
  if (!failures.empty()) Line(&out, "Not alive, by status or cause");
  for (size_t i = 0; i < std::min(kMostCauses, failures.size()); ++i) {
    Line(&out, "  {:<20} {:>10}{}", failures[i].first, Count(failures[i].second),
         HintFor(failures[i].first));
  }
  if (tally.redirected() > 0) {
    Line(&out, "Redirected: {}, {} of them permanently", Count(tally.redirected()),
         Count(tally.permanently()));
  }
  WriteHosts(tally, &out);
  if (!end.results.empty()) Line(&out, "Results: {}", end.results);
  if (!end.go_on.empty()) Line(&out, "To go on: {}", end.go_on);
  return out;
}

std::string SummaryJson(const CheckEnd& end, const CheckTally& tally) {
  std::string out;
  JsonWriter json(&out);
  json.BeginObject().Key("outcome").Value(CrawlOutcomeName(end.outcome));
  json.Key("why").Value(end.why).Key("seconds").Value(Seconds(end.elapsed));
  json.Key("checked").Value(end.checked_now).Key("per_second").Value(RateOf(end));
  json.Key("urls").Value(end.counts.urls).Key("left").Value(end.left);
  json.Key("lines").Value(end.counts.lines).Key("duplicates").Value(end.counts.duplicates);
  json.Key("verdicts").BeginObject();
  for (const auto verdict : {CheckVerdict::kAlive, CheckVerdict::kDead, CheckVerdict::kUnclear,
                             CheckVerdict::kSkipped}) {
    json.Key(CheckVerdictName(verdict)).Value(tally.count(verdict));
  }
  json.EndObject().Key("failures").BeginObject();
  for (const auto& [cause, count] : tally.Failures()) json.Key(cause).Value(count);
  json.EndObject().Key("redirected").Value(tally.redirected());
  json.Key("redirected_permanently").Value(tally.permanently());
  json.Key("dead_hosts").Value(tally.dead_hosts());
  json.Key("dead").BeginArray();
  for (const auto& [host, urls] : tally.Dead(kMostHostsInJson)) {
    json.BeginObject().Key("host").Value(host).Key("urls").Value(urls).EndObject();
  }
  json.EndArray().Key("slowest").BeginArray();
  for (const auto& [host, milliseconds] : tally.Slowest(kMostHostsInJson)) {
    json.BeginObject().Key("host").Value(host).Key("mean_ms").Value(milliseconds).EndObject();
  }
  json.EndArray().Key("certificates_ending").Value(tally.ending_soon());
  json.Key("certificates").BeginArray();
  for (const auto& [host, days] : tally.EndingSoon(kMostHostsInJson)) {
    json.BeginObject().Key("host").Value(host).Key("days").Value(days).EndObject();
  }
  json.EndArray().Key("results").Value(end.results).EndObject();
  return out;
}

}  // namespace orbweaver
