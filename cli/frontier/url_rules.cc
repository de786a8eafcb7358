#include "cli/frontier/url_rules.h"

#include <map>
#include <optional>
#include <span>
#include <string_view>

#include "absl/strings/numbers.h"
#include "cli/seed_scope.h"
#include "fmt/format.h"

#include "common/base/status.h"
#include "common/scope/crawl_scope.h"
#include "common/scope/seed_places.h"
#include "strategy_worker/host/loader.h"
#include "strategy_worker/sdk/globs.h"

namespace orbweaver {
namespace {

// The strategy's parameters by name, as configured or as declared.
absl::StatusOr<std::map<std::string, std::string>> ParametersOf(const StrategyOptions& options) {
  ASSIGN_OR_RETURN(const StrategyLibrary library, OpenStrategy(options));
  std::map<std::string, std::string> values;
  const orbweaver_strategy& strategy = library.strategy();
  for (const orbweaver_parameter& parameter :
       std::span(strategy.parameters, strategy.parameter_count)) {
    const auto set = options.params.find(parameter.name);
    values[parameter.name] = set != options.params.end() ? set->second : parameter.default_value;
  }
  return values;
}

// The pattern of `list` that `text` matches.
std::optional<std::string> Match(const std::string& list, std::string_view text) {
  for (const std::string& pattern : sdk::SplitList(list)) {
    if (sdk::GlobMatches(pattern, text)) return pattern;
  }
  return std::nullopt;
}

// Of the patterns of one kind: `what` is "domains" or "urls".
std::string WhyPatterns(const std::map<std::string, std::string>& parameters, std::string_view what,
                        std::string_view text) {
  const auto list = [&](std::string_view prefix) {
    const auto found = parameters.find(fmt::format("{}_{}", prefix, what));
    return found == parameters.end() ? std::string() : found->second;
  };
  if (const auto denied = Match(list("deny"), text)) {
    return fmt::format("it matches '{}' of the strategy's deny_{}", *denied, what);
  }
  const std::string allowed = list("allow");
  if (allowed.empty() || Match(allowed, text).has_value()) return {};
  return fmt::format("it matches nothing of the strategy's allow_{}={}", what, allowed);
}

std::string WhyStrategy(const std::map<std::string, std::string>& parameters,
                        const UrlFacts& facts) {
  if (std::string why = WhyPatterns(parameters, "domains", facts.domain.domain); !why.empty()) {
    return why;
  }
  if (std::string why = WhyPatterns(parameters, "urls", facts.url); !why.empty()) return why;
  const auto cap = parameters.find("max_pages");
  uint64_t most = 0;
  const bool is_capped = cap != parameters.end() && absl::SimpleAtoi(cap->second, &most) &&
                         most > 0 && facts.domain.record.has_value();
  if (!is_capped) return {};
  const DomainRecord& record = *facts.domain.record;
  if (record.scheduled < most) return {};
  // Strategies that fetch pages again count URLs.
  return fmt::format("{} {} the strategy's max_pages={}: {} requests for {} URLs",
                     facts.domain.domain, record.known_urls < most ? "may have had" : "has had",
                     most, record.scheduled, record.known_urls);
}

absl::StatusOr<std::string> WhyScope(const UrlFacts& facts, const ScopeOptions& options,
                                     UrlResolver& resolver, const PublicSuffixes& suffixes) {
  ASSIGN_OR_RETURN(const SeedScope patterns, SeedScope::Make(options, resolver, suffixes));
  if (std::string why = patterns.WhyLeftOut(facts.url); !why.empty()) return why;
  ASSIGN_OR_RETURN(const CrawlScope scope, CrawlScope::Make(options, suffixes));
  const std::string places =
      facts.domain.record.has_value() ? facts.domain.record->seed_places : std::string();
  SeedPlaceFinder finder;
  finder.Begin(facts.domain.domain, places);
  switch (scope.Check(facts.url, !places.empty(), finder)) {
    case OutOfScope::kSeeds:
      return fmt::format("no seed is near enough to it (--scope {})", ScopeKindName(options.kind));
    case OutOfScope::kSitemaps:
      return "only what sitemaps name is fetched (--sitemaps only)";
    case OutOfScope::kInclude:
    case OutOfScope::kExclude:
    case OutOfScope::kNot:
      return "";
  }
  return "";
}

}  // namespace

absl::StatusOr<std::string> WhyLeftOut(const UrlFacts& facts, const ProductOptions& options,
                                       UrlResolver& resolver, const PublicSuffixes& suffixes) {
  ASSIGN_OR_RETURN(std::string why, WhyScope(facts, options.spider.scope, resolver, suffixes));
  if (!why.empty()) return why;
  ASSIGN_OR_RETURN(const auto parameters, ParametersOf(options.strategy));
  return WhyStrategy(parameters, facts);
}

std::string DepthRule(const ProductOptions& options) {
  const auto parameters = ParametersOf(options.strategy);
  if (!parameters.ok()) return {};
  const auto depth = parameters->find("max_depth");
  if (depth == parameters->end() || depth->second == "-1") return {};
  return fmt::format("links deeper than max_depth={} are left out", depth->second);
}

}  // namespace orbweaver
