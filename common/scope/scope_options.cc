#include "common/scope/scope_options.h"

#include "common/config/schema.h"

namespace orbweaver {

std::string_view ScopeKindName(ScopeKind kind) {
  switch (kind) {
    case ScopeKind::kEverything:
      return "everything";
    case ScopeKind::kDomain:
      return "domain";
    case ScopeKind::kHost:
      return "host";
    case ScopeKind::kPath:
      return "path";
  }
  return {};
}

void DeclareScopeOptions(config::Schema& schema, ScopeOptions* options) {
  schema.AddChoice(
      "scope.kind", &options->kind,
      {{"everything", ScopeKind::kEverything},
       {"domain", ScopeKind::kDomain},
       {"host", ScopeKind::kHost},
       {"path", ScopeKind::kPath}},
      {.doc = "Which links are followed, whatever the strategy: to everything, to registered "
              "domains that have a seed, to hosts that have one (with `www.` or without), or to "
              "paths at or below one. `orbweaver crawl` has `domain` as its default"});
  schema.Add("scope.include", &options->include,
             {.doc = "Only URLs that match one of these patterns: `example.com` (and hosts below "
                     "it), `*.example.com` (below it only), `example.com:8080`, `/blog/*`, "
                     "`*.pdf`, `https://example.com/a/*`, `re:EXPRESSION`. None: all URLs"});
  schema.Add("scope.exclude", &options->exclude,
             {.doc = "No URL that matches one of these patterns, seeds neither"});
}

}  // namespace orbweaver
