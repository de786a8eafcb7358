#include "cli/product_options.h"

#include "common/base/status.h"
#include "common/config/load.h"
#include "common/config/log_options.h"
#include "common/config/schema.h"
#include "common/runtime/process.h"
#include "common/url/url_config.h"

namespace orbweaver {

void DeclareProductOptions(config::Schema& schema, ProductOptions* options) {
  DeclareArchiveOptions(schema, &options->archive);
  DeclareCrawlOptions(schema, &options->crawl);
  DeclareDbWorkerOptions(schema, &options->db_worker);
  DeclareFetchOptions(schema, &options->fetch);
  DeclareHBaseOptions(schema, &options->hbase);
  DeclareKafkaOptions(schema, &options->kafka);
  DeclareLogOptions(schema, &options->log);
  DeclareNetworkOptions(schema, &options->network);
  DeclarePagesOptions(schema, &options->pages);
  DeclareParseOptions(schema, &options->parse);
  DeclarePolitenessOptions(schema, &options->politeness);
  DeclarePublishOptions(schema, &options->publish);
  DeclareRobotsOptions(schema, &options->robots);
  DeclareProcessOptions(schema, &options->process);
  DeclareStateOptions(schema, &options->states);
  DeclareStrategyOptions(schema, &options->strategy);
  DeclareStrategyWorkerOptions(schema, &options->strategy_worker);
  DeclareTopicOptions(schema, &options->topics);
  DeclareUrlOptions(schema, &options->url, &options->public_suffixes);
  DeclareWorkerOptions(schema, &options->worker);
}

absl::Status LoadProductOptions(std::vector<std::string>* args, config::Schema& schema,
                                ProductOptions* options) {
  DeclareProductOptions(schema, options);
  ASSIGN_OR_RETURN(const config::Inputs inputs, config::TakeInputs(args));
  RETURN_IF_ERROR(config::Load(inputs, &schema));
  ConfigureLog(options->log);
  return absl::OkStatus();
}

}  // namespace orbweaver
