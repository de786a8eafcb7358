// Asks a crawl what happens to a URL: its facts, the logs where they leave a request out, and the
// rules of the configuration.
//
// Place: `orbweaver explain` and the console.
#pragma once

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "cli/frontier/domain_outcomes.h"
#include "cli/frontier/explanation.h"
#include "cli/frontier/frontier.h"
#include "cli/frontier/url_facts.h"
#include "cli/product_options.h"

#include "common/base/clock.h"
#include "common/url/resolver.h"

namespace orbweaver {

struct ExplainedUrl {
  UrlFacts facts;
  Explanation explanation;
};

// The last outcomes of a domain, as who asks knows them best.
using OutcomesOf = absl::FunctionRef<absl::StatusOr<DomainOutcomes>(const DomainFacts&)>;

// The scope, strategy and politeness are those of `options`. Blocks for some calls to bus and
// store, of kLookTimeout at most each. Retry errors are those of bus and store; poison: a row
// cannot be decoded; fatal: the strategy or a pattern of the scope is wrong.
absl::StatusOr<ExplainedUrl> ExplainUrl(const Frontier& frontier, const ProductOptions& options,
                                        const ResolvedUrl& url, const PublicSuffixes& suffixes,
                                        OutcomesOf outcomes, WallTime now);

}  // namespace orbweaver
