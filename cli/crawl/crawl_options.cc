#include "cli/crawl/crawl_options.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <string_view>

#include "cli/crawl/crawl_arguments.h"
#include "cli/crawl/local_crawl.h"
#include "cli/crawl/output_arguments.h"
#include "cli/message.h"
#include "fmt/format.h"

#include "common/base/status.h"
#include "common/config/load.h"

namespace orbweaver {
namespace {

// Options that another one says too.
bool IsSaidByAnother(std::string_view option) {
  return option == "spider.robots.retry_min" || option == "strategy_worker.dns_failure_rest" ||
         option.starts_with("strategy_worker.own_retr") || IsSetByOut(option);
}

// Parameters that were kept for another strategy say nothing to the one that is chosen now.
void DropOthersParameters(const std::string& kept, config::Schema& schema,
                          StrategyOptions* strategy) {
  const std::string of_kept = kept + ":";
  std::map<std::string, config::Option*> by_name;
  for (config::Option& option : schema.options()) by_name[option.name] = &option;
  const bool is_kept = by_name["strategy.name"]->SourceOf("").starts_with(of_kept) &&
                       by_name["strategy.path"]->SourceOf("").starts_with(of_kept);
  if (is_kept) return;
  auto& sources = by_name["strategy.params"]->sources;
  std::erase_if(sources, [&](const auto& source) {
    const bool is_others = source.second.starts_with(of_kept);
    if (is_others) strategy->params.erase(source.first);
    return is_others;
  });
}

}  // namespace

absl::StatusOr<std::vector<OptionChange>> LoadCrawlOptions(const CrawlFolder& folder,
                                                           const CrawlArguments& arguments,
                                                           std::vector<std::string>* args,
                                                           config::Schema& schema,
                                                           ProductOptions* options) {
  SetLocalDefaults(options);
  const std::string kept = folder.options_file();
  RETURN_IF_ERROR(LoadProductOptions(args, schema, options, kept, arguments.flags));
  if (kept.empty()) return std::vector<OptionChange>();
  config::Schema schema_before;
  ProductOptions before;
  SetLocalDefaults(&before);
  DeclareProductOptions(schema_before, &before);
  RETURN_IF_ERROR(config::Load({.kept = kept}, &schema_before));
  if (options->strategy.name != before.strategy.name ||
      options->strategy.path != before.strategy.path) {
    DropOthersParameters(kept, schema, &options->strategy);
  }
  return ChangesBetween(schema_before, schema);
}

bool IsConfigured(const config::Schema& schema, std::string_view name) {
  const auto option = std::ranges::find(schema.options(), name, &config::Option::name);
  return option != schema.options().end() && !option->sources.empty();
}

void TellChanges(const std::vector<OptionChange>& changes) {
  for (const OptionChange& change : changes) {
    if (IsSaidByAnother(change.name)) continue;
    const std::string_view warning = WarningFor(change);
    PrintError("Changed and kept: {} is {}, was {}{}{}.\n", FlagOf(change.name),
               change.after.empty() ? "not set" : change.after,
               change.before.empty() ? "not set" : change.before, warning.empty() ? "" : "; ",
               warning);
  }
}

}  // namespace orbweaver
