#include "cli/seed_scope.h"

#include "cli/seed_writer.h"
#include "fmt/format.h"

#include "common/base/status.h"
#include "common/scope/crawl_scope.h"

namespace orbweaver {

absl::StatusOr<SeedScope> SeedScope::Make(const ScopeOptions& options, UrlResolver& resolver,
                                          const PublicSuffixes& suffixes) {
  RETURN_IF_ERROR(CrawlScope::Make(options, suffixes).status());
  SeedScope scope(resolver);
  ASSIGN_OR_RETURN(scope.include_, PatternSet::Make(options.include, suffixes));
  for (const std::string& pattern : options.exclude) {
    ASSIGN_OR_RETURN(auto set, PatternSet::Make({pattern}, suffixes));
    scope.exclude_.push_back({.text = pattern, .set = std::move(set)});
  }
  return scope;
}

std::string SeedScope::WhyLeftOut(std::string_view seed) const {
  ResolvedUrl url;
  if (!HasPatterns() || ResolveSeed(seed, resolver_, &url) != UrlError::kNone) return {};
  for (const Named& pattern : exclude_) {
    if (pattern.set.Matches(url.url)) return fmt::format("it matches --exclude '{}'", pattern.text);
  }
  return include_.empty() || include_.Matches(url.url) ? "" : "it matches no --include";
}

}  // namespace orbweaver
