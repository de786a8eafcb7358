#include "cli/replay/replay_report.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <variant>

#include "cli/amounts.h"
#include "cli/frontier/inspect.h"
#include "cli/frontier/message_view.h"
#include "cli/frontier/url_facts.h"
#include "fmt/format.h"

#include "common/base/json.h"
#include "common/base/status.h"
#include "common/bus/topics.h"
#include "common/model/scoring_log.h"
#include "common/url/fingerprint.h"
#include "common/url/partition.h"

namespace orbweaver {
namespace {

// The requests of an entry, encoded apart from one another; by URL.
std::set<std::pair<std::string, std::string>> RequestsOf(const std::string& entry) {
  std::set<std::pair<std::string, std::string>> requests;
  Arena arena;
  ScoringLogEntry decoded;
  if (entry.empty() || !Decode(entry, &arena, &decoded).ok()) return requests;
  const auto* const schedule = std::get_if<ScheduleRequests>(&decoded.entry);
  if (schedule == nullptr) return requests;
  EncodeBuffer buffer;
  for (const ScheduledRequest& request : schedule->requests) {
    const auto alone = Encode(ScoringLogEntry{.entry = ScheduleRequests{.source_topic_epoch = 1,
                                                                        .domain = schedule->domain,
                                                                        .requests = {&request, 1}}},
                              &buffer);
    if (alone.ok()) requests.emplace(request.url, *alone);
  }
  return requests;
}

// The first URL of which only one has a request, or a different one.
std::string FirstUrl(const lab::Difference& difference) {
  const auto recorded = RequestsOf(difference.recorded);
  const auto replayed = RequestsOf(difference.replayed);
  std::vector<std::pair<std::string, std::string>> different;
  std::set_symmetric_difference(recorded.begin(), recorded.end(), replayed.begin(), replayed.end(),
                                std::back_inserter(different));
  return different.empty() ? "" : different.front().first;
}

std::string DecisionText(const std::string& entry) {
  if (entry.empty()) return "no decision";
  Arena arena;
  Message message;
  message.value = entry;
  return ViewMessage(kScoringLogTopic, message, &arena).detail;
}

}  // namespace

absl::StatusOr<DifferenceReport> Describe(const lab::Recording& recording,
                                          const lab::Difference& difference,
                                          lab::ReplayWorker& worker) {
  DifferenceReport report{.event = {},
                          .domain = {},
                          .url = FirstUrl(difference),
                          .state = {},
                          .recorded = DecisionText(difference.recorded),
                          .replayed = DecisionText(difference.replayed)};
  std::string domain;
  RETURN_IF_ERROR(lab::ReplayBefore(recording, difference.key, worker, [&](const Message& event) {
    Arena arena;
    report.event = MessageLine(kSpiderLogTopic, event, ViewMessage(kSpiderLogTopic, event, &arena));
    domain = event.key;
  }));
  const int partitions = worker.partitions();
  ASSIGN_OR_RETURN(const DomainFacts facts,
                   ReadDomainFacts(worker.store(), domain, partitions, {}));
  report.domain = DomainJson(facts, WallTime());
  if (!report.url.empty()) {
    const ResolvedUrl url{.url = report.url,
                          .domain = domain,
                          .slot = SlotOf(domain),
                          .fingerprint = FingerprintOf(report.url)};
    ASSIGN_OR_RETURN(const UrlFacts of_url, ReadUrlFacts(worker.store(), url, partitions, {}));
    report.state = UrlJson(of_url);
  }
  return report;
}

std::string ReportText(const ReplayReport& report) {
  const lab::VerificationResult& result = report.result;
  std::string text = fmt::format("{}: {} replayed, {} equal, with {}\n", report.strategy,
                                 Count(result.events, "event"), Count(result.equal, "decision"),
                                 Count(result.equal_requests, "request"));
  const auto out = std::back_inserter(text);
  if (result.behind_the_end > 0) {
    fmt::format_to(out, "{} on events that the recorded worker had not decided on yet.\n",
                   Count(result.behind_the_end, "decision"));
  }
  if (result.dead_letters > 0) {
    fmt::format_to(out, "{} could not be processed.\n", Count(result.dead_letters, "event"));
  }
  if (!report.first.has_value()) {
    text += result.is_complete ? "All decisions are equal.\n" : "Stopped before the end.\n";
    return text;
  }
  const DifferenceReport& first = *report.first;
  fmt::format_to(out, "{}different{}. The first:\n\n",
                 result.is_complete ? Count(result.differences) + " are " : "Decisions are ",
                 result.is_complete ? "" : "; ended early");
  fmt::format_to(out, "event     {}\nrecorded  {}\nreplayed  {}\ndomain    {}\n", first.event,
                 first.recorded, first.replayed, first.domain);
  if (!first.url.empty()) fmt::format_to(out, "state     {}\n", first.state);
  return text;
}

std::string ReportJson(const ReplayReport& report) {
  const lab::VerificationResult& result = report.result;
  std::string text;
  JsonWriter json(&text);
  json.BeginObject().Key("strategy").Value(report.strategy);
  json.Key("events").Value(result.events).Key("equal").Value(result.equal);
  json.Key("equal_requests").Value(result.equal_requests);
  json.Key("different").Value(result.differences);
  json.Key("behind_the_end").Value(result.behind_the_end);
  json.Key("dead_letters").Value(result.dead_letters);
  json.Key("is_complete").Value(result.is_complete).Key("first");
  if (report.first.has_value()) {
    const DifferenceReport& first = *report.first;
    json.BeginObject().Key("event").Value(first.event).Key("recorded").Value(first.recorded);
    json.Key("replayed").Value(first.replayed).Key("domain").Raw(first.domain);
    json.Key("state");
    if (first.state.empty()) {
      json.Null();
    } else {
      json.Raw(first.state);
    }
    json.EndObject();
  } else {
    json.Null();
  }
  json.EndObject();
  return text + "\n";
}

}  // namespace orbweaver
