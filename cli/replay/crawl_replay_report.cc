#include "cli/replay/crawl_replay_report.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <vector>

#include "cli/amounts.h"
#include "fmt/format.h"

#include "common/base/json.h"
#include "lab/crawl/crawl_figures.h"

namespace orbweaver {
namespace {

using lab::CrawlEnd;
using lab::CrawlFigures;
using lab::CrawlTrace;

constexpr size_t kNamedDomains = 3;

std::string_view EndName(CrawlEnd end) {
  switch (end) {
    case CrawlEnd::kNothingLeft:
      return "nothing_left";
    case CrawlEnd::kBudget:
      return "budget";
    case CrawlEnd::kTime:
      return "time";
    case CrawlEnd::kStopped:
      return "stopped";
  }
  return "";
}

std::string_view EndText(CrawlEnd end) {
  switch (end) {
    case CrawlEnd::kNothingLeft:
      return "nothing is left";
    case CrawlEnd::kBudget:
      return "the budget";
    case CrawlEnd::kTime:
      return "the time";
    case CrawlEnd::kStopped:
      return "stopped";
  }
  return "";
}

// Of a share, and never 100 where something lacks.
std::string Percent(double share) {
  return fmt::format("{:.1f} %", share < 1 ? std::min(share * 100, 99.9) : 100.0);
}

// Null: it was stopped before its first fetch.
const lab::StrategyReport* JudgedOf(const CrawlReplayReport& report, const CrawlTrace& trace) {
  const auto found =
      std::ranges::find(report.judged.strategies, trace.strategy, &lab::StrategyReport::name);
  return found == report.judged.strategies.end() ? nullptr : &*found;
}

// Of all draws.
double SupportOf(const CrawlReplayReport& report, const CrawlTrace& trace) {
  const lab::StrategyReport* const judged = JudgedOf(report, trace);
  return judged == nullptr ? 1 : judged->support();
}

bool IsSupported(const CrawlReplayReport& report, const CrawlTrace& trace) {
  return SupportOf(report, trace) >= lab::kLeastSupport;
}

// At the end of the strategy's crawl.
const lab::Bounded* UniquePages(const CrawlReplayReport& report, const CrawlTrace& trace) {
  const lab::StrategyReport* const judged = JudgedOf(report, trace);
  if (judged == nullptr) return nullptr;
  return &judged->by_fetches.back().measured[static_cast<size_t>(lab::Metric::kUnique)];
}

std::string BoundsText(const lab::Bounded* bounds) {
  if (bounds == nullptr) return "-";
  const auto low = static_cast<uint64_t>(std::floor(bounds->low));
  const auto high = static_cast<uint64_t>(std::ceil(bounds->high));
  return low == high ? Count(low) : fmt::format("{} to {}", Count(low), Count(high));
}

// Columns as wide as they must be; the first is flush left.
std::string Table(const std::vector<std::vector<std::string>>& rows) {
  std::vector<size_t> widths(rows[0].size());
  for (const auto& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const auto& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) {
      if (i == 0) {
        fmt::format_to(std::back_inserter(text), "{:<{}}", row[i], widths[i]);
      } else {
        fmt::format_to(std::back_inserter(text), "  {:>{}}", row[i], widths[i]);
      }
    }
    text += '\n';
  }
  return text;
}

std::string NoVerdictText(const CrawlReplayReport& report, const CrawlTrace& trace) {
  std::string domains;
  for (const auto& [domain, fetches] : lab::UnknownDomains(report.web, trace, kNamedDomains)) {
    fmt::format_to(std::back_inserter(domains), "{}{} ({})", domains.empty() ? "" : ", ", domain,
                   Count(fetches));
  }
  return fmt::format(
      "{}: no verdict. The recording knows the outcome of {} of its fetches; {} are needed. It "
      "fetched URLs that the recorded crawl never asked for, most of {}.\n",
      trace.strategy, Percent(SupportOf(report, trace)), Percent(lab::kLeastSupport), domains);
}

}  // namespace

std::string Fetches(uint64_t count) {
  return fmt::format("{} {}", Count(count), count == 1 ? "fetch" : "fetches");
}

bool HasVerdict(const CrawlReplayReport& report) {
  return std::ranges::all_of(report.traces,
                             [&](const CrawlTrace& trace) { return IsSupported(report, trace); });
}

std::string ReportText(const CrawlReplayReport& report) {
  std::string text =
      fmt::format("The recorded web: {} URLs in {}, {}. At most {} by each strategy.\n\n",
                  Count(report.web.urls()), Fetches(report.web.visits()),
                  Count(report.web.links(), "link"), Fetches(report.budget));
  std::vector<std::vector<std::string>> rows{{"strategy", "fetches", "recorded", "pages", "failed",
                                              "unknown", "domains", "unique pages", "time",
                                              "waiting", "ended by"}};
  std::string notes;
  for (const CrawlTrace& trace : report.traces) {
    const CrawlFigures figures = lab::FiguresOf(report.web, trace);
    std::vector<std::string> row{trace.strategy, Count(figures.fetches),
                                 Percent(SupportOf(report, trace))};
    if (IsSupported(report, trace) || report.force) {
      const double waiting =
          trace.took > Duration::zero()
              ? static_cast<double>(trace.idle.count()) / static_cast<double>(trace.took.count())
              : 0;
      row.insert(row.end(),
                 {Count(figures.pages), Count(figures.failed), Count(figures.unknown),
                  Count(figures.domains), BoundsText(UniquePages(report, trace)), Time(trace.took),
                  fmt::format("{:.0f} %", waiting * 100), std::string(EndText(trace.end))});
    } else {
      row.insert(row.end(), {"-", "-", Count(figures.unknown), "-", "-", "-", "-",
                             std::string(EndText(trace.end))});
    }
    rows.push_back(std::move(row));
    if (!IsSupported(report, trace)) notes += NoVerdictText(report, trace);
    if (trace.dead_letters > 0) {
      fmt::format_to(std::back_inserter(notes), "{}: {} could not be processed.\n", trace.strategy,
                     Count(trace.dead_letters, "event"));
    }
  }
  if (report.web.unreadable() > 0) {
    fmt::format_to(std::back_inserter(notes), "{} of the recording could not be read.\n",
                   Count(report.web.unreadable(), "event"));
  }
  text += Table(rows);
  if (!notes.empty()) text += "\n" + notes;
  if (!HasVerdict(report)) {
    text += report.force
                ? "The figures are printed all the same (--force).\n"
                : "A larger recording helps, or a smaller --budget. --force prints the figures all "
                  "the same.\n";
  }
  return text;
}

std::string ReportJson(const CrawlReplayReport& report, std::string_view verdicts) {
  std::string text;
  JsonWriter json(&text);
  json.BeginObject().Key("urls").Value(report.web.urls());
  json.Key("visits").Value(report.web.visits()).Key("links").Value(report.web.links());
  json.Key("unreadable").Value(report.web.unreadable());
  json.Key("budget").Value(report.budget).Key("verdict").Value(HasVerdict(report));
  json.Key("strategies").BeginArray();
  for (const CrawlTrace& trace : report.traces) {
    const CrawlFigures figures = lab::FiguresOf(report.web, trace);
    json.BeginObject().Key("strategy").Value(trace.strategy);
    json.Key("fetches").Value(figures.fetches).Key("support").Value(SupportOf(report, trace));
    json.Key("unknown").Value(figures.unknown).Key("ended_by").Value(EndName(trace.end));
    json.Key("dead_letters").Value(trace.dead_letters).Key("figures");
    if (IsSupported(report, trace) || report.force) {
      json.BeginObject().Key("pages").Value(figures.pages);
      json.Key("not_modified").Value(figures.not_modified).Key("failed").Value(figures.failed);
      json.Key("known_urls").Value(figures.known_urls).Key("domains").Value(figures.domains);
      if (const lab::Bounded* const unique = UniquePages(report, trace)) {
        json.Key("unique_pages").BeginObject().Key("low").Value(unique->low);
        json.Key("estimate").Value(unique->estimate).Key("high").Value(unique->high).EndObject();
      }
      json.Key("robots_fetches").Value(trace.robots_fetches);
      json.Key("forbidden").Value(trace.forbidden);
      json.Key("virtual_s").Value(std::chrono::duration<double>(trace.took).count());
      json.Key("idle_s").Value(std::chrono::duration<double>(trace.idle).count());
      json.EndObject();
    } else {
      json.Null();
    }
    json.EndObject();
  }
  json.EndArray();
  json.Key("verdicts").Raw(verdicts);
  json.EndObject();
  return text + "\n";
}

}  // namespace orbweaver
