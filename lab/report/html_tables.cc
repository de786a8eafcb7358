#include "lab/report/html_tables.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>
#include <string_view>
#include <vector>

#include "fmt/format.h"

#include "lab/report/figures.h"
#include "lab/report/html_text.h"

namespace orbweaver::lab {
namespace {

size_t At(Metric metric) { return static_cast<size_t>(metric); }

// Rows of cells; on a narrow screen a row becomes a card, and its cells say what they are of.
class HtmlTable {
 public:
  HtmlTable(std::string_view caption, std::vector<std::string> columns)
      : columns_(std::move(columns)) {
    text_ = fmt::format("<table>\n<caption>{}</caption>\n<thead><tr>", Html(caption));
    for (const std::string& column : columns_) {
      text_ += fmt::format("<th scope=\"col\">{}</th>", Html(column));
    }
    text_ += "</tr></thead>\n<tbody>\n";
  }

  void BeginRow(std::string_view name, std::string_view below = "") {
    text_ += fmt::format("<tr><th scope=\"row\">{}", Html(name));
    if (!below.empty()) text_ += fmt::format("<small>{}</small>", Html(below));
    text_ += "</th>";
    column_ = 1;
  }
  // `html`: as it is.
  void Cell(std::string_view html) {
    text_ +=
        fmt::format("<td data-of=\"{}\"><span>{}</span></td>", Html(columns_[column_++]), html);
  }
  void EndRow() { text_ += "</tr>\n"; }
  std::string End() && { return std::move(text_) + "</tbody>\n</table>\n"; }

 private:
  const std::vector<std::string> columns_;
  std::string text_;
  size_t column_ = 0;
};

std::string Small(std::string_view text) { return fmt::format("<small>{}</small>", Html(text)); }

bool IsOpen(const Bounded& bounded) {
  return bounded.high - bounded.low > 1e-9 * std::max(1.0, std::abs(bounded.high));
}

std::string FigureCell(Metric metric, const Bounded& figure,
                       const std::optional<Interval>& interval) {
  std::string text = (IsOpen(figure) ? "≈ " : "") + ShowFigure(metric, figure.estimate);
  if (IsOpen(figure)) {
    text += Small(
        fmt::format("{} to {}", ShowFigure(metric, figure.low), ShowFigure(metric, figure.high)));
  }
  if (interval.has_value() && interval->low != interval->high) {
    text += Small(fmt::format("95 %: {} to {}", ShowFigure(metric, interval->low),
                              ShowFigure(metric, interval->high)));
  }
  return text;
}

std::string DifferenceCell(Metric metric, const CrawlDifference& difference) {
  const size_t m = At(metric);
  const Bounded& gap = difference.absolute[m];
  const bool more_is_better = metric != Metric::kErrors && metric != Metric::kAge;
  const bool is_certain = difference.interval[m].has_value()
                              ? difference.interval[m]->low > 0 || difference.interval[m]->high < 0
                              : gap.low > 0 || gap.high < 0;
  std::string text = ShowFigureSigned(metric, gap.estimate);
  const bool is_none = text == ShowFigureSigned(metric, 0);
  if (is_certain && !is_none && difference.has_verdict) {
    text = fmt::format("<span class=\"{}\">{}</span>",
                       (gap.estimate > 0) == more_is_better ? "more" : "less", text);
  }
  if (difference.ratio[m].has_value() && !is_none) {
    text += Small((gap.estimate > 0 ? "+" : "") + ShowPercent(*difference.ratio[m]));
  }
  if (const auto& interval = difference.interval[m];
      interval.has_value() && interval->low != interval->high) {
    text += Small(fmt::format("95 %: {} to {}", ShowFigureSigned(metric, interval->low),
                              ShowFigureSigned(metric, interval->high)));
  }
  return text;
}

std::string ChangesTable(const Report& report, std::string_view caption, std::string_view empty,
                         const DomainChanges& changes, const std::vector<DomainChange>& shown) {
  if (shown.empty()) return fmt::format("<p class=\"dim\">{}</p>\n", Html(empty));
  const std::string& base = report.strategies[changes.base].name;
  const std::string& other = report.strategies[changes.other].name;
  HtmlTable table(caption, {"Domain", other, base});
  const auto cell = [&](double sum, uint64_t fetches) {
    return ShowNumber(sum) + Small(ShowCount(fetches, "fetch"));
  };
  for (const DomainChange& change : shown) {
    table.BeginRow(change.domain);
    table.Cell(cell(change.other, change.other_fetches));
    table.Cell(cell(change.base, change.base_fetches));
    table.EndRow();
  }
  return std::move(table).End();
}

}  // namespace

std::string CrawlsSection(const Report& report) {
  HtmlTable table("Each crawl to its own end.",
                  {"Strategy", "Fetches", "Support", "Time", "Idle for politeness", "Inversions"});
  for (const StrategyReport& strategy : report.strategies) {
    table.BeginRow(strategy.name, strategy.ending);
    table.Cell(ShowNumber(static_cast<double>(strategy.fetches)));
    const bool is_low = strategy.support() < report.needed_support;
    table.Cell(fmt::format("<span class=\"bar{}\"><i style=\"width:{:.1f}%\"></i></span>{}",
                           is_low ? " low" : "", strategy.support() * 100,
                           ShowPercent(strategy.support())));
    table.Cell(ShowTime(strategy.took));
    const double idle = strategy.took.count() > 0
                            ? std::chrono::duration<double>(strategy.idle).count() /
                                  std::chrono::duration<double>(strategy.took).count()
                            : 0;
    table.Cell(ShowTime(strategy.idle) + Small(ShowPercent(idle) + " of the time"));
    const Inversions& inversions = strategy.inversions;
    const double inverted = inversions.fetches > 0 ? static_cast<double>(inversions.inverted) /
                                                         static_cast<double>(inversions.fetches)
                                                   : 0;
    table.Cell(ShowPercent(inverted) +
               Small(fmt::format("{} of {}", ShowNumber(static_cast<double>(inversions.inverted)),
                                 ShowNumber(static_cast<double>(inversions.fetches)))));
    table.EndRow();
  }
  return "<section aria-labelledby=\"crawls\">\n<h2 id=\"crawls\">Crawls</h2>\n" +
         std::move(table).End() + "</section>\n";
}

std::string FiguresSection(const Report& report) {
  std::vector<std::string> columns = {"Measure"};
  for (const StrategyReport& strategy : report.strategies) columns.push_back(strategy.name);
  HtmlTable table("With the bounds that the recording leaves, and 95 % intervals.",
                  std::move(columns));
  for (const Metric metric : report.metrics) {
    table.BeginRow(MetricTitle(metric));
    for (const StrategyReport& strategy : report.strategies) {
      table.Cell(
          FigureCell(metric, strategy.final.measured[At(metric)], strategy.intervals[At(metric)]));
    }
    table.EndRow();
  }
  return fmt::format(
      "<section aria-labelledby=\"figures\">\n<h2 id=\"figures\">After {}</h2>\n{}</section>\n",
      ShowCount(report.compared_fetches, "fetch"), std::move(table).End());
}

std::string DifferencesSection(const Report& report) {
  if (report.differences.empty()) return "";
  std::vector<std::string> columns = {"Measure"};
  for (const CrawlDifference& difference : report.differences) {
    if (difference.base == 0) columns.push_back(report.strategies[difference.other].name);
  }
  HtmlTable table(
      fmt::format("After {}. Coloured where the difference is certain: better or worse. "
                  "All pairs stand in differences.csv.",
                  ShowCount(report.compared_fetches, "fetch")),
      std::move(columns));
  for (const Metric metric : report.metrics) {
    table.BeginRow(MetricTitle(metric));
    for (const CrawlDifference& difference : report.differences) {
      if (difference.base == 0) table.Cell(DifferenceCell(metric, difference));
    }
    table.EndRow();
  }
  return fmt::format(
      "<section aria-labelledby=\"differences\">\n<h2 id=\"differences\">Differences from "
      "{}</h2>\n{}</section>\n",
      Html(report.strategies[0].name), std::move(table).End());
}

std::string DomainsSection(const Report& report) {
  if (report.changes.empty()) return "";
  std::string text = fmt::format(
      "<section aria-labelledby=\"domains\">\n<h2 id=\"domains\">Winners and losers</h2>\n"
      "<p class=\"dim\">{} by registered domain, after {}.</p>\n",
      MetricTitle(report.aim), ShowCount(report.compared_fetches, "fetch"));
  for (const DomainChanges& changes : report.changes) {
    const std::string& base = report.strategies[changes.base].name;
    const std::string& other = report.strategies[changes.other].name;
    fmt::format_to(
        std::back_inserter(text),
        "<details{}>\n<summary>{} against {}</summary>\n<p class=\"dim\">More from {}, less from "
        "{}, "
        "as much from {}.</p>\n<div class=\"two\">\n<div>{}</div>\n<div>{}</div>\n</div>\n"
        "</details>\n",
        &changes == &report.changes.front() ? " open" : "", Html(other), Html(base),
        ShowCount(changes.won, "domain"), ShowCount(changes.lost, "domain"),
        ShowCount(changes.equal, "domain"),
        ChangesTable(report, "Most gained", "No domain gains.", changes, changes.winners),
        ChangesTable(report, "Most lost", "No domain loses.", changes, changes.losers));
  }
  return text + "</section>\n";
}

}  // namespace orbweaver::lab
