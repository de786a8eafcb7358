#include "common/scope/crawl_scope.h"

#include <algorithm>
#include <utility>

#include "common/base/status.h"

namespace orbweaver {
namespace {

absl::StatusOr<PatternSet> MakeSet(std::string_view option,
                                   const std::vector<std::string>& patterns,
                                   const PublicSuffixes& suffixes) {
  auto set = PatternSet::Make(patterns, suffixes);
  if (!set.ok()) return FatalError("{} {}", option, MessageOf(set.status()));
  return set;
}

std::string_view PathOf(std::string_view url) {
  const size_t scheme = std::min(url.find("://"), url.size());
  const size_t begin = std::min(url.find('/', scheme + 3), url.size());
  return url.substr(begin, std::min(url.find('?', begin), url.size()) - begin);
}

// By their paths.
bool IsAtOrBelow(std::string_view url, std::string_view above) {
  const std::string_view path = PathOf(url);
  std::string_view folder = PathOf(above);
  if (folder.ends_with('/')) folder.remove_suffix(1);
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

}  // namespace

CrawlScope::CrawlScope(const ScopeOptions& options, PatternSet include, PatternSet exclude)
    : kind_(options.kind),
      sitemaps_(options.sitemaps),
      assets_(options.assets),
      include_(std::move(include)),
      exclude_(std::move(exclude)) {}

absl::StatusOr<CrawlScope> CrawlScope::Make(const ScopeOptions& options,
                                            const PublicSuffixes& suffixes) {
  ASSIGN_OR_RETURN(auto include, MakeSet("scope.include", options.include, suffixes));
  ASSIGN_OR_RETURN(auto exclude, MakeSet("scope.exclude", options.exclude, suffixes));
  return CrawlScope(options, std::move(include), std::move(exclude));
}

OutOfScope CrawlScope::CheckSeed(std::string_view url) const {
  if (!exclude_.empty() && exclude_.Matches(url)) return OutOfScope::kExclude;
  if (!include_.empty() && !include_.Matches(url)) return OutOfScope::kInclude;
  return OutOfScope::kNot;
}

OutOfScope CrawlScope::Check(std::string_view url, bool domain_has_seeds,
                             SeedPlaceFinder& finder) const {
  const bool is_near = kind_ == ScopeKind::kEverything ||
                       (domain_has_seeds && (kind_ == ScopeKind::kDomain ||
                                             (kind_ == ScopeKind::kHost && finder.HasHost(url)) ||
                                             (kind_ == ScopeKind::kPath && finder.HasPlace(url))));
  return is_near ? CheckSeed(url) : OutOfScope::kSeeds;
}

OutOfScope CrawlScope::CheckSitemap(std::string_view url, bool domain_has_seeds,
                                    SeedPlaceFinder& finder) const {
  const bool is_near = kind_ == ScopeKind::kEverything ||
                       (domain_has_seeds && (kind_ == ScopeKind::kDomain || finder.HasHost(url)));
  return is_near ? CheckAsset(url) : OutOfScope::kSeeds;
}

OutOfScope CrawlScope::CheckAsset(std::string_view url) const {
  return !exclude_.empty() && exclude_.Matches(url) ? OutOfScope::kExclude : OutOfScope::kNot;
}

bool CrawlScope::Keeps(std::string_view from, std::string_view to, std::string_view domain) const {
  if (CheckSeed(to) != OutOfScope::kNot) return false;
  if (kind_ != ScopeKind::kHost && kind_ != ScopeKind::kPath) return true;
  if (SeedHostOf(from, domain) != SeedHostOf(to, domain)) return false;
  return kind_ == ScopeKind::kHost || IsAtOrBelow(to, from);
}

}  // namespace orbweaver
