#include "lab/replay/url_pattern.h"

#include <algorithm>

namespace orbweaver::lab {
namespace {

void AppendWithoutNumbers(std::string_view text, std::string* out) {
  for (size_t i = 0; i < text.size(); ++i) {
    const bool is_digit = text[i] >= '0' && text[i] <= '9';
    if (!is_digit) {
      out->push_back(text[i]);
    } else if (i == 0 || text[i - 1] < '0' || text[i - 1] > '9') {
      out->push_back('N');
    }
  }
}

}  // namespace

std::string UrlPattern(std::string_view url) {
  if (const size_t scheme = url.find("://"); scheme != url.npos) url.remove_prefix(scheme + 3);
  const size_t query_at = std::min(url.find('?'), url.size());
  std::string_view query = url.substr(query_at);
  std::string_view path = url.substr(0, query_at);
  const size_t path_at = std::min(path.find('/'), path.size());
  std::string pattern(path.substr(0, path_at));
  path.remove_prefix(path_at);
  const size_t second = path.empty() ? path.npos : path.find('/', 1);
  AppendWithoutNumbers(path.substr(0, second), &pattern);
  if (second != path.npos) pattern += second + 1 == path.size() ? "/" : "/…";
  for (char before = '?'; !query.empty(); before = '&') {
    query.remove_prefix(1);
    const size_t end = std::min(query.find('&'), query.size());
    pattern.push_back(before);
    AppendWithoutNumbers(query.substr(0, std::min(query.find('='), end)), &pattern);
    query.remove_prefix(end);
  }
  return pattern;
}

}  // namespace orbweaver::lab
