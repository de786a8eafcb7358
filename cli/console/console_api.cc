#include "cli/console/console_api.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "cli/console/alerts_view.h"
#include "cli/console/assets.h"
#include "cli/console/dead_letters_view.h"
#include "cli/console/history_view.h"
#include "cli/console/json_answer.h"
#include "cli/console/stages_view.h"
#include "cli/console/workers_view.h"
#include "cli/frontier/bottleneck.h"
#include "cli/frontier/dead_letter_list.h"
#include "cli/frontier/domain_outcomes.h"
#include "cli/frontier/domain_table.h"
#include "cli/frontier/domain_table_view.h"
#include "cli/frontier/explain_url.h"
#include "cli/frontier/explanation_view.h"
#include "cli/frontier/inspect.h"
#include "cli/frontier/partition_load.h"
#include "cli/frontier/status_view.h"
#include "cli/frontier/url_facts.h"
#include "cli/seed_writer.h"
#include "fmt/format.h"

#include "common/base/status.h"
#include "common/config/value_text.h"
#include "common/url/named_domain.h"
#include "common/url/resolver.h"

namespace orbweaver {
namespace {

// Two looks that are nearer to each other show the same.
constexpr Duration kLookEvery = std::chrono::seconds(1);
// Of the shares of partitions, about.
constexpr Duration kLoadWindow = std::chrono::seconds(20);
constexpr Duration kMarkEvery = std::chrono::seconds(5);
// Of domains: what a look takes is bounded.
constexpr uint64_t kMostRead = 100'000;
constexpr size_t kMostRows = 500;
// To read the domains of a large crawl takes a while, and whoever turns pages, or sorts, wants the
// same ones.
constexpr Duration kTableEvery = std::chrono::seconds(5);
// A rate is of the time since the table before, and says nothing of now where that was long ago.
constexpr Duration kMostRateTime = std::chrono::minutes(2);
constexpr Duration kSampleEvery = std::chrono::seconds(10);
// Partitions move seldom, and to ask who owns them takes a connection for each group.
constexpr Duration kOwnersEvery = std::chrono::seconds(5);

absl::StatusOr<std::string> Param(const FormParams& params, std::string_view name) {
  const auto found = params.find(name);
  if (found != params.end() && !found->second.empty()) return found->second;
  return PoisonError("parameter '{}' is missing", name);
}

// *number stays as it is when the parameter is not there.
absl::Status TakeNumber(const FormParams& params, std::string_view name, size_t most,
                        size_t* number) {
  const auto found = params.find(name);
  if (found == params.end()) return absl::OkStatus();
  uint64_t value = 0;
  if (!config::ParseNumber(found->second, &value) || value > most) {
    return PoisonError("parameter '{}': expected a number from 0 to {}", name, most);
  }
  *number = value;
  return absl::OkStatus();
}

// The one of `all` that is called so.
template <typename Enum, size_t kCount, typename NameOf>
absl::StatusOr<Enum> OneOf(const Enum (&all)[kCount], NameOf name_of, std::string_view name,
                           std::string_view text) {
  std::string names;
  for (const Enum one : all) {
    if (name_of(one) == text) return one;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", name_of(one));
  }
  return PoisonError("parameter '{}': expected one of {}", name, names);
}

absl::StatusOr<DomainQuery> QueryOf(const FormParams& params) {
  for (const auto& [name, value] : params) {
    constexpr std::string_view kKnown[] = {"contains", "phase", "sort", "order", "offset", "limit"};
    if (std::ranges::find(kKnown, name) == std::end(kKnown)) {
      return PoisonError("parameter '{}': there is none of this name", name);
    }
  }
  DomainQuery query;
  const auto text = [&params](std::string_view name) {
    const auto found = params.find(name);
    return found == params.end() ? std::string() : found->second;
  };
  query.contains = text("contains");
  if (const std::string phase = text("phase"); !phase.empty()) {
    ASSIGN_OR_RETURN(query.phase, OneOf(kDomainPhases, DomainPhaseName, "phase", phase));
  }
  if (const std::string sort = text("sort"); !sort.empty()) {
    ASSIGN_OR_RETURN(query.sort, OneOf(kDomainColumns, DomainColumnName, "sort", sort));
  }
  const std::string order = text("order");
  if (!order.empty() && order != "asc" && order != "desc") {
    return PoisonError("parameter 'order': expected asc or desc");
  }
  query.is_ascending = order == "asc";
  RETURN_IF_ERROR(TakeNumber(params, "limit", kMostRows, &query.limit));
  RETURN_IF_ERROR(TakeNumber(params, "offset", kMostListedDomains - query.limit, &query.offset));
  return query;
}

}  // namespace

ConsoleApi::ConsoleApi(const ProductOptions& options, const PublicSuffixes& suffixes,
                       const Clock& clock, ConsoleSubject subject)
    : options_(options), suffixes_(suffixes), clock_(clock), subject_(std::move(subject)) {}

AdminResponse ConsoleApi::Handle(const AdminRequest& request) {
  if (!request.is_read()) return JsonNotAllowed("GET, HEAD");
  const auto params = ParseForm(request.query());
  const Answer answer = params.ok() ? Route(request.path(), *params) : params.status();
  if (answer.ok()) return JsonAnswer(200, *answer);
  const bool is_cluster = subject_.kind == "cluster" && IsRetry(answer.status());
  return JsonError(answer.status(), is_cluster ? ". Are Kafka and HBase up?" : "");
}

ConsoleApi::Answer ConsoleApi::Route(std::string_view path, const FormParams& params) {
  if (path == "/api/v1/overview") return Overview();
  if (path == "/api/v1/history") return History(params);
  if (path == "/api/v1/workers") return Workers();
  if (path == "/api/v1/domains") return Domains(params);
  if (path == "/api/v1/domain") return Domain(params);
  if (path == "/api/v1/url") return Url(params);
  if (path == "/api/v1/dead-letters") return DeadLetters(params);
  if (path == "/api/v1/openapi.json") return std::string(FindAsset("openapi.json")->content);
  return absl::NotFoundError("no such path; /api/v1/openapi.json lists them");
}

absl::Status ConsoleApi::LookAnew() {
  const SteadyTime now = clock_.Now();
  if (now_.has_value() && now - looked_at_ < kLookEvery) return absl::OkStatus();
  ASSIGN_OR_RETURN(const Frontier* const frontier, subject_.look());
  ASSIGN_OR_RETURN(FrontierStatus status, LookAtLogs(*frontier));
  if (subject_.queue) {
    status.queue = subject_.queue();
  } else if (now_.has_value() && now - sampled_at_ < kSampleEvery) {
    status.queue = now_->queue;
  } else {
    ASSIGN_OR_RETURN(const int partitions, frontier->Partitions());
    ASSIGN_OR_RETURN(status.queue, SampleQueue(frontier->store(), partitions, kMostRead,
                                               status.time, kLookTimeout));
    sampled_at_ = now;
  }
  status.suffix_list_date = suffixes_.date();
  before_ = std::exchange(now_, std::move(status));
  looked_at_ = now;
  while (!marks_.empty() && now_->at - marks_.front().at > kLoadWindow) marks_.pop_front();
  if (marks_.empty() || now_->at - marks_.back().at >= kMarkEvery) marks_.push_back(*now_);
  return absl::OkStatus();
}

ConsoleApi::Answer ConsoleApi::Overview() {
  RETURN_IF_ERROR(LookAnew());
  const FrontierStatus& before = before_.has_value() ? *before_ : *now_;
  const Diagnosis diagnosis =
      subject_.kind == "folder" ? DiagnoseAtRest(*now_) : Diagnose(before, *now_);
  std::string text;
  JsonWriter json(&text);
  json.BeginObject().Key("subject").BeginObject();
  json.Key("kind").Value(subject_.kind).Key("name").Value(subject_.name).EndObject();
  json.Key("bottleneck").BeginObject().Key("name").Value(BottleneckName(diagnosis.bottleneck));
  json.Key("says").Value(diagnosis.says).EndObject();
  json.Key("alerts");
  WriteAlerts(subject_.sampler == nullptr ? std::vector<Alert>() : subject_.sampler->Alerts(),
              json);
  json.Key("stages");
  WriteStages(subject_.sampler == nullptr ? SharesOf({}, {}, {}) : subject_.sampler->Stages(),
              json);
  json.Key("run");
  if (subject_.write_run) {
    subject_.write_run(json);
  } else {
    json.Null();
  }
  json.Key("status").Raw(StatusJson(before, *now_, LoadsOf(marks_.front(), *now_))).EndObject();
  return text;
}

ConsoleApi::Answer ConsoleApi::History(const FormParams& params) {
  const auto given = params.find("range");
  const std::string_view name = given == params.end() ? kHistoryRanges[0].name : given->second;
  for (size_t range = 0; range < kHistoryRangeCount; ++range) {
    if (kHistoryRanges[range].name != name) continue;
    return HistoryJson(kHistoryRanges[range], subject_.sampler == nullptr
                                                  ? std::vector<HistoryPoint>()
                                                  : subject_.sampler->Points(range));
  }
  return PoisonError("parameter 'range': expected one of 15m, 6h, 7d");
}

ConsoleApi::Answer ConsoleApi::Workers() {
  std::vector<SampledWorker> workers;
  if (subject_.sampler != nullptr) {
    RETURN_IF_ERROR(subject_.sampler->trouble());
    workers = subject_.sampler->Workers();
  }
  if (!workers.empty() && (!owners_.has_value() || clock_.Now() - owners_at_ >= kOwnersEvery)) {
    ASSIGN_OR_RETURN(const Frontier* const frontier, subject_.look());
    ASSIGN_OR_RETURN(owners_, LookAtLogs(*frontier));
    owners_at_ = clock_.Now();
  }
  return WorkersJson(workers, subject_.roles, owners_.value_or(FrontierStatus()));
}

ConsoleApi::Answer ConsoleApi::Domains(const FormParams& params) {
  ASSIGN_OR_RETURN(const DomainQuery query, QueryOf(params));
  ASSIGN_OR_RETURN(const Frontier* const frontier, subject_.look());
  if (!table_.has_value() || clock_.Now() - table_at_ >= kTableEvery) {
    RETURN_IF_ERROR(ReadTable(*frontier));
  }
  ASSIGN_OR_RETURN(DomainPage page, table_->Page(query, clock_.Wall()));
  std::vector<std::string> names;
  for (const ListedDomain& listed : page.domains) names.push_back(listed.domain);
  page.last_failures = subject_.outcomes != nullptr ? subject_.outcomes->LastFailures(names)
                                                    : frontier->LastFailures(names);
  return DomainPageJson(page);
}

absl::Status ConsoleApi::ReadTable(const Frontier& frontier) {
  ASSIGN_OR_RETURN(const int partitions, frontier.Partitions());
  if (table_.has_value()) fetched_then_ = table_->Fetched(table_at_);
  table_.reset();  // two of them would be in memory
  ASSIGN_OR_RETURN(table_, DomainTable::Read(frontier.store(), partitions,
                                             options_.spider.politeness, kMostRead, kLookTimeout));
  table_at_ = clock_.Now();
  if (fetched_then_.has_value() && table_at_ - fetched_then_->at <= kMostRateTime) {
    table_->SetRates(*fetched_then_, table_at_);
  }
  return absl::OkStatus();
}

ConsoleApi::Answer ConsoleApi::Domain(const FormParams& params) {
  ASSIGN_OR_RETURN(const std::string name, Param(params, "name"));
  ASSIGN_OR_RETURN(const std::string domain, NamedDomain(name, options_.spider.url, suffixes_));
  ASSIGN_OR_RETURN(const Frontier* const frontier, subject_.look());
  ASSIGN_OR_RETURN(const int partitions, frontier->Partitions());
  ASSIGN_OR_RETURN(const DomainFacts facts, ReadDomainFacts(frontier->store(), domain, partitions,
                                                            options_.spider.politeness));
  ASSIGN_OR_RETURN(const DomainOutcomes outcomes, LastOutcomes(*frontier, facts));
  return DomainJson(facts, clock_.Wall(), &outcomes);
}

absl::StatusOr<DomainOutcomes> ConsoleApi::LastOutcomes(const Frontier& frontier,
                                                        const DomainFacts& domain) const {
  if (subject_.outcomes != nullptr) {
    return subject_.outcomes->Of(domain.domain, OutcomeBounds().outcomes);
  }
  return frontier.LastOutcomes(domain.domain, domain.partition);
}

ConsoleApi::Answer ConsoleApi::Url(const FormParams& params) {
  ASSIGN_OR_RETURN(const std::string text, Param(params, "url"));
  UrlResolver resolver(options_.spider.url, suffixes_);
  ResolvedUrl url;
  if (const UrlError error = ResolveSeed(text, resolver, &url); error != UrlError::kNone) {
    return PoisonError("'{}' is no URL that is ever fetched: {}", text, UrlErrorName(error));
  }
  ASSIGN_OR_RETURN(const Frontier* const frontier, subject_.look());
  ASSIGN_OR_RETURN(const ExplainedUrl explained,
                   ExplainUrl(
                       *frontier, options_, url, suffixes_,
                       [&](const DomainFacts& domain) -> absl::StatusOr<DomainOutcomes> {
                         // A crawl at rest has no pace.
                         if (subject_.kind == "folder") return DomainOutcomes();
                         return LastOutcomes(*frontier, domain);
                       },
                       clock_.Wall()));
  return ExplanationJson(explained.facts, explained.explanation);
}

ConsoleApi::Answer ConsoleApi::DeadLetters(const FormParams& params) {
  size_t limit = 100;
  RETURN_IF_ERROR(TakeNumber(params, "limit", kMostListedLetters, &limit));
  std::optional<Offset> before;
  if (params.contains("before")) {
    size_t cursor = 0;
    RETURN_IF_ERROR(TakeNumber(params, "before", std::numeric_limits<int64_t>::max(), &cursor));
    before = Offset(static_cast<int64_t>(cursor));
  }
  ASSIGN_OR_RETURN(const Frontier* const frontier, subject_.look());
  ASSIGN_OR_RETURN(const LetterPage page,
                   ListDeadLetters(frontier->bus(), before, limit, kLookTimeout));
  return LetterPageJson(page);
}

}  // namespace orbweaver
