// Patterns of URLs, compiled into one.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

#include "common/url/domain.h"

namespace re2 {
class RE2;
}

namespace orbweaver {

inline constexpr size_t kMaxPatterns = 1000;

// Place: in CrawlScope. Thread-safe once made, and cheap to copy. Its time is linear in the URL's
// length, whatever the patterns, and its memory is bounded.
class PatternSet {
 public:
  // Has no pattern.
  PatternSet() = default;
  // Fatal, naming the pattern: one is none, or they are too many or too large.
  static absl::StatusOr<PatternSet> Make(const std::vector<std::string>& patterns,
                                         const PublicSuffixes& suffixes);

  bool empty() const { return expression_ == nullptr; }
  // `url` must be canonical.
  bool Matches(std::string_view url) const;

 private:
  std::shared_ptr<const re2::RE2> expression_;
};

}  // namespace orbweaver
