#include "cli/replay/comparison_report.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>

#include "cli/amounts.h"
#include "cli/frontier/message_view.h"
#include "fmt/format.h"

#include "common/base/json.h"
#include "common/base/status.h"
#include "common/model/score_band.h"

namespace orbweaver {
namespace {

using Kind = lab::DifferenceKind;

constexpr size_t kRowsInText = 10;

constexpr std::string_view kJsonNames[lab::kDifferenceKinds] = {
    "only_first", "only_second", "other_band", "other_time", "other_rest", "other_update"};

std::string KindText(Kind kind, const std::string& first, const std::string& second) {
  switch (kind) {
    case Kind::kOnlyFirst:
      return "only " + first;
    case Kind::kOnlySecond:
      return "only " + second;
    case Kind::kOtherBand:
      return "in another band";
    case Kind::kOtherTime:
      return "at another time";
    case Kind::kOtherRest:
      return "with another depth, attempt or meta";
    case Kind::kOtherUpdate:
      return "another order to a domain (crawl delay, block, back-off, purge)";
  }
  return {};
}

std::string_view ActionText(ScheduleAction action) {
  switch (action) {
    case ScheduleAction::kRaise:
      return "raised";
    case ScheduleAction::kDelete:
      return "dropped";
    default:
      return "scheduled";
  }
}

class TextReport {
 public:
  TextReport(const ComparisonReport& report, size_t which)
      : report_(report),
        result_(report.comparison.results[which]),
        first_(report.names[0]),
        second_(report.names[which + 1]) {}

  std::string Make() {
    const auto& requests = result_.counts.requests;
    Line("{} against {}", second_, first_);
    Line("  {} of {}, {} of {}; {} equal", Count(requests[1], "request"), second_,
         Count(requests[0]), first_, Count(result_.equal));
    if (result_.other_score > 0) {
      Line("  {} of the equal ones with another score in the same band, which changes nothing",
           Count(result_.other_score));
    }
    if (result_.behind_the_end > 0) {
      Line("  {} on events that the recorded worker had not decided on yet",
           Count(result_.behind_the_end));
    }
    if (result_.counts.differences() == 0) {
      Line("  No difference.");
      return text_;
    }
    Counts();
    if (result_.first.has_value()) {
      Line("\n  The first difference:");
      Example(*result_.first, KindText(result_.first->kind, first_, second_) + ": ");
    }
    Table("registered domain", result_.domains, result_.different_domains);
    Table("URL pattern", result_.patterns, result_.different_patterns);
    std::optional<Kind> kind;
    for (const lab::DifferenceExample& example : result_.examples) {
      if (kind != example.kind) {
        Line("\n  Examples: {}", KindText(example.kind, first_, second_));
      }
      kind = example.kind;
      Example(example, "");
    }
    return text_;
  }

 private:
  template <typename... Args>
  void Line(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
    text_.push_back('\n');
  }

  void Counts() {
    for (size_t i = 0; i < lab::kDifferenceKinds; ++i) {
      const auto kind = static_cast<Kind>(i);
      const uint64_t count = result_.counts.of(kind);
      if (count == 0) continue;
      const uint64_t all = result_.counts.requests[kind == Kind::kOnlySecond ? 1 : 0];
      const bool has_share = kind != Kind::kOtherUpdate && all > 0;
      const double share = 100 * static_cast<double>(count) / static_cast<double>(all);
      std::string only;
      if (kind == Kind::kOnlyFirst || kind == Kind::kOnlySecond) {
        const auto& by_action = result_.only[i];
        if (by_action[1] > 0) only += fmt::format(", {} raised", Count(by_action[1]));
        if (by_action[2] > 0) only += fmt::format(", {} dropped", Count(by_action[2]));
      }
      Line("{:>12} {:>7}  {}{}", Count(count), has_share ? fmt::format("{:.1f} %", share) : "",
           KindText(kind, first_, second_), only);
    }
  }

  void Table(std::string_view of, const lab::ComparisonResult::Rows& rows, uint64_t all) {
    if (rows.empty()) return;
    const size_t shown = std::min(rows.size(), kRowsInText);
    Line("\n  By {}{}; first: {}, second: {}", of,
         all > shown ? fmt::format(", {} of {}", shown, Count(all)) : std::string(), first_,
         second_);
    Line("{:>12} {:>12} {:>12} {:>12} {:>8}", "only first", "only second", "other band",
         "other time", "else");
    for (size_t i = 0; i < shown; ++i) {
      const lab::DifferenceCounts& row = rows[i].second;
      Line("{:>12} {:>12} {:>12} {:>12} {:>8}  {}", Count(row.of(Kind::kOnlyFirst)),
           Count(row.of(Kind::kOnlySecond)), Count(row.of(Kind::kOtherBand)),
           Count(row.of(Kind::kOtherTime)),
           Count(row.of(Kind::kOtherRest) + row.of(Kind::kOtherUpdate)), rows[i].first);
    }
  }

  std::string SideText(const std::optional<lab::RequestSide>& side) const {
    if (!side.has_value()) return "none";
    const bool waits = side->not_before > report_.comparison.events.at(side->event).time;
    return fmt::format("band {} ({:.3g}){}", BandOf(side->score), side->score,
                       waits ? ", not before " + TimeText(side->not_before) : "");
  }
  std::string_view EventText(const lab::RequestSide& side) const {
    const auto found = report_.events.find(side.event);
    return found == report_.events.end() ? "" : std::string_view(found->second);
  }

  void Example(const lab::DifferenceExample& example, const std::string& kind) {
    const auto& [first, second] = std::tie(example.first, example.second);
    Line("    {}{}", kind, example.url);
    if (example.kind != Kind::kOtherUpdate) {
      const bool is_plain = example.action == ScheduleAction::kAdd;
      Line("      {}{}", is_plain ? "" : fmt::format("{}: ", ActionText(example.action)),
           first.has_value() && second.has_value()
               ? fmt::format("{} → {}", SideText(first), SideText(second))
               : SideText(first.has_value() ? first : second));
    }
    Line("      on {}", EventText(first.has_value() ? *first : *second));
    if (first.has_value() && second.has_value() && first->event != second->event) {
      Line("      and on {}", EventText(*second));
    }
  }

  const ComparisonReport& report_;
  const lab::ComparisonResult& result_;
  const std::string& first_;
  const std::string& second_;
  std::string text_;
};

void AddCounts(const lab::DifferenceCounts& counts, JsonWriter& json) {
  json.Key("requests").BeginArray().Value(counts.requests[0]).Value(counts.requests[1]).EndArray();
  for (size_t i = 0; i < lab::kDifferenceKinds; ++i) json.Key(kJsonNames[i]).Value(counts.kinds[i]);
}

void AddRows(const lab::ComparisonResult::Rows& rows, JsonWriter& json) {
  json.BeginArray();
  for (const auto& [name, counts] : rows) {
    json.BeginObject().Key("name").Value(name);
    AddCounts(counts, json);
    json.EndObject();
  }
  json.EndArray();
}

void AddExample(const ComparisonReport& report, const lab::DifferenceExample& example,
                JsonWriter& json) {
  const auto add = [&](const std::optional<lab::RequestSide>& side) {
    if (!side.has_value()) {
      json.Null();
      return;
    }
    const auto& event = report.comparison.events.at(side->event);
    const auto text = report.events.find(side->event);
    json.BeginObject().Key("score").Value(static_cast<double>(side->score));
    json.Key("band").Value(BandOf(side->score));
    json.Key("not_before_ms").Value(side->not_before.time_since_epoch().count());
    json.Key("partition").Value(event.partition.value()).Key("offset").Value(event.offset.value());
    json.Key("event").Value(text == report.events.end() ? "" : text->second).EndObject();
  };
  json.BeginObject().Key("kind").Value(kJsonNames[static_cast<size_t>(example.kind)]);
  json.Key("action").Value(ActionText(example.action)).Key("url").Value(example.url);
  json.Key("first");
  add(example.first);
  json.Key("second");
  add(example.second);
  json.EndObject();
}

void AddResult(const ComparisonReport& report, size_t which, JsonWriter& json) {
  const lab::ComparisonResult& result = report.comparison.results[which];
  json.BeginObject().Key("first").Value(report.names[0]);
  json.Key("second").Value(report.names[which + 1]);
  json.Key("different").Value(result.counts.differences());
  AddCounts(result.counts, json);
  json.Key("equal").Value(result.equal).Key("other_score").Value(result.other_score);
  json.Key("behind_the_end").Value(result.behind_the_end);
  json.Key("different_domains").Value(result.different_domains).Key("domains");
  AddRows(result.domains, json);
  json.Key("different_patterns").Value(result.different_patterns).Key("patterns");
  AddRows(result.patterns, json);
  json.Key("first_difference");
  if (result.first.has_value()) {
    AddExample(report, *result.first, json);
  } else {
    json.Null();
  }
  json.Key("examples").BeginArray();
  for (const auto& example : result.examples) AddExample(report, example, json);
  json.EndArray().EndObject();
}

}  // namespace

std::set<uint32_t> NamedEvents(const lab::StrategyComparison& comparison) {
  std::set<uint32_t> numbers;
  const auto add = [&](const lab::DifferenceExample& example) {
    for (const auto& side : {example.first, example.second}) {
      if (side.has_value()) numbers.insert(side->event);
    }
  };
  for (const lab::ComparisonResult& result : comparison.results) {
    if (result.first.has_value()) add(*result.first);
    for (const auto& example : result.examples) add(example);
  }
  return numbers;
}

std::string ReportText(const ComparisonReport& report) {
  const lab::StrategyComparison& comparison = report.comparison;
  std::string text = fmt::format("{} replayed.\n", Count(comparison.events.size(), "event"));
  if (!comparison.is_complete) {
    text = fmt::format("Stopped after {} of {}: the differences are those of these.\n",
                       Count(comparison.events.size()), Count(report.recorded_events, "event"));
  }
  const size_t of_first = comparison.dead_letters.size() - comparison.results.size();
  for (size_t i = 0; i < comparison.dead_letters.size(); ++i) {
    if (comparison.dead_letters[i] == 0) continue;
    text += fmt::format("{} could not process {}.\n", report.names[i + 1 - of_first],
                        Count(comparison.dead_letters[i], "event"));
  }
  for (size_t i = 0; i < comparison.results.size(); ++i) {
    text += "\n" + TextReport(report, i).Make();
  }
  return text;
}

std::string ReportJson(const ComparisonReport& report) {
  const lab::StrategyComparison& comparison = report.comparison;
  std::string text;
  JsonWriter json(&text);
  json.BeginObject().Key("events").Value(comparison.events.size());
  json.Key("is_complete").Value(comparison.is_complete).Key("dead_letters").BeginArray();
  for (const uint64_t count : comparison.dead_letters) json.Value(count);
  json.EndArray().Key("comparisons").BeginArray();
  for (size_t i = 0; i < comparison.results.size(); ++i) AddResult(report, i, json);
  json.EndArray().EndObject();
  return text + "\n";
}

}  // namespace orbweaver
