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
  schema.Add(
      "scope.assets", &options->assets,
      {.doc =
           "Assets are fetched too: what pages embed (images, style sheets, scripts, icons, "
           "fonts, audio, video), and what a style sheet names. Each is fetched once, wherever "
           "it lies; no strategy is asked, and links there are not followed. Answers of type "
           "`image/*`, `audio/*`, `video/*` and `application/pdf` are then read also where a link "
           "leads to one, unless spider.fetch.content_types is set. For strategy workers "
           "and spiders alike"});
  schema.AddChoice(
      "scope.sitemaps", &options->sitemaps,
      {{"strategy", SitemapUse::kStrategy},
       {"also", SitemapUse::kAlso},
       {"only", SitemapUse::kOnly},
       {"no", SitemapUse::kNo}},
      {.doc =
           "Sitemaps are requested by the `strategy`, or with `also` and `only` by the strategy "
           "worker, whatever the strategy: those that robots.txt names, else `/sitemap.xml`, and "
           "those that their indexes list, each once. With `only` links from pages that are no "
           "sitemaps are left out; with `no` sitemaps are. For strategy workers and spiders "
           "alike"});
  schema.Add("scope.include", &options->include,
             {.doc = "Only URLs that match one of these patterns: `example.com` (and hosts below "
                     "it), `*.example.com` (below it only), `example.com:8080`, `/blog/*`, "
                     "`*.pdf`, `https://example.com/a/*`, `re:EXPRESSION`. None: all URLs"});
  schema.Add("scope.exclude", &options->exclude,
             {.doc = "No URL that matches one of these patterns, seeds neither"});
}

}  // namespace orbweaver
