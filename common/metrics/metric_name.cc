#include "common/metrics/metric_name.h"

#include <algorithm>
#include <initializer_list>

#include "common/base/status.h"

namespace orbweaver {
namespace {

struct Word {
  std::string_view word;
  std::string_view instead;
};

constexpr Word kUnits[] = {
    {"milliseconds", "seconds"}, {"millis", "seconds"},   {"ms", "seconds"},
    {"microseconds", "seconds"}, {"us", "seconds"},       {"nanoseconds", "seconds"},
    {"ns", "seconds"},           {"sec", "seconds"},      {"secs", "seconds"},
    {"minutes", "seconds"},      {"hours", "seconds"},    {"days", "seconds"},
    {"kilobytes", "bytes"},      {"kb", "bytes"},         {"kib", "bytes"},
    {"megabytes", "bytes"},      {"mb", "bytes"},         {"mib", "bytes"},
    {"gigabytes", "bytes"},      {"gb", "bytes"},         {"bits", "bytes"},
    {"percent", "ratio"},        {"percentage", "ratio"},
};

// A type in a name says nothing that the type does not say.
constexpr std::string_view kTypes[] = {"counter", "gauge", "histogram", "summary"};

bool IsSnakeCase(std::string_view name) {
  char before = '_';
  for (const char c : name) {
    const bool letter = c >= 'a' && c <= 'z';
    const bool digit = c >= '0' && c <= '9';
    if (!letter && !digit && c != '_') return false;
    if (before == '_' && !letter) return false;
    before = c;
  }
  return before != '_';
}

bool EndsWithAny(std::string_view name, std::initializer_list<std::string_view> ends) {
  return std::any_of(ends.begin(), ends.end(),
                     [name](std::string_view end) { return name.ends_with(end); });
}

absl::Status CheckWord(std::string_view name, std::string_view word) {
  for (const Word& unit : kUnits) {
    if (word == unit.word) {
      return FatalError("metric '{}': '{}' is no base unit. Use '{}'.", name, word, unit.instead);
    }
  }
  if (std::find(std::begin(kTypes), std::end(kTypes), word) != std::end(kTypes)) {
    return FatalError("metric '{}': '{}' is a type. Leave it out.", name, word);
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckMetricName(MetricKind kind, std::string_view name) {
  if (!name.starts_with("orbweaver_") && !name.starts_with("process_")) {
    return FatalError("metric '{}': not ours. Begin it with 'orbweaver_'.", name);
  }
  if (!IsSnakeCase(name)) {
    return FatalError("metric '{}': not in snake_case. Use words of a-z and 0-9.", name);
  }
  if (kind == MetricKind::kCounter && !name.ends_with("_total")) {
    return FatalError("metric '{}': a counter. End it in '_total'.", name);
  }
  if (kind != MetricKind::kCounter && name.ends_with("_total")) {
    return FatalError("metric '{}': no counter. Only those end in '_total'.", name);
  }
  if (EndsWithAny(name, {"_bucket", "_count", "_sum"})) {
    return FatalError("metric '{}': ends as the parts of a histogram do. Rename it.", name);
  }
  for (std::string_view rest = name; !rest.empty();) {
    const std::string_view word = rest.substr(0, rest.find('_'));
    RETURN_IF_ERROR(CheckWord(name, word));
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
  }
  return absl::OkStatus();
}

absl::Status CheckLabelName(std::string_view name) {
  if (name.empty() || !IsSnakeCase(name)) {
    return FatalError("label '{}': not in snake_case. Use words of a-z and 0-9.", name);
  }
  if (name == "le" || name == "quantile") {
    return FatalError("label '{}': has a meaning of its own in Prometheus. Rename it.", name);
  }
  return absl::OkStatus();
}

}  // namespace orbweaver
