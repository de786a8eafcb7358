// Which rule of the configuration leaves a URL out: of the scope, or of the strategy.
//
// Place: `orbweaver explain`, of a URL that no worker has heard of.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "cli/frontier/url_facts.h"
#include "cli/product_options.h"

#include "common/url/resolver.h"

namespace orbweaver {

// "it matches --exclude '*.png'", "example.org has had the strategy's max_pages=100"; empty: no
// rule does. Of the strategy's rules those that the SDK's CrawlRules declare are known:
// allow_domains, deny_domains, allow_urls, deny_urls, max_pages. Opens the strategy's library;
// fatal when that, or a pattern of the scope, is wrong.
absl::StatusOr<std::string> WhyLeftOut(const UrlFacts& facts, const ProductOptions& options,
                                       UrlResolver& resolver, const PublicSuffixes& suffixes);

// "links deeper than max_depth=2 are left out"; empty: the strategy has no such rule.
std::string DepthRule(const ProductOptions& options);

}  // namespace orbweaver
