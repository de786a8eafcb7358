#include "spider/feed/rests.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "fmt/format.h"

#include "common/base/text.h"

namespace orbweaver {

using std::chrono::seconds;

CommittedRests::CommittedRests(std::string_view metadata) {
  const std::vector<absl::string_view> words = absl::StrSplit(ToAbsl(metadata), ' ');
  for (size_t i = 1; i + 1 < words.size(); i += 2) {
    uint32_t until = 0;
    if (!absl::SimpleAtoi(words[i], &until)) continue;
    Add({words[i + 1].data(), words[i + 1].size()}, WallTime(seconds(until)));
  }
}

void CommittedRests::Set(std::string_view domain, WallTime until) {
  const auto [known, is_new] = until_.try_emplace(ToAbsl(domain), until);
  if (!is_new) {
    by_end_.erase({known->second, known->first});
    known->second = until;
  }
  by_end_.emplace(until, known->first);
}

bool CommittedRests::Add(std::string_view domain, WallTime until) {
  // No canonical URL has another; a commit with it would be refused.
  const bool is_word = std::all_of(domain.begin(), domain.end(), absl::ascii_isgraph);
  if (!is_word || domain.empty()) return false;
  const auto known = until_.find(ToAbsl(domain));
  if (until <= (known == until_.end() ? WallTime() : known->second)) return false;
  Set(domain, until);
  return true;
}

std::optional<WallTime> CommittedRests::Until(std::string_view domain) const {
  const auto found = until_.find(ToAbsl(domain));
  if (found == until_.end()) return std::nullopt;
  return found->second;
}

std::string CommittedRests::TakeMetadata(WallTime now, size_t max_bytes) {
  while (!by_end_.empty() && by_end_.begin()->first <= now) {
    const std::string_view over = by_end_.begin()->second;
    by_end_.erase(by_end_.begin());
    until_.erase(until_.find(ToAbsl(over)));
  }
  std::string metadata;
  for (auto rest = by_end_.rbegin(); rest != by_end_.rend(); ++rest) {
    const auto& [until, domain] = *rest;
    const std::string one =
        fmt::format(" {} {}", std::chrono::ceil<seconds>(until.time_since_epoch()).count(), domain);
    if (metadata.size() + one.size() > max_bytes) break;
    metadata += one;
  }
  return metadata;
}

}  // namespace orbweaver
