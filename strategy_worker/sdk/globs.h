// Simple patterns: `*` stands for any characters, none too; `?` for exactly one byte; all else for
// itself. A pattern must match the whole text: `*/blog/*`, `https://example.com/*`, `*.pdf`.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "orbweaver/parameters.h"

namespace orbweaver::sdk {

// Time: the product of the lengths at worst, whatever the pattern.
inline bool GlobMatches(std::string_view pattern, std::string_view text) {
  size_t p = 0;
  size_t t = 0;
  size_t star = std::string_view::npos;  // the last `*`, and where its match ends at present
  size_t star_end = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      star_end = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++star_end;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

// A parameter: patterns separated by commas (where a pattern needs a comma itself, `?` matches it).
// Long lists of plain texts, such as domains, cost a binary search.
class Globs final : public Parameter {
 public:
  Globs(ParameterOwner* owner, const char* name, const char* value, const char* doc)
      : Parameter(owner, name, "list", value, doc) {
    Globs::Parse(value);
  }

  void Parse(std::string_view text) override {
    plain_.clear();
    patterns_.clear();
    for (std::string& element : SplitList(text)) {
      (element.find_first_of("*?") == std::string::npos ? plain_ : patterns_)
          .push_back(std::move(element));
    }
    std::sort(plain_.begin(), plain_.end());
  }

  bool empty() const { return plain_.empty() && patterns_.empty(); }

  bool Match(std::string_view text) const {
    if (!plain_.empty() && std::binary_search(plain_.begin(), plain_.end(), text)) return true;
    return std::any_of(patterns_.begin(), patterns_.end(),
                       [text](const std::string& pattern) { return GlobMatches(pattern, text); });
  }

 private:
  std::vector<std::string> plain_;  // sorted
  std::vector<std::string> patterns_;
};

}  // namespace orbweaver::sdk
