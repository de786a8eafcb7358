#include "common/scope/pattern_set.h"

#include <re2/re2.h>

#include "common/base/status.h"
#include "common/config/excerpt.h"
#include "common/scope/url_pattern.h"

namespace orbweaver {
namespace {

// Of the compiled program and its states. Where more states are needed RE2 goes on without them,
// slower and still in linear time.
constexpr int64_t kMaxBytes = int64_t{64} << 20;

}  // namespace

absl::StatusOr<PatternSet> PatternSet::Make(const std::vector<std::string>& patterns,
                                            const PublicSuffixes& suffixes) {
  PatternSet set;
  if (patterns.empty()) return set;
  if (patterns.size() > kMaxPatterns) {
    return FatalError("{} patterns: expected at most {}", patterns.size(), kMaxPatterns);
  }
  std::string all;
  for (const std::string& text : patterns) {
    const auto pattern = ParseUrlPattern(text, suffixes);
    if (!pattern.ok()) {
      return FatalError("'{}': {}", config::Excerpt(text), MessageOf(pattern.status()));
    }
    all += all.empty() ? "(?:" : "|(?:";
    all.append(pattern->expression).append(")");
  }
  RE2::Options options;
  options.set_log_errors(false);
  options.set_never_capture(true);
  options.set_max_mem(kMaxBytes);
  set.expression_ = std::make_shared<const RE2>(all, options);
  if (!set.expression_->ok()) {
    return FatalError("the patterns together: {}", set.expression_->error());
  }
  return set;
}

bool PatternSet::Matches(std::string_view url) const {
  return RE2::PartialMatch(re2::StringPiece(url.data(), url.size()), *expression_);
}

}  // namespace orbweaver
