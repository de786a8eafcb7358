// libpsl's answers for every name that a public suffix list mentions.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"

namespace orbweaver {

// The list that was compiled in (cmake/SuffixList.cmake), in the format of
// https://publicsuffix.org/list/.
std::string_view BuiltInSuffixList();

// Place: in PublicSuffixes. libpsl searches the whole list for every suffix of a host, a
// microsecond in all; but its answer can only depend on the list where the list has a rule. So it
// is asked once about each name that is a rule or lies above one. Immutable, so thread-safe.
class SuffixTable {
 public:
  struct Answers {
    bool is_suffix;
    bool child_is_suffix;  // of a child that the list does not mention: the rule `*.name`
  };

  // nullptr when `list` holds no rule. `private_section` as in PublicSuffixOptions.
  static std::unique_ptr<const SuffixTable> Make(std::string_view list, bool private_section);

  // nullptr when the list mentions neither `name`, in punycode, nor anything below it.
  const Answers* Find(std::string_view name) const {
    const auto found = answers_.find(name);
    return found == answers_.end() ? nullptr : &found->second;
  }

 private:
  SuffixTable() = default;

  std::deque<std::string> names_;  // what the keys point into
  absl::flat_hash_map<std::string_view, Answers> answers_;
};

}  // namespace orbweaver
