#include "cli/console/history_view.h"

#include <cmath>

#include "common/base/json.h"

namespace orbweaver {
namespace {

// A curve needs no more digits, and means have many.
double Rounded(double value) { return std::round(value * 100) / 100; }

}  // namespace

std::string HistoryJson(const HistoryRange& range, std::span<const HistoryPoint> points) {
  std::string text;
  JsonWriter json(&text);
  json.BeginObject().Key("range").Value(range.name).Key("step_seconds").Value(range.step.count());
  json.Key("times").BeginArray();
  for (const HistoryPoint& point : points) {
    json.Value(std::chrono::floor<std::chrono::seconds>(point.time.time_since_epoch()).count());
  }
  json.EndArray().Key("series").BeginObject();
  for (size_t i = 0; i < kCurves; ++i) {
    json.Key(CurveName(static_cast<Curve>(i))).BeginArray();
    for (const HistoryPoint& point : points) {
      if (point.values[i].has_value()) {
        json.Value(Rounded(*point.values[i]));
      } else {
        json.Null();
      }
    }
    json.EndArray();
  }
  json.EndObject().EndObject();
  return text;
}

}  // namespace orbweaver
