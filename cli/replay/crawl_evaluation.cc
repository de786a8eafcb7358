#include "cli/replay/crawl_evaluation.h"

#include <algorithm>
#include <iterator>

#include "cli/amounts.h"
#include "cli/record/progress_line.h"
#include "cli/replay/crawl_replay_report.h"
#include "fmt/format.h"

#include "common/base/json.h"
#include "common/base/status.h"
#include "lab/crawl/crawl_figures.h"
#include "lab/report/evaluation.h"
#include "strategy_worker/host/loader.h"

namespace orbweaver {
namespace {

std::string NameOf(const std::filesystem::path& folder) {
  std::error_code ignored;
  const auto path = std::filesystem::absolute(folder, ignored).lexically_normal();
  return path.has_filename() ? path.filename().string() : path.parent_path().filename().string();
}

// As many as every strategy has that has more than one.
size_t DrawsOfEach(const std::vector<std::vector<lab::CrawlTrace>>& draws) {
  size_t each = 1;
  for (const auto& of_strategy : draws) {
    if (of_strategy.size() > 1)
      each = each == 1 ? of_strategy.size() : std::min(each, of_strategy.size());
  }
  return each;
}

void IntervalJson(JsonWriter& json, const std::optional<lab::Interval>& interval) {
  if (!interval.has_value()) {
    json.Null();
    return;
  }
  json.BeginArray().Value(interval->low).Value(interval->high).EndArray();
}

}  // namespace

bool IsOracle(const StrategyOptions& options) {
  return options.path.empty() && options.name == lab::Oracle::kName;
}

absl::Status CheckStrategy(const ListedStrategy& listed, bool is_crawl) {
  if (!IsOracle(listed.options)) return LoadStrategy(listed.options, /*seed=*/1).status();
  if (!is_crawl) {
    return FatalError(
        "--strategy oracle: it knows what recorded pages are worth, and only crawls "
        "them: add --crawl");
  }
  if (listed.name != lab::Oracle::kName && listed.name.find(':') != std::string::npos) {
    return FatalError("--strategy {}: the oracle has no parameters", listed.name);
  }
  return absl::OkStatus();
}

absl::StatusOr<lab::PageValue> CrawlEvaluation::ReadValue(const ReplayTask& task,
                                                          const CrawlReplayArguments& arguments) {
  if (arguments.value.has_value()) {
    auto value = lab::PageValue::FromExpression(*arguments.value);
    if (value.ok()) return value;
    // The caret ends it, below its place.
    return FatalError("--value: {}\n", MessageOf(value.status()));
  }
  if (arguments.value_file.empty()) return lab::PageValue();
  auto value = lab::PageValue::FromScores(arguments.value_file, task.options.spider.url);
  if (!value.ok()) return Annotate(value.status(), "--value-file");
  return value;
}

absl::StatusOr<std::unique_ptr<CrawlEvaluation>> CrawlEvaluation::Read(
    const lab::RecordedWeb& web, const lab::PageValue& value, absl::FunctionRef<bool()> go_on) {
  ProgressLine progress;
  ASSIGN_OR_RETURN(auto pages, lab::RecordedPages::Read(web, value, [&](uint64_t fetches) {
                     progress.Show(Fetches(fetches) + " valued", fetches, web.visits());
                     return go_on();
                   }));
  return std::unique_ptr<CrawlEvaluation>(new CrawlEvaluation(web, value, std::move(pages)));
}

std::unique_ptr<Strategy> CrawlEvaluation::NewOracle() const {
  return std::make_unique<lab::Oracle>(web_, promises_);
}

lab::Report CrawlEvaluation::Evaluate(const ReplayTask& task, const CrawlReplayArguments& arguments,
                                      const std::vector<std::vector<lab::CrawlTrace>>& draws) {
  // Before the crawls, whose unknown URLs bring domains of their own.
  const uint64_t domains = pages_->table().domains().size();
  std::vector<lab::CrawlFetches> crawls;
  const size_t each = DrawsOfEach(draws);
  for (const auto& of_strategy : draws) {
    if (of_strategy[0].end == lab::CrawlEnd::kStopped && of_strategy[0].fetches.empty()) continue;
    for (size_t draw = 0; draw < each; ++draw) {
      const bool is_there = draw < of_strategy.size();
      crawls.push_back(is_there ? pages_->FetchesOf(of_strategy[draw]) : crawls.back());
    }
  }
  lab::Report report = lab::Evaluate(pages_->table(), crawls,
                                     {.draws = each,
                                      .value = value_.text(),
                                      .needed_support = lab::kLeastSupport,
                                      .force = arguments.force});
  uint64_t valued = 0;
  for (uint32_t url = 0; url < web_.urls(); ++url) {
    if (pages_->table().WorthOf(url) > 0) ++valued;
  }
  const lab::RecordingOrigin& origin = task.recording.manifest().origin;
  report.recording = {.name = NameOf(task.recording.path()),
                      .strategy = origin.strategy,
                      .software = origin.software,
                      .urls = web_.urls(),
                      .visits = web_.visits(),
                      .links = web_.links(),
                      .domains = domains,
                      .valued = valued,
                      .explored = pages_->table().explored(),
                      .span = web_.end() - web_.begin()};
  return report;
}

std::string VerdictText(const lab::Report& report) {
  std::string text;
  if (report.aim == lab::Metric::kValue && report.recording.valued == 0) {
    text += "No recorded page is worth anything by this value.\n";
  }
  // Crawls without a verdict have been told.
  for (const lab::CrawlDifference& difference : report.differences) {
    if (difference.has_verdict) text += difference.verdict + ".\n";
  }
  if (!report.differences.empty() && report.resampled_domains == 0) {
    text += "Fewer than ten registered domains were fetched from, so there are no intervals.\n";
  }
  return text;
}

std::string VerdictJson(const lab::Report& report) {
  std::string text;
  JsonWriter json(&text);
  json.BeginArray();
  const auto m = static_cast<size_t>(report.aim);
  for (const lab::CrawlDifference& difference : report.differences) {
    json.BeginObject().Key("strategy").Value(report.strategies[difference.other].name);
    json.Key("against").Value(report.strategies[difference.base].name);
    json.Key("verdict").Value(difference.has_verdict).Key("text").Value(difference.verdict);
    json.Key("metric").Value(lab::MetricName(report.aim));
    json.Key("fetches").Value(report.compared_fetches);
    json.Key("low").Value(difference.absolute[m].low);
    json.Key("estimate").Value(difference.absolute[m].estimate);
    json.Key("high").Value(difference.absolute[m].high).Key("interval");
    IntervalJson(json, difference.interval[m]);
    json.EndObject();
  }
  json.EndArray();
  return text;
}

}  // namespace orbweaver
