#include "common/url/query.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "absl/container/inlined_vector.h"

namespace orbweaver {
namespace {

struct Parameter {
  std::string_view text;
  std::string_view name;

  explicit Parameter(std::string_view t) : text(t), name(t.substr(0, t.find('='))) {}

  friend bool operator<(const Parameter& a, const Parameter& b) {
    return a.name != b.name ? a.name < b.name : a.text < b.text;
  }
};

using Parameters = absl::InlinedVector<Parameter, 16>;

Parameters Split(std::string_view query) {
  Parameters parameters;
  while (true) {
    const size_t length = query.find('&');
    parameters.emplace_back(query.substr(0, length));
    if (length == std::string_view::npos) return parameters;
    query.remove_prefix(length + 1);
  }
}

void AppendJoined(const Parameters& parameters, std::string* url) {
  bool first = true;
  for (const Parameter& parameter : parameters) {
    if (!std::exchange(first, false)) url->push_back('&');
    url->append(parameter.text);
  }
}

}  // namespace

void DropQueryParameters(const ParameterNames& names, size_t start, std::string* url) {
  const std::string query = url->substr(start);
  Parameters parameters = Split(query);
  const auto dropped = std::remove_if(parameters.begin(), parameters.end(),
                                      [&](const auto& p) { return names.Contains(p.name); });
  if (dropped == parameters.end()) return;
  parameters.erase(dropped, parameters.end());
  url->resize(start);
  AppendJoined(parameters, url);
}

void SortQueryParameters(size_t start, size_t max_bytes, std::string* url) {
  const std::string query = url->substr(start);
  Parameters parameters = Split(query);
  parameters.erase(std::remove_if(parameters.begin(), parameters.end(),
                                  [](const auto& p) { return p.text.empty(); }),
                   parameters.end());
  size_t bytes = start + parameters.size();
  for (const Parameter& parameter : parameters) bytes += parameter.text.size();
  // With one separator less than parameters.
  if (bytes <= max_bytes + 1) std::sort(parameters.begin(), parameters.end());
  url->resize(start);
  AppendJoined(parameters, url);
}

}  // namespace orbweaver
