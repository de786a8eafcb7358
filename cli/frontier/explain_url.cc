#include "cli/frontier/explain_url.h"

#include <optional>
#include <string>
#include <utility>

#include "cli/frontier/request_trace.h"
#include "cli/frontier/url_rules.h"

#include "common/base/status.h"

namespace orbweaver {

absl::StatusOr<ExplainedUrl> ExplainUrl(const Frontier& frontier, const ProductOptions& options,
                                        const ResolvedUrl& url, const PublicSuffixes& suffixes,
                                        OutcomesOf outcomes, WallTime now) {
  ExplainedUrl explained;
  ASSIGN_OR_RETURN(const int partitions, frontier.Partitions());
  ASSIGN_OR_RETURN(explained.facts,
                   ReadUrlFacts(frontier.store(), url, partitions, options.spider.politeness));
  Findings findings;
  if (WantsTrace(explained.facts)) {
    ASSIGN_OR_RETURN(findings.trace, TraceRequest(frontier.bus(), explained.facts));
  }
  if (WantsPace(explained.facts)) {
    ASSIGN_OR_RETURN(const DomainOutcomes last, outcomes(explained.facts.domain));
    findings.pace = PaceOf(last, now);
  }
  if (!explained.facts.link.has_value()) {
    // One of its own: `url` points into the one that resolved it.
    UrlResolver resolver(options.spider.url, suffixes);
    ASSIGN_OR_RETURN(findings.left_out, WhyLeftOut(explained.facts, options, resolver, suffixes));
  }
  explained.explanation = Explain(explained.facts, findings, now);
  if (explained.explanation.answer == UrlAnswer::kUnknown) {
    std::string rule = DepthRule(options);
    if (!rule.empty()) explained.explanation.more.push_back(std::move(rule));
  }
  return explained;
}

}  // namespace orbweaver
