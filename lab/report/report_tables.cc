#include "lab/report/report_tables.h"

#include <chrono>
#include <optional>

namespace orbweaver::lab {
namespace {

using parquet::Type;
using Cell = ReportTable::Cell;

size_t At(Metric metric) { return static_cast<size_t>(metric); }

Cell LowOf(const std::optional<Interval>& interval) {
  return interval.has_value() ? Cell(interval->low) : Cell();
}
Cell HighOf(const std::optional<Interval>& interval) {
  return interval.has_value() ? Cell(interval->high) : Cell();
}

ReportTable Curves(const Report& report) {
  ReportTable table{.name = "curves",
                    .columns = {{"strategy", Type::kString},
                                {"axis", Type::kString},
                                {"fetches", Type::kInt64},
                                {"seconds"},
                                {"known_fetches", Type::kInt64},
                                {"metric", Type::kString},
                                {"low"},
                                {"estimate"},
                                {"high"}},
                    .rows = {}};
  const auto add = [&](const StrategyReport& strategy, const char* axis,
                       const std::vector<CurvePoint>& curve) {
    for (const CurvePoint& point : curve) {
      for (const Metric metric : report.metrics) {
        const Bounded& figure = point.measured[At(metric)];
        table.rows.push_back({strategy.name, axis, static_cast<int64_t>(point.fetches),
                              std::chrono::duration<double>(point.at).count(),
                              static_cast<int64_t>(point.known), MetricName(metric), figure.low,
                              figure.estimate, figure.high});
      }
    }
  };
  for (const StrategyReport& strategy : report.strategies) {
    add(strategy, "fetches", strategy.by_fetches);
    add(strategy, "time", strategy.by_time);
  }
  return table;
}

ReportTable Figures(const Report& report) {
  ReportTable table{.name = "figures",
                    .columns = {{"strategy", Type::kString},
                                {"fetches", Type::kInt64},
                                {"support"},
                                {"metric", Type::kString},
                                {"low"},
                                {"estimate"},
                                {"high"},
                                {"interval_low"},
                                {"interval_high"}},
                    .rows = {}};
  for (const StrategyReport& strategy : report.strategies) {
    for (const Metric metric : report.metrics) {
      const Bounded& figure = strategy.final.measured[At(metric)];
      const auto& interval = strategy.intervals[At(metric)];
      table.rows.push_back({strategy.name, static_cast<int64_t>(report.compared_fetches),
                            strategy.support(), MetricName(metric), figure.low, figure.estimate,
                            figure.high, LowOf(interval), HighOf(interval)});
    }
  }
  return table;
}

ReportTable Differences(const Report& report) {
  ReportTable table{.name = "differences",
                    .columns = {{"strategy", Type::kString},
                                {"against", Type::kString},
                                {"fetches", Type::kInt64},
                                {"metric", Type::kString},
                                {"low"},
                                {"estimate"},
                                {"high"},
                                {"interval_low"},
                                {"interval_high"},
                                {"ratio"},
                                {"ratio_interval_low"},
                                {"ratio_interval_high"}},
                    .rows = {}};
  for (const CrawlDifference& difference : report.differences) {
    for (const Metric metric : report.metrics) {
      const size_t m = At(metric);
      const Bounded& gap = difference.absolute[m];
      const auto& ratio = difference.ratio[m];
      table.rows.push_back(
          {report.strategies[difference.other].name, report.strategies[difference.base].name,
           static_cast<int64_t>(report.compared_fetches), MetricName(metric), gap.low, gap.estimate,
           gap.high, LowOf(difference.interval[m]), HighOf(difference.interval[m]),
           ratio ? Cell(*ratio) : Cell(), LowOf(difference.ratio_interval[m]),
           HighOf(difference.ratio_interval[m])});
    }
  }
  return table;
}

ReportTable Domains(const Report& report) {
  ReportTable table{.name = "domains",
                    .columns = {{"strategy", Type::kString},
                                {"against", Type::kString},
                                {"domain", Type::kString},
                                {"metric", Type::kString},
                                {"figure"},
                                {"figure_against"},
                                {"fetches", Type::kInt64},
                                {"fetches_against", Type::kInt64}},
                    .rows = {}};
  for (const DomainChanges& changes : report.changes) {
    for (const auto* const side : {&changes.winners, &changes.losers}) {
      for (const DomainChange& change : *side) {
        table.rows.push_back({report.strategies[changes.other].name,
                              report.strategies[changes.base].name, change.domain,
                              MetricName(report.aim), change.other, change.base,
                              static_cast<int64_t>(change.other_fetches),
                              static_cast<int64_t>(change.base_fetches)});
      }
    }
  }
  return table;
}

}  // namespace

std::vector<ReportTable> ReportTables(const Report& report) {
  return {Curves(report), Figures(report), Differences(report), Domains(report)};
}

}  // namespace orbweaver::lab
