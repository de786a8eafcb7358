#include "common/config/mask.h"

#include <algorithm>

#include "absl/strings/match.h"

#include "common/base/text.h"

namespace orbweaver::config {
namespace {

// `word` is without spaces and commas.
void AppendWord(std::string_view word, std::string* out) {
  const size_t end = word.rfind('@');
  if (end != std::string_view::npos) {
    const size_t scheme = word.substr(0, end).find("://");
    const bool is_url = scheme != std::string_view::npos;
    if (is_url || word.substr(0, end).find(':') != std::string_view::npos) {
      if (is_url) out->append(word.substr(0, scheme + 3));
      out->append(kMask);
      word.remove_prefix(end);
    }
  }
  out->append(word);
}

bool Matches(std::string_view key, std::string_view pattern) {
  if (pattern.ends_with('*')) {
    return absl::StartsWithIgnoreCase(ToAbsl(key), ToAbsl(pattern.substr(0, pattern.size() - 1)));
  }
  if (pattern.starts_with('*')) {
    return absl::EndsWithIgnoreCase(ToAbsl(key), ToAbsl(pattern.substr(1)));
  }
  return absl::EqualsIgnoreCase(ToAbsl(key), ToAbsl(pattern));
}

}  // namespace

std::string WithoutUserinfo(std::string_view text) {
  constexpr std::string_view kBetween = " \t\r\n,";
  std::string out;
  while (!text.empty()) {
    const size_t end = std::min(text.find_first_of(kBetween), text.size());
    AppendWord(text.substr(0, end), &out);
    if (end < text.size()) out += text[end];
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

bool MatchesAny(std::string_view key, const std::vector<std::string>& patterns) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [key](const std::string& pattern) { return Matches(key, pattern); });
}

}  // namespace orbweaver::config
