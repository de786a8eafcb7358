// Which seeds the patterns of a crawl's scope leave out, for those who gave them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

#include "common/scope/pattern_set.h"
#include "common/scope/scope_options.h"
#include "common/url/resolver.h"

namespace orbweaver {

// Place: `orbweaver crawl`, which names them before the workers count them. Not thread-safe.
class SeedScope {
 public:
  // The arguments must outlive the result. Fatal, naming the option and the pattern, when a pattern
  // is invalid.
  static absl::StatusOr<SeedScope> Make(const ScopeOptions& options, UrlResolver& resolver,
                                        const PublicSuffixes& suffixes);

  bool HasPatterns() const { return !include_.empty() || !exclude_.empty(); }

  // "it matches --exclude '*.png'"; empty when `seed`, as it was given, stays or is no URL.
  std::string WhyLeftOut(std::string_view seed) const;

 private:
  struct Named {
    std::string text;
    PatternSet set;
  };

  explicit SeedScope(UrlResolver& resolver) : resolver_(resolver) {}

  UrlResolver& resolver_;
  PatternSet include_;
  std::vector<Named> exclude_;
};

}  // namespace orbweaver
