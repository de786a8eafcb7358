#include "cli/crawl/crawl_plan.h"

#include <chrono>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "cli/amounts.h"
#include "cli/message.h"

#include "common/config/mask.h"
#include "common/config/value_text.h"
#include "common/scope/scope_options.h"
#include "common/scope/url_pattern.h"
#include "common/url/domain.h"

namespace orbweaver {
namespace {

std::string_view Reach(ScopeKind kind) {
  switch (kind) {
    case ScopeKind::kEverything:
      return "links to every site are followed";
    case ScopeKind::kDomain:
      return "links to registered domains that have a seed are followed";
    case ScopeKind::kHost:
      return "links to hosts that have a seed are followed, with www. or without";
    case ScopeKind::kPath:
      return "links to what lies at a seed or below it are followed";
  }
  return {};
}

std::string_view SitemapUseText(SitemapUse use) {
  switch (use) {
    case SitemapUse::kStrategy:
      return "as the strategy does";
    case SitemapUse::kAlso:
      return "also: those of each host are read, and links are followed";
    case SitemapUse::kOnly:
      return "only: the pages that they list, and no links from pages";
    case SitemapUse::kNo:
      return "no: none is read";
  }
  return {};
}

void PrintScope(const ProductOptions& options) {
  const ScopeOptions& scope = options.spider.scope;
  Print("scope       {}: {}\n", ScopeKindName(scope.kind), Reach(scope.kind));
  const auto suffixes = PublicSuffixes::Load(options.public_suffixes);
  if (!suffixes.ok()) return;
  const auto print = [&](std::string_view what, const std::vector<std::string>& patterns) {
    for (const std::string& text : patterns) {
      const auto pattern = ParseUrlPattern(text, **suffixes);
      Print("{}     {}\n", what, pattern.ok() ? pattern->meaning : text);
    }
  };
  print("include", scope.include);
  print("exclude", scope.exclude);
  if (scope.assets) Print("assets      what pages embed is fetched too, wherever it lies\n");
  if (scope.sitemaps != SitemapUse::kStrategy) {
    Print("sitemaps    {}\n", SitemapUseText(scope.sitemaps));
  }
}

}  // namespace

void PrintPlan(const CrawlArguments& arguments, const ProductOptions& options) {
  Print("folder      {}{}\n", arguments.data.string(),
        std::filesystem::exists(arguments.data) ? " (goes on)" : " (new)");
  for (const std::string& seed : arguments.seeds) Print("seed        {}\n", seed);
  for (const std::string& file : arguments.seed_files) Print("seeds from  {}\n", file);
  PrintScope(options);
  Print("strategy    {}\n",
        options.strategy.path.empty() ? options.strategy.name : options.strategy.path);
  for (const auto& [name, value] : options.strategy.params) {
    Print("            {} = {}\n", name, value);
  }
  if (options.strategy_worker.explore > 0) {
    Print("explore     {} of each domain's pages are drawn by lot\n",
          config::PrintShare(options.strategy_worker.explore));
  }
  Print("delay       {} s between two requests to a domain\n",
        std::chrono::duration<double>(options.spider.politeness.delay).count());
  Print("user agent  {}\n", options.spider.fetch.user_agent);
  Print("threads     {}\n", options.spider.crawl.threads);
  if (!options.spider.network.proxy.empty())
    Print("proxy       {}\n", config::WithoutUserinfo(options.spider.network.proxy));
  if (!arguments.out.empty()) Print("output      {}\n", arguments.out);
  if (arguments.max_pages > 0) Print("ends after  {} pages\n", Count(arguments.max_pages));
  if (arguments.duration > Duration::zero()) {
    Print("ends after  {}\n", Time(arguments.duration));
  }
}

}  // namespace orbweaver
