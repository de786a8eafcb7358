#include "spider/feed/rests.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "fmt/format.h"

#include "common/base/text.h"

namespace orbweaver {

using std::chrono::seconds;

Rests::Rests(std::string_view metadata) {
  const std::vector<absl::string_view> words = absl::StrSplit(ToAbsl(metadata), ' ');
  for (size_t i = 1; i + 1 < words.size(); i += 2) {
    uint32_t until = 0;
    if (absl::SimpleAtoi(words[i], &until)) until_[words[i + 1]] = WallTime(seconds(until));
  }
}

bool Rests::Add(std::string_view domain, WallTime until) {
  // No canonical URL has another; a commit with it would be refused.
  const bool is_word = std::all_of(domain.begin(), domain.end(), absl::ascii_isgraph);
  if (!is_word || domain.empty()) return false;
  WallTime& known = until_[ToAbsl(domain)];
  const bool later = until > known;
  known = std::max(known, until);
  return later;
}

std::optional<WallTime> Rests::Until(std::string_view domain) const {
  const auto found = until_.find(ToAbsl(domain));
  if (found == until_.end()) return std::nullopt;
  return found->second;
}

std::string Rests::TakeMetadata(WallTime now, size_t max_bytes) {
  absl::erase_if(until_, [now](const auto& rest) { return rest.second <= now; });
  std::vector<std::pair<WallTime, std::string_view>> rests;
  rests.reserve(until_.size());
  for (const auto& [domain, until] : until_) rests.emplace_back(until, domain);
  std::sort(rests.rbegin(), rests.rend());
  std::string metadata;
  for (const auto& [until, domain] : rests) {
    const std::string one =
        fmt::format(" {} {}", std::chrono::ceil<seconds>(until.time_since_epoch()).count(), domain);
    if (metadata.size() + one.size() > max_bytes) break;
    metadata += one;
  }
  return metadata;
}

}  // namespace orbweaver
