#include "cli/product_options.h"

#include "common/base/status.h"
#include "common/config/load.h"
#include "common/config/log_options.h"
#include "common/config/schema.h"
#include "common/runtime/process.h"
#include "common/scope/crawl_scope.h"

namespace orbweaver {

void DeclareProductOptions(config::Schema& schema, ProductOptions* options) {
  DeclareConsoleOptions(schema, &options->console);
  DeclareDbWorkerOptions(schema, &options->db_worker);
  DeclareHBaseOptions(schema, &options->hbase);
  DeclareKafkaOptions(schema, &options->kafka);
  DeclareLogOptions(schema, &options->log);
  DeclarePagesOptions(schema, &options->pages);
  DeclareProcessOptions(schema, &options->process);
  DeclareRecordOptions(schema, &options->record);
  DeclareScalingOptions(schema, &options->scaling);
  DeclareSpiderOptions(schema, &options->spider, &options->public_suffixes);
  DeclareStateOptions(schema, &options->states);
  DeclareStrategyOptions(schema, &options->strategy);
  DeclareStrategyWorkerOptions(schema, &options->strategy_worker);
  DeclareTopicOptions(schema, &options->topics);
  DeclareWorkerOptions(schema, &options->worker);
}

absl::Status LoadProductOptions(std::vector<std::string>* args, config::Schema& schema,
                                ProductOptions* options, const std::string& kept,
                                const std::map<std::string, std::string>& flags) {
  DeclareProductOptions(schema, options);
  ASSIGN_OR_RETURN(config::Inputs inputs, config::TakeInputs(args));
  inputs.kept = kept;
  inputs.flags = flags;
  RETURN_IF_ERROR(config::Load(inputs, &schema));
  // Told here so that every command tells it; the options stay as they were given.
  SpiderOptions named = options->spider;
  RETURN_IF_ERROR(NameCrawler(&named));
  options->spider.parse.robots_name = named.parse.robots_name;
  ASSIGN_OR_RETURN(const auto suffixes, PublicSuffixes::Load(options->public_suffixes));
  RETURN_IF_ERROR(CrawlScope::Make(options->spider.scope, *suffixes).status());
  ConfigureLog(options->log);
  return absl::OkStatus();
}

}  // namespace orbweaver
